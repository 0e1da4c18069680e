// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.rdma;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletionOpcode;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.internal.endpoint.engine.ChannelSleep;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;

/** The wire of an endpoint that has a completion queue of its own. */
public final class VerbsTransport extends VerbsWire {
    private static final int BATCH = 32;

    private final CompletionQueue queue;
    private final ReceiveBuffers received;

    private final WorkCompletions completions = WorkCompletions.allocate(BATCH);
    private int count;
    private int next;
    private final ChannelSleep sleep;

    public VerbsTransport(VerbsLink link, ReceiveBuffers received, SendBuffers buffers, int inlineSize) {
        super(link, received, buffers, inlineSize, 0);
        this.queue = link.queue();
        this.received = received;
        this.sleep = new ChannelSleep(queue, link.channel(), link.events());
    }

    @Override
    public int poll(WireEvents protocol) {
        if (next < count) {
            giveFrom(next, count, protocol);
        }
        int total = 0;
        int found;
        do {
            found = queue.poll(completions);
            giveFrom(0, found, protocol);
            total += found;
        } while (found == BATCH);
        return total;
    }

    /** Passes polled completions to the protocol. After an exception, the next call passes the rest. */
    private void giveFrom(int first, int end, WireEvents protocol) {
        count = end;
        for (int i = first; i < end; i++) {
            next = i;
            give(completions.get(i), protocol);
        }
        next = end;
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
        sleep.prepare();
    }

    @Override
    public void arm(boolean ends) {
        if (!sleep.isArmed() || missesEnds() && ends) {
            // Of the iWARP drivers, siw ignores the peer's solicited flag: there all completions must raise events.
            sleep.arm(ends || hasTrailer());
        }
    }

    @Override
    public boolean armEarly(boolean ends) {
        arm(ends);
        return true;
    }

    @Override
    public boolean isArmed() {
        return sleep.isArmed();
    }

    @Override
    public boolean missesEnds() {
        return sleep.isArmed() && !sleep.isArmedForAll();
    }

    @Override
    public void sleep(long nanos) {
        sleep.sleep(nanos);
    }

    @Override
    public boolean awake() {
        return sleep.awake();
    }

    @Override
    public void eventCame() {
        sleep.eventCame();
    }

    @Override
    public Events events() {
        return sleep.events();
    }

    @Override
    public void wakeUp() {
        sleep.wakeUp();
    }

    @Override
    public void close() {
        CloseAll.of(sleep::close, link()::close);
    }

    @Override
    public void free() {
        CloseAll.of(received::close, sendBuffers()::close, link()::free);
    }
}
