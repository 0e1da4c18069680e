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
        require(from.queuePair.tryPostWrite(0, from.outgoing, from.remote, SendFlags.SIGNALED));
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
        require(from.queuePair.tryPostSend(0, from.outgoing, SendFlags.SIGNALED));
        await(to);
        await(from);
        require(to.queuePair.tryPostReceive(0, to.incoming));
    }

    void read(int iterations, MemorySegment times) {
        for (int i = 0; i < iterations; i++) {
            long start = System.nanoTime();
            require(a.queuePair.tryPostRead(0, a.outgoing, a.remote, SendFlags.SIGNALED));
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
