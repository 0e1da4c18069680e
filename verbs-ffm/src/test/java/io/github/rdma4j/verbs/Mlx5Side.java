// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.MW_BIND;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * One queue pair of a seeming mlx5 adapter, with all that belongs to it. Two sides that are made alike have the same
 * numbers, keys and registers, since the stand-in counts for each context, and the same memory.
 */
final class Mlx5Side implements AutoCloseable {
    static final int MAX_INLINE = 100;
    static final int MAX_ENTRIES = 3;
    /** All that fit into an element. */
    static final int MAX_RECEIVE_ENTRIES = 4;

    static final int SENDS = 20;
    static final int RECEIVES = 16;

    final DeviceContext device;
    final ProtectionDomain domain;
    final CompletionQueue sendQueue;
    final CompletionQueue receiveQueue;
    final MemoryRegion region;
    final MemoryWindow window;
    final QueuePair pair;
    final Mlx5StandIn.Pair rings;

    Mlx5Side(DataPath path, MemorySegment memory) {
        this(path, memory, 40, config -> {});
    }

    Mlx5Side(DataPath path, MemorySegment memory, int completions, Consumer<QueuePairConfig> configuration) {
        device = DeviceContext.open(Mlx5StandIn.DEVICE, path);
        domain = device.allocateProtectionDomain();
        sendQueue = device.createCompletionQueue(completions);
        receiveQueue = device.createCompletionQueue(completions);
        region = domain.registerMemory(memory, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, MW_BIND);
        window = domain.allocateMemoryWindow(MemoryWindowType.TYPE_2);
        pair = connect(configuration);
        rings = Mlx5StandIn.of(pair);
    }

    /** Another queue pair that completes into the same queues. */
    QueuePair connect(Consumer<QueuePairConfig> configuration) {
        PreparedQueuePair prepared = domain.prepareQueuePair(QueuePairType.RC, config -> {
            config.sendCompletionQueue(sendQueue)
                    .receiveCompletionQueue(receiveQueue)
                    .maxSendWorkRequests(SENDS)
                    .maxReceiveWorkRequests(RECEIVES)
                    .maxInlineData(MAX_INLINE)
                    .maxSendScatterGather(MAX_ENTRIES)
                    .maxReceiveScatterGather(MAX_RECEIVE_ENTRIES)
                    .oversubscribeCompletionQueue(true);
            configuration.accept(config);
        });
        return prepared.connect(prepared.endpoint());
    }

    @Override
    public void close() {
        device.close();
    }
}
