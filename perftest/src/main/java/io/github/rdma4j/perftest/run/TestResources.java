// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.options.IllegalParameterException;
import io.github.rdma4j.perftest.options.TestParameters;
import io.github.rdma4j.perftest.wire.PeerKeys;
import io.github.rdma4j.perftest.wire.SystemData;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.Gid;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.Mtu;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * One side's verbs objects: protection domain, completion queue, queue pairs, and the buffer. Of the buffer's 2n parts
 * the first n are what the n queue pairs send, the second n what the peer writes into.
 */
final class TestResources implements AutoCloseable {
    /** A part starts at a page: where the peer wants to go through a larger one, parts are as large as that. */
    private final SystemData layout;

    private final TestDevice device;
    private final TestParameters parameters;
    private final Shape shape;
    private final ProtectionDomain domain;
    private final CompletionQueue completionQueue;
    private final List<PreparedQueuePair> prepared = new ArrayList<>();
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final int inlineSize;
    private Arena arena;
    private MemoryRegion region;
    private long partSize;

    /**
     * Makes all of it, the queue pairs not yet connected.
     *
     * @param device opened
     * @param parameters what kind of queue pairs and memory
     * @param shape sizes and numbers
     * @param layout page and cache line of this machine
     */
    TestResources(TestDevice device, TestParameters parameters, Shape shape, SystemData layout) {
        this.device = device;
        this.parameters = parameters;
        this.shape = shape;
        this.layout = layout;
        this.domain = device.context().allocateProtectionDomain();
        try {
            this.completionQueue = device.context().createCompletionQueue(shape.transmitDepth() * shape.queuePairs());
            this.inlineSize = prepareAll();
            registerBuffer(layout.cycleBytes());
        } catch (RuntimeException | Error failure) {
            close();
            throw failure;
        }
    }

    /** Creates the queue pairs; returns the inline size that was granted. */
    private int prepareAll() {
        int wanted = device.inlineSize();
        try {
            prepared.add(prepare(wanted));
        } catch (VerbsException failure) {
            if (wanted == 0) {
                throw failure;
            }
            if (parameters.queues().inlineSize() > 0) {
                throw new IllegalParameterException("-I/--inline_size: " + wanted + " is too large for "
                        + device.deviceName() + " (" + failure.getMessage() + ")");
            }
            wanted = 0;
            prepared.add(prepare(0));
        }
        while (prepared.size() < shape.queuePairs()) {
            prepared.add(prepare(wanted));
        }
        return wanted;
    }

    private PreparedQueuePair prepare(int inline) {
        return domain.prepareQueuePair(QueuePairType.RC, config -> {
            config.completionQueue(completionQueue)
                    .maxSendWorkRequests(shape.transmitDepth())
                    .maxReceiveWorkRequests(1)
                    .maxInlineData(inline)
                    .port(parameters.path().devicePort())
                    .remoteAccess(remoteAccess());
            if (device.gid() != null) {
                config.gidIndex(device.gid().index());
            }
        });
    }

    private void registerBuffer(int cycleBytes) {
        partSize = Math.max(shape.size(), cycleBytes);
        arena = Arena.ofShared();
        MemorySegment buffer = arena.allocate(2 * shape.queuePairs() * partSize, cycleBytes);
        if (!parameters.tool().isLatency()) {
            fillWithNoise(buffer);
        }
        region = domain.registerMemory(buffer, access());
    }

    private AccessFlag[] access() {
        List<AccessFlag> flags = new ArrayList<>(List.of(AccessFlag.LOCAL_WRITE));
        flags.addAll(List.of(remoteAccess()));
        if (parameters.relaxedOrdering()) {
            flags.add(AccessFlag.RELAXED_ORDERING);
        }
        return flags.toArray(AccessFlag[]::new);
    }

