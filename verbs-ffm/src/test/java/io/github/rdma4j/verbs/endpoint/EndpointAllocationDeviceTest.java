// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import io.github.rdma4j.verbs.MemorySlice;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
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
     * The least of three rounds: a compiled method that is thrown away in mid-run may put one object on the heap, once.
     */
    private void assertNothingIsAllocated(IntConsumer operations) {
        operations.accept(WARM_UP);
        long[] allocated = new long[3];
        for (int round = 0; round < allocated.length; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            operations.accept(OPERATIONS);
            allocated[round] = threads.getCurrentThreadAllocatedBytes() - before;
            if (allocated[round] == 0) {
                return;
            }
        }
        fail("bytes allocated in %d operations, three times: %s", OPERATIONS, Arrays.toString(allocated));
    }
}
