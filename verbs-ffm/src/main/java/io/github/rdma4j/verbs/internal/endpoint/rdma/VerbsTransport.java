// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.rdma;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletionOpcode;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import java.time.Duration;

/** The wire of an endpoint that has a completion queue of its own. */
public final class VerbsTransport extends VerbsWire {
    private static final int BATCH = 32;

    private final CompletionQueue queue;
    private final ReceiveBuffers received;

    private final WorkCompletions completions = WorkCompletions.allocate(BATCH);
    private int count;
    private int next;
    private boolean armed;
    private boolean armedForEnds;
    private EventPoller poller;
    /** What has ended a sleep; written by the sleeping thread, one at a time. */
    private boolean queueReady;

    private boolean linkReady;

    public VerbsTransport(VerbsLink link, ReceiveBuffers received, SendBuffers buffers, int inlineSize) {
        super(link, received, buffers, inlineSize, 0);
        this.queue = link.queue();
        this.received = received;
    }

    @Override
    public int poll(WireEvents protocol) {
        giveAll(protocol);
        int total = 0;
        int found;
        do {
            found = queue.poll(completions);
            count = found;
            next = 0;
            total += found;
            giveAll(protocol);
        } while (found == BATCH);
        return total;
    }

    /** Passes all polled completions to the protocol. After an exception, the next call passes the rest. */
    private void giveAll(WireEvents protocol) {
        int i = next;
        try {
            for (; i < count; i++) {
                give(completions.get(i), protocol);
            }
        } finally {
            next = i;
        }
    }

    private void give(WorkCompletion completion, WireEvents protocol) {
        long id = completion.workRequestId();
        if (!completion.isSuccess()) {
            String description = protocol.isOpen() ? completion.describe() : "";
            giveFailed(protocol, id, completion.status(), completion.vendorError(), description);
        } else if ((id & Protocol.RECEIVE) != 0) {
            giveReceived(
                    protocol,
                    (int) id,
                    completion.opcode() == WorkCompletionOpcode.RECEIVE,
                    completion.hasImmediateData(),
                    completion.immediateData(),
                    completion.byteLength());
        } else {
            giveSent(protocol, id);
        }
    }

    @Override
    public void prepareToSleep() {
        if (poller == null) {
            poller = openPoller();
        }
    }

    @Override
    public void arm(boolean ends) {
        if (!armed || missesEnds() && ends) {
            // Of the iWARP drivers, siw ignores the peer's solicited flag: there all completions must raise events.
            boolean all = ends || hasTrailer();
            queue.requestNotification(!all);
            armed = true;
            armedForEnds = all;
        }
    }

    @Override
    public boolean armEarly(boolean ends) {
        arm(ends);
        return true;
    }

    @Override
    public boolean isArmed() {
        return armed;
    }

    @Override
    public boolean missesEnds() {
        return armed && !armedForEnds;
    }

    private EventPoller openPoller() {
        EventPoller opened = EventPoller.open();
        try {
            opened.add(link().channel());
            if (link().events() != null) {
                opened.add(link().events());
            }
            return opened;
        } catch (Throwable e) {
            CloseAll.after(e, opened::close);
            throw e;
        }
    }

    @Override
    public void sleep(long nanos) {
        EventPoller waiting = poller;
        try {
            waiting.select(Duration.ofNanos(nanos), source -> {
                if (source == link().events()) {
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

    @Override
    public boolean awake() {
        if (queueReady) {
            eventCame();
        }
        boolean ask = linkReady || link().events() == null;
        queueReady = false;
        linkReady = false;
        return ask;
    }

    @Override
    public void eventCame() {
        if (link().channel().nextEvent(Duration.ZERO).isPresent()) {
            armed = false;
        }
    }

    @Override
    public Events events() {
        return new Events(link().channel(), link().events());
    }

    @Override
    public void wakeUp() {
        if (poller != null && poller.isOpen()) {
            poller.wakeUp();
        }
    }

    @Override
    public void close() {
        CloseAll.of(
                () -> {
                    if (poller != null) {
                        poller.close();
                    }
                },
                link()::close);
    }

    @Override
    public void free() {
        CloseAll.of(received::close, sendBuffers()::close, link()::free);
    }
}
