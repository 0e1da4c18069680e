// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;

import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.cm.SynchronousId;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/** A queue pair of a connection id, with one receive and a number to send. */
final class CmTalk implements AutoCloseable {
    private static final int HEARD = Long.BYTES;
    private static final long RECEIVE = 1;
    private static final long SEND = 2;

    private final ProtectionDomain domain;
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final MemoryRegion memory;
    private final QueuePair pair;
    private final WorkCompletions completions = WorkCompletions.allocate(1);
    private boolean received;
    private boolean sent;

    CmTalk(SynchronousId id) {
        DeviceContext device = id.id().device().orElseThrow();
        domain = device.allocateProtectionDomain();
        channel = device.createCompletionChannel();
        queue = device.createCompletionQueue(4, config -> config.channel(channel));
        memory = domain.allocateMemory(2L * Long.BYTES, LOCAL_WRITE);
        pair = id.id().createQueuePair(domain, config -> config.completionQueue(queue));
        if (!pair.tryPostReceive(RECEIVE, memory.slice(HEARD, Long.BYTES))) {
            throw new Wrong("no room for the first receive");
        }
    }

    void send(long number) {
        memory.segment().set(ValueLayout.JAVA_LONG, 0, number);
        if (!pair.tryPostSend(SEND, memory.slice(0, Long.BYTES), SendFlags.SIGNALED)) {
            throw new Wrong("no room for the first send");
        }
    }

    /** Waits for the number, and until an announced one has arrived. */
    void await(long number, Duration limit) {
        long until = System.nanoTime() + limit.toNanos();
        while (!received || !sent) {
            Duration remaining = Duration.ofNanos(Math.max(0, until - System.nanoTime()));
            if (queue.awaitCompletions(completions, remaining) == 0) {
                throw new VerbsException(
                        "hearing " + number, 0, "nothing came in " + limit, "none: this is a campaign");
            }
            take(completions.get(0));
        }
        long came = memory.segment().get(ValueLayout.JAVA_LONG, HEARD);
        if (came != number) {
            throw new Wrong("the word " + came + " came and not " + number);
        }
    }

    /** As {@link #await}, and sends the same number. */
    void echo(long number, Duration limit) {
        sent = true;
        await(number, limit);
        sent = false;
        send(number);
        await(number, limit);
    }

    private void take(WorkCompletion completion) {
        if (!completion.isSuccess()) {
            throw new VerbsException("hearing a word", 0, completion.describe(), "none: this is a campaign");
        }
        received |= completion.workRequestId() == RECEIVE;
        sent |= completion.workRequestId() == SEND;
    }

    @Override
    public void close() {
        domain.close();
        queue.close();
        channel.close();
    }
}
