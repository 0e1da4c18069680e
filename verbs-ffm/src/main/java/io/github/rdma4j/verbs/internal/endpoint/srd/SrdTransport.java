// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.srd;

import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletionOpcode;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.internal.endpoint.engine.ChannelSleep;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointExceptions;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.rdma.ReceiveBuffers;

/** The wire of an endpoint with an SRD queue pair of its own. */
final class SrdTransport extends SrdWire {
    private static final int BATCH = 32;

    private final ReceiveBuffers buffers;
    private final WorkCompletions completions = WorkCompletions.allocate(BATCH);
    private int count;
    private int next;
    private final ChannelSleep sleep;

    SrdTransport(
            SrdLink link,
            SendBuffers sends,
            ReceiveBuffers buffers,
            LongMessages longs,
            EndpointSettings.Sizes sizes,
            int sendDepth,
            int fragment) {
        super(link, sends, buffers, longs, sizes, sendDepth, fragment);
        this.buffers = buffers;
        this.sleep = new ChannelSleep(link.queue(), link.channel(), link.tcp());
    }

    @Override
    boolean mayPost() {
        return true;
    }

    @Override
    void notPosted() {}

    @Override
    long idOf(int post) {
        return post;
    }

    @Override
    void endRequests() {
        link.pair().toError();
    }

    @Override
    int takeAll() {
        int total = takePolled();
        do {
            next = 0;
            count = 0;
            count = link.queue().poll(completions);
            total += takePolled();
        } while (count == BATCH);
        return total;
    }

    private int takePolled() {
        int before = next;
        while (next < count) {
            take(completions.get(next));
            next++;
        }
        return next - before;
    }

    private void take(WorkCompletion completion) {
        long id = completion.workRequestId();
        if (!completion.isSuccess()) {
            fail(id, completion.status(), completion.vendorError(), EndpointExceptions.describeSrd(completion));
        } else if ((id & Protocol.RECEIVE) == 0) {
            ordering.completed((int) id);
        } else if (completion.sourceQueuePairNumber() == link.peer().number()) {
            ordering.arrived(
                    (int) id,
                    completion.opcode() == WorkCompletionOpcode.RECEIVE && completion.hasImmediateData(),
                    completion.immediateData(),
                    completion.byteLength());
        } else {
            // Of another queue pair, which has guessed the key.
            buffers.giveBack((int) id);
            postReturned();
        }
    }

    // ---- Sleeping ----

    @Override
    public void prepareToSleep() {
        sleep.prepare();
    }

    /** {@inheritDoc} An EFA announces all completions. */
    @Override
    public void arm(boolean ends) {
        if (!sleep.isArmed()) {
            sleep.arm(true);
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
        return false;
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
        CloseAll.of(sleep::close, link::close);
    }

    @Override
    public void free() {
        CloseAll.of(buffers::close, super::free);
    }
}