    /** What the peer may do with the memory: no more than the verb needs. */
    private AccessFlag[] remoteAccess() {
        return switch (parameters.tool().verb()) {
            case WRITE, SEND -> new AccessFlag[] {AccessFlag.REMOTE_WRITE};
            case READ -> new AccessFlag[] {AccessFlag.REMOTE_READ};
            case ATOMIC -> new AccessFlag[] {AccessFlag.REMOTE_ATOMIC};
        };
    }

    /** Not zeros, which a memory controller or a compressing link could treat better than data. */
    private static void fillWithNoise(MemorySegment buffer) {
        byte[] page = new byte[(int) Math.min(buffer.byteSize(), 4096)];
        RandomGenerator.getDefault().nextBytes(page);
        MemorySegment noise = MemorySegment.ofArray(page);
        for (long at = 0; at < buffer.byteSize(); at += page.length) {
            long length = Math.min(page.length, buffer.byteSize() - at);
            MemorySegment.copy(noise, 0, buffer, at, length);
        }
    }

    /** Makes the parts of the buffer as large as the agreed page size asks for. */
    void useLayout(SystemData agreed) {
        if (agreed.cycleBytes() > layout.cycleBytes()) {
            region.close();
            arena.close();
            registerBuffer(agreed.cycleBytes());
        }
    }

    /** What the peer must know of each queue pair. */
    List<PeerKeys> keys() {
        List<PeerKeys> keys = new ArrayList<>();
        for (int i = 0; i < prepared.size(); i++) {
            QueuePairEndpoint endpoint = prepared.get(i).endpoint();
            keys.add(new PeerKeys(
                    endpoint.lid(),
                    1,
                    endpoint.queuePairNumber(),
                    endpoint.packetSequenceNumber(),
                    region.remoteKey(),
                    region.address() + receiveOffset(i),
                    device.gid() == null ? null : device.gid().gid()));
        }
        return keys;
    }

    /** Connects each queue pair with the peer's of the same number. */
    void connect(List<PeerKeys> theirs, Mtu mtu) {
        for (int i = 0; i < prepared.size(); i++) {
            PeerKeys keys = theirs.get(i);
            QueuePairEndpoint endpoint = new QueuePairEndpoint(
                    keys.queuePairNumber(),
                    keys.packetSequenceNumber(),
                    keys.lid(),
                    keys.gid() == null ? Gid.ZERO : keys.gid(),
                    mtu);
            queuePairs.add(prepared.get(i)
                    .connect(
                            endpoint,
                            config -> config.pathMtu(mtu)
                                    .timeout(parameters.path().queuePairTimeout())
                                    .retryCount(7)
                                    .rnrRetry(7)
                                    .minRnrTimer(12)
                                    .serviceLevel(parameters.path().serviceLevel())
                                    .hopLimit(255)
                                    .maxReadAtomic(1)
                                    .maxDestinationReadAtomic(1)));
        }
    }

    /** Offset of what queue pair i sends. */
    long sendOffset(int i) {
        return i * partSize;
    }

    /** Offset of what is written by the peer of queue pair i. */
    long receiveOffset(int i) {
        return (shape.queuePairs() + i) * partSize;
    }

    MemorySegment buffer() {
        return region.segment();
    }

    MemorySlice slice(long offset, long length) {
        return region.slice(offset, length);
    }

    /** The peer's part for queue pair i, as far as this side may write into it. */
    RemoteMemory remote(PeerKeys keys) {
        return new RemoteMemory(keys.address(), partSize, keys.remoteKey());
    }

    QueuePair queuePair(int i) {
        return queuePairs.get(i);
    }

    CompletionQueue completionQueue() {
        return completionQueue;
    }

    /** Messages up to so many bytes can be sent inline. */
    int inlineSize() {
        return inlineSize;
    }

    @Override
    public void close() {
        // Takes queue pairs and regions with it; the completion queue is the device's child.
        domain.close();
        if (completionQueue != null) {
            completionQueue.close();
        }
        if (arena != null) {
            arena.close();
            arena = null;
        }
    }
}
