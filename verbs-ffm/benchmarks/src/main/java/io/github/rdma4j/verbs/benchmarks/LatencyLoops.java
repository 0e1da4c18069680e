// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** What latency.c does, as a user of the library writes it. */
final class LatencyLoops {
    private static final VarHandle BYTE = JAVA_BYTE.varHandle();
    private static final long LAST = LatencyEnd.MESSAGE_SIZE - 1;

    private final LatencyEnd a;
    private final LatencyEnd b;
    private final WorkCompletions completions = WorkCompletions.allocate(1);

    LatencyLoops(LatencyEnd a, LatencyEnd b) {
        this.a = a;
        this.b = b;
    }

    void write(int iterations, MemorySegment times) {
        for (int i = 0; i < iterations; i++) {
            long start = System.nanoTime();
            writeOver(a, b, (byte) (i + 1));
            writeOver(b, a, (byte) (i + 1));
            times.setAtIndex(JAVA_LONG, i, System.nanoTime() - start);
        }
    }

    private void writeOver(LatencyEnd from, LatencyEnd to, byte value) {
        BYTE.setOpaque(from.region.segment(), from.outgoing.offset() + LAST, value);
        require(from.queuePair.postWrite(0, from.outgoing, from.remote, SendFlags.SIGNALED) == 0);
        MemorySegment memory = to.region.segment();
        long flag = to.incoming.offset() + LAST;
        while ((byte) BYTE.getAcquire(memory, flag) != value) {}
        await(from);
    }

    void send(int iterations, MemorySegment times) {
        for (int i = 0; i < iterations; i++) {
            long start = System.nanoTime();
            sendOver(a, b);
            sendOver(b, a);
            times.setAtIndex(JAVA_LONG, i, System.nanoTime() - start);
        }
    }

    private void sendOver(LatencyEnd from, LatencyEnd to) {
        require(from.queuePair.postSend(0, from.outgoing, SendFlags.SIGNALED) == 0);
        await(to);
        await(from);
        require(to.queuePair.postReceive(0, to.incoming) == 0);
    }

    void read(int iterations, MemorySegment times) {
        for (int i = 0; i < iterations; i++) {
            long start = System.nanoTime();
            require(a.queuePair.postRead(0, a.outgoing, a.remote, SendFlags.SIGNALED) == 0);
            await(a);
            times.setAtIndex(JAVA_LONG, i, System.nanoTime() - start);
        }
    }

    private void await(LatencyEnd end) {
        while (end.queue.poll(completions) == 0) {}
        require(completions.get(0).isSuccess());
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new IllegalStateException("a verb failed");
        }
    }
}
