// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.gpu.Gpu;
import io.github.rdma4j.perftest.memory.RunBuffer;
import io.github.rdma4j.perftest.options.ConnectionType;
import io.github.rdma4j.perftest.options.GpuMemoryType;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.options.Verb;
import io.github.rdma4j.perftest.plan.Depth;
import io.github.rdma4j.perftest.plan.Shape;
import io.github.rdma4j.perftest.plan.Slots;
import io.github.rdma4j.perftest.result.GpuInfo;
import io.github.rdma4j.perftest.stream.Lane;
import io.github.rdma4j.perftest.stream.Passage;
import io.github.rdma4j.perftest.stream.RunQueuePair;
import io.github.rdma4j.perftest.wire.PeerKeys;
import io.github.rdma4j.perftest.wire.SystemData;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SharedReceiveQueue;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.Mtu;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * One side's verbs objects: protection domain, queues, queue pairs, and the buffer. The buffer has 2n parts: the n
 * queue pairs send from the first n, and the peer writes to the second n.
 */
public final class RunResources implements AutoCloseable {
    /** A part starts at a page. If the peer uses larger pages, the parts are as large as these. */
    private final SystemData layout;

    /** The destination queue pair number of a datagram to a group: all attached queue pairs receive it. */
    private static final int MULTICAST_NUMBER = 0xffffff;

    private final RunDevice device;
    private final RunParameters parameters;
    private final Shape shape;
    private final RunDomain outer;
    private final ProtectionDomain domain;
    private RunQueues queues;
    private RunQueuePairs queuePairs;
    private MessageMemory memory;
    /** Null where the adapter reaches the messages. */
    private StagingArea staging;

    private long partSize;
    private List<PeerKeys> peer = List.of();
    /** Null where the transport lets a message wait for a receive. */
    private ReceiveCredits credits;

    /**
     * Creates all resources, with queue pairs that are not yet connected.
     *
     * @param device opened
     * @param parameters what kind of queue pairs and memory
     * @param shape sizes and numbers
     * @param layout page and cache line of this machine
     */
    public RunResources(RunDevice device, RunParameters parameters, Shape shape, SystemData layout) {
        this.device = device;
        this.parameters = parameters;
        this.shape = shape;
        this.layout = layout;
        this.outer = new RunDomain(device.context(), parameters.queues().lockFree());
        this.domain = outer.used();
        try {
            queues = new RunQueues(device, parameters, shape, domain);
            queuePairs = new RunQueuePairs(device, parameters, shape, domain, queues);
            registerBuffer(layout.cycleBytes());
            if (device.isIwarp() && IwarpLimits.countsReceives(parameters)) {
                credits = new ReceiveCredits(this, domain, shape.queuePairs(), parameters.receiveDepthAsked());
            }
        } catch (RuntimeException | Error failure) {
            try {
                close();
            } catch (RuntimeException inClose) {
                failure.addSuppressed(inClose);
            }
            throw failure;
        }
    }

    private void registerBuffer(int cycleBytes) {
        partSize = Math.max(shape.room(layout.cacheLineBytes()), cycleBytes);
        long bytes = 2 * shape.queuePairs() * partSize;
        if (onGpu()) {
            GpuMessageMemory onGpu =
                    new GpuMessageMemory(device.gpu(), domain, bytes, RunQueuePairs.memoryAccess(device, parameters));
            memory = onGpu;
            if (onGpu.isStaged() && writesAreUnsolicited()) {
                throw new IllegalParameterException("--unsolicited_write: the GPU's memory is staged here, and a staged"
                        + " message needs a receive; choose another --gpu-path, or leave it out on both sides");
            }
            staging = onGpu.isStaged() ? new StagingArea(onGpu, domain, shape.streams()) : null;
        } else {
            memory = new HostMessageMemory(
                    hostBuffer(bytes, cycleBytes),
                    domain,
                    parameters.memory().regionPerQueuePair() ? 2 * partSize : bytes,
                    parameters.memory().nullRegion(),
                    RunQueuePairs.memoryAccess(device, parameters));
        }
        byte[] payload = parameters.memory().payload();
        if (payload != null || parameters.tool() != Tool.WRITE_LATENCY) {
            memory.fill(payload);
        }
    }

    /** Returns whether the CPU cannot access the buffer. It can access memory that is paged on demand. */
    private boolean onGpu() {
        return device.gpu() != null && !parameters.memory().onDemand();
    }

