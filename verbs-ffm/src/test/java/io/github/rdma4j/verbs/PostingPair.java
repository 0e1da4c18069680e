// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.MW_BIND;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.github.rdma4j.verbs.device.GidEntry;
import java.time.Duration;
import java.util.function.Consumer;

/** Two queue pairs of any type that can reach each other, with buffers that allow everything. */
final class PostingPair implements AutoCloseable {
    static final int MAX_INLINE = 64;
    static final int MAX_ENTRIES = 3;
    private static final int PATIENT_TIMEOUT = 19;

    final DeviceContext device = TestDevice.open();
    final ProtectionDomain domain = device.allocateProtectionDomain();
    /**
     * For all that a test posts before it polls. A send queue that is not full is no bound: SoftRoCE frees a place in
     * it when the request completes, and not when the completion is polled.
     */
    final CompletionQueue queue = device.createCompletionQueue(1024);

    final CompletionQueue peerQueue = device.createCompletionQueue(1024);
    final WorkCompletions completions = WorkCompletions.allocate(16);
    final MemoryRegion buffer;
    final MemoryRegion peerBuffer;
    final QueuePair pair;
    final QueuePair peer;
    /** Of a datagram queue pair: the way to the peer. */
    final Destination toPeer;

    private final QueuePairType type;

    PostingPair(QueuePairType type, SendOperation... operations) {
        this(
                type,
                config -> config.sendOperations(operations),
                LOCAL_WRITE,
                REMOTE_WRITE,
                REMOTE_READ,
                REMOTE_ATOMIC,
                MW_BIND);
    }

    PostingPair(QueuePairType type, Consumer<QueuePairConfig> configuration, AccessFlag... access) {
        this.type = type;
        buffer = domain.allocateMemory(8192, access);
        peerBuffer = domain.allocateMemory(8192, access);
        PreparedQueuePair mine = prepare(queue, configuration);
        PreparedQueuePair theirs = prepare(peerQueue, configuration);
        if (type == QueuePairType.UD) {
            pair = mine.activate();
            peer = theirs.activate();
            GidEntry gid = device.selectGid(1);
            AddressHandle handle = domain.createAddressHandle(AddressHandleAttributes.toGid(1, gid.index(), gid.gid()));
            toPeer = Destination.of(handle, peer.number(), 0x11111111);
        } else {
            pair = mine.connect(theirs.endpoint(), config -> config.timeout(PATIENT_TIMEOUT));
            peer = theirs.connect(mine.endpoint(), config -> config.timeout(PATIENT_TIMEOUT));
            toPeer = null;
        }
    }

    private PreparedQueuePair prepare(CompletionQueue completionQueue, Consumer<QueuePairConfig> configuration) {
        return domain.prepareQueuePair(type, config -> {
            config.completionQueue(completionQueue)
                    .maxInlineData(MAX_INLINE)
                    .maxSendScatterGather(MAX_ENTRIES)
                    .maxReceiveScatterGather(MAX_ENTRIES);
            if (type != QueuePairType.UD) {
                config.remoteAccess(REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC);
            }
            configuration.accept(config);
        });
    }

    /** A batch whose datagrams go to the peer. */
    SendBatch startBatch() {
        SendBatch batch = pair.startBatch();
        return toPeer == null ? batch : batch.to(toPeer);
    }

    /** Where the data of a message starts in the room that it was received into. */
    int headerLength() {
        return type == QueuePairType.UD ? WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES : 0;
    }

    WorkCompletion await() {
        return await(queue);
    }

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
    }
}
