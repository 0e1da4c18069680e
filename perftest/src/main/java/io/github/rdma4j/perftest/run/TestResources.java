// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.memory.TestBuffer;
import io.github.rdma4j.perftest.options.ConnectionType;
import io.github.rdma4j.perftest.options.TestParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.wire.PeerKeys;
import io.github.rdma4j.perftest.wire.SystemData;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.Gid;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.Mtu;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SharedReceiveQueue;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * One side's verbs objects: protection domain, queues, queue pairs, and the buffer. Of the buffer's 2n parts the first n are what
 * the n queue pairs send, the second n what the peer writes into.
 */
final class TestResources implements AutoCloseable {
    /** A part starts at a page: where the peer wants to go through a larger one, parts are as large as that. */
    private final SystemData layout;

    /** To which queue pair a datagram to a group goes: to all that are attached. */
    private static final int MULTICAST_NUMBER = 0xffffff;

    private final TestDevice device;
    private final TestParameters parameters;
    private final Shape shape;
    private final ProtectionDomain domain;
    private TestQueues queues;
    private TestQueuePairs queuePairs;
    private TestBuffer memory;
    private final List<MemoryRegion> regions = new ArrayList<>();
    private long partsPerRegion;
    private long partSize;
    private List<PeerKeys> peer = List.of();

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
            queues = new TestQueues(device, parameters, shape, domain);
            queuePairs = new TestQueuePairs(device, parameters, shape, domain, queues);
            registerBuffer(layout.cycleBytes());
        } catch (RuntimeException | Error failure) {
            close();
            throw failure;
        }
    }

    private void registerBuffer(int cycleBytes) {
        partSize = Math.max(shape.room(layout.cacheLineBytes()), cycleBytes);
        memory = TestBuffer.of(parameters.memory(), 2 * shape.queuePairs() * partSize, cycleBytes);
        byte[] payload = parameters.memory().payload();
        if (payload != null || parameters.tool() != Tool.WRITE_LATENCY) {
            memory.fill(payload);
        }
        long regionSize = parameters.memory().regionPerQueuePair()
                ? 2 * partSize
                : memory.segment().byteSize();
        partsPerRegion = regionSize / partSize;
        regions.clear();
        for (long at = 0; at < memory.segment().byteSize(); at += regionSize) {
            regions.add(domain.registerMemory(memory.segment().asSlice(at, regionSize), access()));
        }
    }

    private AccessFlag[] access() {
        List<AccessFlag> flags = new ArrayList<>(List.of(AccessFlag.LOCAL_WRITE));
        flags.addAll(List.of(TestQueuePairs.remoteAccess(parameters)));
        if (parameters.relaxedOrdering()) {
            flags.add(AccessFlag.RELAXED_ORDERING);
        }
        if (parameters.memory().onDemand()) {
            flags.add(AccessFlag.ON_DEMAND);
        }
        return flags.toArray(AccessFlag[]::new);
    }

    /** Makes the parts of the buffer as large as the agreed page size asks for. */
    void useLayout(SystemData agreed) {
        if (agreed.cycleBytes() > layout.cycleBytes()) {
            regions.forEach(MemoryRegion::close);
            memory.close();
            registerBuffer(agreed.cycleBytes());
        }
    }

    /** What the peer must know of each queue pair. */
    List<PeerKeys> keys() {
        SharedReceiveQueue shared = queues.sharedReceiveQueue();
        int sharedNumber = shape.connection() == ConnectionType.XRC ? shared.number() : 0;
        List<PeerKeys> keys = new ArrayList<>();
        for (int i = 0; i < shape.queuePairs(); i++) {
            QueuePairEndpoint endpoint = queuePairs.endpoint(i);
            Gid own = device.gid() == null ? null : device.gid().gid();
            Gid group = shape.multicastGroup();
            keys.add(new PeerKeys(
                    endpoint.lid(),
                    device.outstandingReads(),
                    group != null ? MULTICAST_NUMBER : endpoint.queuePairNumber(),
                    endpoint.packetSequenceNumber(),
                    regionOf(receivePart(i)).remoteKey(),
                    memory.segment().address() + receivePart(i),
                    group != null ? group : own,
                    sharedNumber));
        }
        return keys;
    }

    /** Lets rdma_cm connect the queue pairs. */
    void connect(CmConnections connections) {
        queuePairs.connect(connections, this);
    }

    /** Connects each queue pair with its counterpart at the peer, unless rdma_cm has done so. */
    void connect(List<PeerKeys> theirs, Mtu mtu) {
        queuePairs.connect(theirs, mtu);
        peer = List.copyOf(theirs);
    }

    /** Connects the queue pairs with each other, for a warm-up. */
    void connectWithItself(Mtu mtu) {
        List<PeerKeys> keys = keys();
        queuePairs.connect(shape.peerOf(0) == 0 ? keys.reversed() : keys, mtu);
        peer = keys;
    }

    /** Offset of what stream i sends. */
    long sendOffset(int i) {
        return parameters.memory().regionPerQueuePair() ? 2 * i * partSize : i * partSize;
    }

    /** Offset of what the peer writes or sends to stream i. */
    long receiveOffset(int i) {
        return receivePart(shape.receiver(i));
    }

    private long receivePart(int queuePair) {
        // With a region each, a queue pair's two parts lie side by side.
        return parameters.memory().regionPerQueuePair()
                ? (2 * queuePair + 1) * partSize
                : (shape.queuePairs() + queuePair) * partSize;
    }

    private MemoryRegion regionOf(long offset) {
        return regions.get((int) (offset / partSize / partsPerRegion));
    }

    MemorySegment buffer() {
        return memory.segment();
    }

    MemorySlice slice(long offset, long length) {
        return regionOf(offset).slice(offset % (partsPerRegion * partSize), length);
    }

    /** The peer's part for stream i, as far as this side may use it; after {@link #connectWithItself} its own one. */
    RemoteMemory remote(int i) {
        PeerKeys keys = peer.get(shape.receiver(i));
        return new RemoteMemory(keys.address(), partSize, keys.remoteKey());
    }

    /** The peer's shared receive queue to which stream i sends; for XRC. */
    int remoteSharedReceiveQueue(int i) {
        return peer.get(shape.receiver(i)).sharedReceiveQueueNumber();
    }

    /** The same where the connection may be another one: -1 then. */
    int sharedReceiveQueueOf(int i) {
        return shape.connection() == ConnectionType.XRC ? remoteSharedReceiveQueue(i) : -1;
    }

    /** The queue pair through which stream i sends. */
    QueuePair queuePair(int i) {
        return queuePairs.get(i);
    }

    /** The queue pair through which stream i receives. */
    QueuePair receivingQueuePair(int i) {
        return queuePairs.get(shape.receiver(i));
    }

    /** Where the datagrams of stream i go; null for other connections. */
    Destination destination(int i) {
        return queuePairs.destination(i);
    }

    /** What all of it belongs to. */
    ProtectionDomain domain() {
        return domain;
    }

    /** Completion queues and what else the queue pairs share. */
    TestQueues queues() {
        return queues;
    }

    /** Where sends, writes and reads complete. */
    CompletionQueue completionQueue() {
        return queues.sends();
    }

    /** Numbers and sizes. */
    Shape shape() {
        return shape;
    }

    /** Messages up to so many bytes can be sent inline. */
    int inlineSize() {
        return queuePairs.inlineSize();
    }

    @Override
    public void close() {
        // Takes queue pairs and regions with it; the completion queues are the device's children.
        domain.close();
        if (queues != null) {
            queues.close();
        }
        if (memory != null) {
            memory.close();
            memory = null;
        }
    }
}