    private RunBuffer hostBuffer(long bytes, int alignment) {
        return device.gpu() != null && parameters.gpu().type() == GpuMemoryType.MANAGED
                ? device.gpu().managedBuffer(bytes)
                : RunBuffer.of(parameters.memory(), bytes, alignment);
    }

    /** The GPU's part; null without one. */
    public GpuInfo gpu() {
        if (device.gpu() == null) {
            return null;
        }
        return memory instanceof GpuMessageMemory onGpu ? onGpu.info() : onDemand(device.gpu());
    }

    /** Describes memory that the adapter and the GPU page in on demand. */
    private static GpuInfo onDemand(Gpu gpu) {
        return new GpuInfo(
                gpu.name(), gpu.options().type().words(), "odp", "pages are where they were used last", List.of());
    }

    /**
     * Allocates the additional memory of the largest messages, so that a lack of memory is detected before the peer is
     * contacted.
     */
    public void reserve() {
        if (staging == null || parameters.tool().isLatency()) {
            return;
        }
        Depth depth = Depth.of(parameters);
        Slots places = Slots.of(shape.size(), layout);
        long length = SendStreams.length(this, shape.size());
        boolean carriesData =
                parameters.tool().verb() == Verb.WRITE || parameters.tool().verb() == Verb.SEND;
        for (int i = 0; i < shape.streams(); i++) {
            if (parameters.sends() && carriesData) {
                outgoing(i, shape.size(), places, depth);
            } else if (parameters.sends()) {
                incoming(i, shape.size(), places, depth);
            }
            if (shape.receiveDepth() > 0 && !messagesAreWritten()) {
                staging.buffers(
                        i,
                        receiveOffset(i),
                        length,
                        Slots.of(length, layout),
                        SendStreams.share(this, shape.receiveDepth()),
                        parameters.queues().receiveList());
            }
        }
    }

    /** Makes the parts of the buffer as large as the agreed page size requires. */
    public void useLayout(SystemData agreed) {
        if (agreed.cycleBytes() > layout.cycleBytes()) {
            closeBuffer();
            registerBuffer(agreed.cycleBytes());
        }
    }

