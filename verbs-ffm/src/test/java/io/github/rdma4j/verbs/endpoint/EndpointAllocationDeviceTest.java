// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.rdma4j.verbs.MemorySlice;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The hot path of an endpoint allocates nothing once it is compiled, by the JVM's own count of this thread's bytes. */
@Tag("device")
@Tag("optimised")
class EndpointAllocationDeviceTest {
    private static final int OPERATIONS = 30_000;
    /** Enough for the second compiler, which is the one that proves that nothing escapes. */
    private static final int WARM_UP = 30_000;

    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private int received;
    private int written;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sendingAndPollingAllocateNothing(boolean sums) {
        try (EndpointPair pair = new EndpointPair(config -> config.integrity(sums))) {
            MemorySegment message = MemorySegment.ofArray(new byte[32]);
            MessageHandler handler = got -> received += (int) got.segment().byteSize();
            assertNothingIsAllocated(count -> {
                for (int i = 0; i < count; i++) {
                    while (pair.left.trySend(message) != Endpoint.OK) {
                        Thread.onSpinWait();
                    }
                    while (pair.right.poll(handler) == 0) {
                        Thread.onSpinWait();
                    }
                }
            });
        }
    }

    @Test
    void transfersWithAnIdAllocateNothing() {
        try (EndpointPair pair = new EndpointPair(config -> {})) {
            MemorySlice local = pair.left.allocateMemory(64).slice();
            MemoryHandle remote = pair.right.expose(64, REMOTE_WRITE).handle();
            TransferHandler handler = (id, original, failure) -> written++;
            assertNothingIsAllocated(count -> {
                for (int i = 0; i < count; i++) {
                    while (pair.left.transfers().tryWrite(i, local, remote) != Endpoint.OK) {
                        Thread.onSpinWait();
                    }
                    while (pair.left.transfers().pollTransfers(handler) == 0) {
                        Thread.onSpinWait();
                    }
                }
            });
        }
    }

    /**
     * Until a round allocates nothing, for a minute at most: when the compiler has come to what runs is not known on a
     * busy machine; and a compiled method that is thrown away in mid-run may put one object on the heap, once.
     */
    private void assertNothingIsAllocated(IntConsumer operations) {
        operations.accept(WARM_UP);
        List<Long> allocated = new ArrayList<>();
        long start = System.nanoTime();
        do {
            long before = threads.getCurrentThreadAllocatedBytes();
            operations.accept(OPERATIONS);
            allocated.add(threads.getCurrentThreadAllocatedBytes() - before);
        } while (allocated.getLast() != 0 && System.nanoTime() - start < LIMIT.toNanos());
        assertThat(allocated.getLast())
                .as("bytes allocated in %d operations, round by round: %s", OPERATIONS, allocated)
                .isZero();
    }
}
