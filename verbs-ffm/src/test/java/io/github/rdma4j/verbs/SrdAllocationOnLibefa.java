// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The hot path leaves nothing on the heap, even where no compiler removes an allocation. */
@Timeout(120)
class SrdAllocationOnLibefa {
    /** Until the JVM has spun the classes of all method handles. */
    private static final int WARM = 2_500;

    private static final int MEASURED = 1_000;
    private static final int SIZE = 64;
    private static final int LEAST_OBJECT = 16;

    private final WorkCompletions completions = WorkCompletions.allocate(1);

    private void awaitOne(CompletionQueue queue) {
        while (queue.poll(completions) == 0) {
            Thread.onSpinWait();
        }
        require(completions.get(0).isSuccess());
    }

    /** AssertJ's objects would count. */
    private static void require(boolean condition) {
        if (!condition) {
            throw new AssertionError("a full queue or a failed request");
        }
    }

    @Test
    void postingAllocatesNothing() {
        StandInKernel.Control.set("RDMA4J_EFA_SEED", 0);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (SrdSide client = new SrdSide(config -> config.maxInlineData(SIZE / 2));
                SrdSide server = new SrdSide(config -> {})) {
            server.here();
            Destination peer = client.to(server);
            MemorySlice source = client.memory.slice(0, SIZE);
            MemorySlice little = client.memory.slice(0, SIZE / 2);
            MemorySlice target = server.memory.slice(0, SIZE);
            RemoteMemory remote = target.remoteMemory();
            PreparedRequest prepared = client.pair.prepare().to(peer).read(source, remote, SendFlags.SIGNALED);
            long before = 0;
            for (int i = 0; i < WARM + MEASURED; i++) {
                if (i == WARM) {
                    before = threads.getCurrentThreadAllocatedBytes();
                }
                require(server.pair.tryPostReceive(i, target));
                require(
                        (i & 1) == 0
                                ? client.pair.tryPostSend(i, source, peer)
                                : client.pair.tryPostInlineSendWithImmediate(i, little, i, peer));
                awaitOne(client.queue);
                awaitOne(server.queue);
                require(client.pair.tryPostRead(i, source, remote, peer));
                awaitOne(client.queue);
                require(prepared.tryPost(i));
                awaitOne(client.queue);
                SendBatch batch = client.pair.startBatch().to(peer);
                require(batch.read(i, source, remote, SendFlags.SIGNALED).tryPost());
                awaitOne(client.queue);
            }
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(MEASURED * LEAST_OBJECT);
        }
    }
}
