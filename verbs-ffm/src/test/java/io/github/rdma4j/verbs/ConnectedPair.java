// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.Consumer;

/** Two queue pairs of one process, connected to each other over the device's own port, each with a buffer. */
final class ConnectedPair implements AutoCloseable {
    /** 4.096 us x 2^19, 2 s: an emulated processor can stall for longer than the usual 67 ms. */
    private static final int PATIENT_TIMEOUT = 19;

    final DeviceContext device;
    final ProtectionDomain domain;
    final CompletionQueue queue;
    final CompletionQueue peerQueue;
    final MemoryRegion buffer;
    final MemoryRegion peerBuffer;
    final QueuePair pair;
    final QueuePair peer;
    final WorkCompletions completions = WorkCompletions.allocate(16);
    private final Arena arena = Arena.ofShared();

    ConnectedPair(long bufferSize) {
        this(bufferSize, config -> {});
    }

    ConnectedPair(long bufferSize, Consumer<QueuePairConfig> configuration) {
        device = TestDevice.open();
        domain = device.allocateProtectionDomain();
        queue = device.createCompletionQueue(256);
        peerQueue = device.createCompletionQueue(256);
        buffer = domain.registerMemory(allocate(bufferSize), LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        peerBuffer = domain.registerMemory(allocate(bufferSize), LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        PreparedQueuePair mine = prepare(queue, configuration);
        PreparedQueuePair theirs = prepare(peerQueue, configuration);
        pair = mine.connect(theirs.endpoint(), config -> config.timeout(PATIENT_TIMEOUT));
        peer = theirs.connect(mine.endpoint(), config -> config.timeout(PATIENT_TIMEOUT));
    }

    private MemorySegment allocate(long size) {
        return arena.allocate(size, 4096);
    }

    private PreparedQueuePair prepare(CompletionQueue completionQueue, Consumer<QueuePairConfig> configuration) {
        return domain.prepareQueuePair(QueuePairType.RC, config -> {
            config.completionQueue(completionQueue).remoteAccess(REMOTE_WRITE, REMOTE_READ);
            configuration.accept(config);
        });
    }

    /** Waits for exactly one completion of this side. */
    WorkCompletion await() {
        return await(queue);
    }

    /** Waits for exactly one completion of the other side. */
    WorkCompletion awaitPeer() {
        return await(peerQueue);
    }

    private WorkCompletion await(CompletionQueue from) {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (from.poll(completions) == 0) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("no completion within 30 s");
            }
            Thread.onSpinWait();
        }
        if (completions.size() != 1) {
            throw new AssertionError("expected one completion, got " + completions.size());
        }
        return completions.get(0);
    }

    @Override
    public void close() {
        device.close();
        arena.close();
    }
}