    /** Returns the keys that the peer needs, one for each queue pair. */
    public List<PeerKeys> keys() {
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
                    credits == null ? memory.remoteKey(receivePart(i)) : credits.remoteKey(),
                    credits == null ? memory.remoteAddress(receivePart(i)) : credits.address(i),
                    group != null ? group : own,
                    sharedNumber));
        }
        return keys;
    }

    /** Lets rdma_cm connect the queue pairs. */
    public void connect(CmConnections connections) {
        queuePairs.connect(connections, this);
    }

    /** Connects each queue pair with its counterpart at the peer, unless rdma_cm has done so. */
    public void connect(List<PeerKeys> theirs, Mtu mtu) {
        queuePairs.connect(theirs, mtu);
        peer = List.copyOf(theirs);
        if (credits != null) {
            credits.connect(peer);
        }
    }

    /** Connects the queue pairs with each other, for a warm-up. */
    public void connectWithItself(Mtu mtu) {
        List<PeerKeys> keys = keys();
        queuePairs.connect(shape.peerOf(0) == 0 ? keys.reversed() : keys, mtu);
        peer = keys;
    }

    /** Offset of what stream i sends. */
    public long sendOffset(int i) {
        return parameters.memory().regionPerQueuePair() ? 2 * i * partSize : i * partSize;
    }

    /** Returns the offset of the memory that the peer writes or sends to for stream i. */
    public long receiveOffset(int i) {
        return receivePart(shape.receiver(i));
    }

    private long receivePart(int queuePair) {
        // With a region each, a queue pair's two parts lie side by side.
        return parameters.memory().regionPerQueuePair()
                ? (2 * queuePair + 1) * partSize
                : (shape.queuePairs() + queuePair) * partSize;
    }

    /** Returns the part of the buffer that this program accesses: see {@link MessageMemory#contents()}. */
    public MemorySegment buffer() {
        return memory.contents();
    }

    /** Makes everything written to {@link #buffer()} visible to the adapter before it returns. */
    public void publish() {
        memory.publish();
    }

    /** Makes everything received visible in {@link #buffer()} before it returns. */
    public void absorb() {
        boolean written =
                parameters.tool().verb() == Verb.WRITE || parameters.tool().verb() == Verb.ATOMIC;
        long[] parts = new long[written && receivesWrites() ? 2 * shape.streams() : 0];
        for (int i = 0; i < parts.length; i += 2) {
            parts[i] = receiveOffset(i / 2);
            parts[i + 1] = partSize;
        }
        memory.absorb(parts);
    }

    private boolean receivesWrites() {
        return parameters.isPingPong() || parameters.workload().bidirectional() || !parameters.sends();
    }

    /**
     * Returns the pinned memory through which messages pass if the adapter cannot access the buffer; otherwise null.
     */
    StagingArea staging() {
        return staging;
    }

    /** Returns the longest message of a send, in bytes, as the port has it. */
    long longestMessage() {
        return device.port().maxMessageSize();
    }

    /** Returns whether the peer writes the messages that complete receives, to memory of its choice. */
    public boolean messagesAreWritten() {
        return parameters.workload().withImmediate();
    }

    /** Returns whether messages that the peer writes complete without a receive. */
    boolean writesAreUnsolicited() {
        return parameters.workload().unsolicited();
    }

    /** Returns whether messages that are sent have immediate data. */
    public boolean sendsImmediate() {
        return parameters.workload().sendsImmediate();
    }

    /** The buffer. */
    public MessageMemory memory() {
        return memory;
    }

    public MemorySlice slice(long offset, long length) {
        return memory.slice(offset, length);
    }

    /** Returns how many messages of a size can be in flight, at most as many as requested. */
    public Depth depth(Depth wanted, long size, SystemData layout) {
        return staging == null ? wanted : staging.depth(wanted, Slots.of(size, layout));
    }

    /**
     * The messages of a size that a stream sends.
     *
     * @param depth how many of them are in flight
     */
    public Lane outgoing(int stream, long size, Slots places, Depth depth) {
        long offset = sendOffset(stream);
        return staging == null ? lane(offset, size, places) : staging.outgoing(stream, offset, size, places, depth);
    }

    /** Returns the lane of messages that are answers to requests of this side. */
    public Lane incoming(int stream, long size, Slots places, Depth depth) {
        long offset = sendOffset(stream);
        return staging == null ? lane(offset, size, places) : staging.incoming(stream, offset, size, places, depth);
    }

    /** Returns the passage of a single message of a stream before it is sent. */
    public Passage outgoing(int stream, long size) {
        return staging == null ? Passage.NONE : staging.outgoing(sendOffset(stream), size);
    }

    /** Returns the passage of a single message that was received at an offset. */
    public Passage incoming(long offset, long size) {
        return staging == null ? Passage.NONE : staging.incoming(offset, size);
    }

    private Lane lane(long offset, long size, Slots places) {
        MemorySlice[] slices = new MemorySlice[places.count()];
        for (int i = 0; i < slices.length; i++) {
            slices[i] = slice(offset + i * places.step(), size);
        }
        return new Lane(slices, Passage.NONE);
    }

    /**
     * Returns the peer's part for stream i, as far as this side may use it; after {@link #connectWithItself} its own
     * part.
     */
    public RemoteMemory remote(int i) {
        PeerKeys keys = peer.get(shape.receiver(i));
        return new RemoteMemory(keys.address(), partSize, keys.remoteKey());
    }

    /** Returns the queue pair through which stream i sends. */
    public RunQueuePair sender(int i) {
        return queuePairs.usable(i);
    }

    /** Returns the queue pair through which stream i receives. */
    RunQueuePair receiver(int i) {
        return queuePairs.usable(shape.receiver(i));
    }

    /** Returns a queue pair of verbs; SRD has none. */
    public QueuePair queuePair(int i) {
        return queuePairs.get(i);
    }

    /** Returns the domain of all objects. */
    ProtectionDomain domain() {
        return domain;
    }

    /** Returns the completion queues and the other shared queues. */
    public RunQueues queues() {
        return queues;
    }

    /** Returns the completion queue of sends, writes and reads. */
    public CompletionQueue completionQueue() {
        return queues.sends();
    }

    /** Returns the limit on sends; null if there is none. */
    public ReceiveCredits credits() {
        return credits;
    }

    /** Numbers and sizes. */
    public Shape shape() {
        return shape;
    }

    /** Returns the largest size in bytes of a message that can be sent inline. */
    public int inlineSize() {
        return queuePairs.inlineSize();
    }

    @Override
    public void close() {
        // Also closes queue pairs and regions; the completion queues are children of the device.
        outer.close();
        if (queues != null) {
            queues.close();
        }
        closeBuffer();
    }

    private void closeBuffer() {
        if (staging != null) {
            staging.close();
            staging = null;
        }
        if (memory != null) {
            memory.close();
            memory = null;
        }
    }
}
