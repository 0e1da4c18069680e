// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.device.EfaCapability;
import io.github.rdma4j.verbs.device.Gid;
import java.time.Duration;
import java.util.function.Consumer;

/** One side of SRD tests: a context with a queue pair, memory, and an address handle for its own port. */
final class SrdSide implements AutoCloseable {
    static final String DEVICE = "efa_0";
    static final int QUEUE_KEY = 0x1234;
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int BYTES = 1 << 18;

    final DeviceContext device = DeviceContext.open(DEVICE);
    final ProtectionDomain domain = device.allocateProtectionDomain();
    final CompletionQueue queue = device.createCompletionQueue(1024);
    final MemoryRegion memory = domain.allocateMemory(BYTES, access(device));
    final Gid gid = device.gidAddress(1, 0);
    final SrdQueuePair pair;
    private final WorkCompletions completions = WorkCompletions.allocate(1);
    private AddressHandle here;

    SrdSide(Consumer<SrdQueuePairConfig> configuration) {
        pair = domain.createSrdQueuePair(config -> {
            config.completionQueue(queue).queueKey(QUEUE_KEY);
            configuration.accept(config);
        });
    }

    private static AccessFlag[] access(DeviceContext device) {
        return device.queryEfa().capabilities().contains(EfaCapability.RDMA_READ)
                ? new AccessFlag[] {LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE}
                : new AccessFlag[] {LOCAL_WRITE};
    }

    boolean canWrite() {
        return device.queryEfa().capabilities().contains(EfaCapability.RDMA_WRITE);
    }

    /** {@return an address handle for the own port, which all contexts of a process share} */
    AddressHandle here() {
        if (here == null) {
            here = domain.createAddressHandle(AddressHandleAttributes.toGid(1, 0, gid));
        }
        return here;
    }

    /** {@return the queue pair of a side of this process, as a destination} */
    Destination to(SrdSide other) {
        return Destination.of(here(), other.pair.number(), QUEUE_KEY);
    }

    WorkCompletion await() {
        return await(queue);
    }

    WorkCompletion await(CompletionQueue from) {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (from.poll(completions) == 0) {
            assertThat(System.nanoTime() - deadline)
                    .as("no completion within 30 s")
                    .isNegative();
            Thread.onSpinWait();
        }
        return completions.get(0);
    }

    void awaitSuccess(long workRequestId) {
        WorkCompletion completion = await();
        assertThat(completion.isSuccess()).as(completion.describe()).isTrue();
        assertThat(completion.workRequestId()).isEqualTo(workRequestId);
    }

    EfaCompletionStatus awaitStatus() {
        WorkCompletion completion = await();
        assertThat(completion.isSuccess()).isFalse();
        return EfaCompletionStatus.ofVendorError(completion.vendorError());
    }

    void receive(int count, int bytes) {
        for (int i = 0; i < count; i++) {
            assertThat(pair.tryPostReceive(i, memory.slice((long) i * bytes, bytes)))
                    .isTrue();
        }
    }

    @Override
    public void close() {
        device.close();
    }
}
