// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.RemoteMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One of the two ends: a queue pair with its completion queue, and memory of which the first part is sent and the
 * second part receives.
 */
final class LatencyEnd {
    static final int MESSAGE_SIZE = 2;

    private static final int INCOMING = 64;
    /** 4.096 us x 2^19, 2 s: an emulated processor can stall for longer than the usual 67 ms. */
    private static final int PATIENT_TIMEOUT = 19;

    final CompletionQueue queue;
    final MemoryRegion region;
    final MemorySlice outgoing;
    final MemorySlice incoming;
    private final PreparedQueuePair prepared;
    private final MemorySegment forC = Arena.global().allocate(56, 8);
    QueuePair queuePair;
    RemoteMemory remote;

    LatencyEnd(DeviceContext device) {
        queue = device.createCompletionQueue(16);
        ProtectionDomain domain = device.allocateProtectionDomain();
        region = domain.registerMemory(
                Arena.global().allocate(4096, 4096),
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_READ);
        outgoing = region.slice(0, MESSAGE_SIZE);
        incoming = region.slice(INCOMING, MESSAGE_SIZE);
        prepared = domain.prepareQueuePair(
                QueuePairType.RC,
                config -> config.completionQueue(queue).remoteAccess(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
    }

    static void connect(LatencyEnd a, LatencyEnd b) {
        a.connect(b);
        b.connect(a);
        // One receive is posted at each end, always; a write or a read does not use it.
        if (!a.queuePair.tryPostReceive(0, a.incoming) || !b.queuePair.tryPostReceive(0, b.incoming)) {
            throw new IllegalStateException("the first receive found the queue full");
        }
    }

    private void connect(LatencyEnd peer) {
        queuePair = prepared.connect(peer.prepared.endpoint(), config -> config.timeout(PATIENT_TIMEOUT));
        remote = peer.region.remoteMemory().slice(INCOMING, MESSAGE_SIZE);
        forC.set(JAVA_LONG, 0, queuePair.handle());
        forC.set(JAVA_LONG, 8, queue.handle());
        forC.set(JAVA_LONG, 16, region.address());
        forC.set(JAVA_LONG, 24, region.address() + INCOMING);
        forC.set(JAVA_LONG, 32, remote.address());
        forC.set(JAVA_INT, 40, region.localKey());
        forC.set(JAVA_INT, 44, remote.remoteKey());
        forC.set(JAVA_INT, 48, MESSAGE_SIZE);
    }

    /** Returns the same values as the {@code struct end} of latency.c. */
    MemorySegment forC() {
        return forC;
    }
}
