// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import java.util.function.Consumer;

/** Two connected queue pairs on completion queues of the test. They are closed with the device. */
final class LoopbackPair {
    /** 4.096 us x 2^19, 2 s: an emulated processor can stall for longer than the usual 67 ms. */
    private static final int PATIENT_TIMEOUT = 19;

    final MemoryRegion buffer;
    final QueuePair pair;
    final QueuePair peer;

    LoopbackPair(ProtectionDomain domain, CompletionQueue queue, CompletionQueue peerQueue) {
        this(domain, queue, peerQueue, config -> {}, config -> {});
    }

    LoopbackPair(
            ProtectionDomain domain,
            CompletionQueue queue,
            CompletionQueue peerQueue,
            Consumer<QueuePairConfig> peerConfiguration) {
        this(domain, queue, peerQueue, config -> {}, peerConfiguration);
    }

    LoopbackPair(
            ProtectionDomain domain,
            CompletionQueue queue,
            CompletionQueue peerQueue,
            Consumer<QueuePairConfig> configuration,
            Consumer<QueuePairConfig> peerConfiguration) {
        buffer = domain.allocateMemory(8192, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        PreparedQueuePair mine = domain.prepareQueuePair(
                QueuePairType.RC, config -> configuration.accept(config.completionQueue(queue)));
        PreparedQueuePair theirs = domain.prepareQueuePair(QueuePairType.RC, config -> {
            config.completionQueue(peerQueue).remoteAccess(REMOTE_WRITE, REMOTE_READ);
            peerConfiguration.accept(config);
        });
        pair = mine.connect(theirs.endpoint(), config -> config.timeout(PATIENT_TIMEOUT));
        peer = theirs.connect(mine.endpoint(), config -> config.timeout(PATIENT_TIMEOUT));
    }

    /** Posts a receive at the peer. */
    void receive(long workRequestId) {
        require(peer.tryPostReceive(workRequestId, buffer.slice(4096, 64)));
    }

    /** Sends eight bytes to the peer. */
    void send(long workRequestId, int flags) {
        require(pair.tryPostSend(workRequestId, buffer.slice(0, 8), flags));
    }

    private static void require(boolean posted) {
        if (!posted) {
            throw new AssertionError("posting: the queue is full");
        }
    }
}
