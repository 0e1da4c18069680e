// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import java.time.Duration;

/**
 * Waits for a completion queue and a link: the sleeping half of a transport with a queue pair of its own. Used with the
 * endpoint's lock, except {@link #sleep}.
 */
public final class ChannelSleep {
    private final CompletionQueue queue;
    private final CompletionChannel channel;
    /** Null if the link has no events. */
    private final EventSource link;

    private EventPoller poller;
    private boolean armed;
    private boolean armedForAll;
    /** What has ended a sleep; written by the sleeping thread, one at a time. */
    private boolean queueReady;

    private boolean linkReady;

    /** @param link reports that the connection may have ended; null if there is no such source */
    public ChannelSleep(CompletionQueue queue, CompletionChannel channel, EventSource link) {
        this.queue = queue;
        this.channel = channel;
        this.link = link;
    }

    /** As {@link EndpointTransport#prepareToSleep}. */
    public void prepare() {
        if (poller != null) {
            return;
        }
        EventPoller opened = EventPoller.open();
        try {
            opened.add(channel);
            if (link != null) {
                opened.add(link);
            }
        } catch (Throwable e) {
            CloseAll.after(e, opened::close);
            throw e;
        }
        poller = opened;
    }

    /** @param all whether all completions raise an event, or only those that the peer marked as solicited */
    public void arm(boolean all) {
        queue.requestNotification(!all);
        armed = true;
        armedForAll = all;
    }

    public boolean isArmed() {
        return armed;
    }

    public boolean isArmedForAll() {
        return armedForAll;
    }

    /** As {@link EndpointTransport#sleep}. */
    public void sleep(long nanos) {
        EventPoller waiting = poller;
        try {
            waiting.select(Duration.ofNanos(nanos), source -> {
                if (source == link) {
                    linkReady = true;
                } else {
                    queueReady = true;
                }
            });
        } catch (IllegalStateException e) {
            // The poller was closed with the endpoint, which the caller checks next.
            if (waiting.isOpen()) {
                throw e;
            }
        }
    }

    /** As {@link EndpointTransport#awake}. */
    public boolean awake() {
        if (queueReady) {
            eventCame();
        }
        boolean ask = linkReady || link == null;
        queueReady = false;
        linkReady = false;
        return ask;
    }

    /** As {@link EndpointTransport#eventCame}. */
    public void eventCame() {
        if (channel.nextEvent(Duration.ZERO).isPresent()) {
            armed = false;
        }
    }

    public EndpointTransport.Events events() {
        return new EndpointTransport.Events(channel, link);
    }

    /** As {@link EndpointTransport#wakeUp}. */
    public void wakeUp() {
        if (poller != null && poller.isOpen()) {
            poller.wakeUp();
        }
    }

    public void close() {
        if (poller != null) {
            poller.close();
        }
    }
}
