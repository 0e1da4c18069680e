// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaGraph;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.GraphDependency;
import io.github.rdma4j.cuda.GraphNode;
import io.github.rdma4j.cuda.MemoryOperations;
import io.github.rdma4j.cuda.WaitCondition;

/**
 * A transfer of a {@link StreamChannel} that streams start and wait for, any number of times; like a persistent request
 * of MPI. It is prepared once, and freed with its channel.
 *
 * <p>A round is a start and, if the stream needs it, a wait. A start waits for the previous round. Memory that is being
 * written must not change until the round has ended. Only one stream at a time may run rounds of a transfer; several
 * streams can alternate, ordered by events.
 *
 * <p>Both can be captured into a graph ({@link CudaStream#capture}), or added to one ({@link #addStart},
 * {@link #addWait}). The graph can be launched while the channel is open and has not failed; otherwise the launch
 * throws an {@link IllegalStateException}.
 *
 * <p>Thread safety: all methods may be called from any thread. Neither starting nor waiting allocates.
 *
 * @since 0.1.0
 */
public final class OrderedTransfer {
    private static final int START_OPERATIONS = 4;
    private static final int WAIT_OPERATIONS = 2;

    private final StreamChannel channel;
    private final int slot;
    /** Null for host memory, and for an arrival without a region. */
    private final DeviceRegion region;

    private final long offset;
    private final long length;
    private final boolean arrival;
    private final MemoryOperations start;
    private final MemoryOperations wait;
    private final GraphDependency startInGraph;
    private final GraphDependency waitInGraph;

    OrderedTransfer(StreamChannel channel, int slot, DeviceRegion region, long offset, long length, boolean arrival) {
        this.channel = channel;
        this.slot = slot;
        this.region = region;
        this.offset = offset;
        this.length = length;
        this.arrival = arrival;
        startInGraph = channel.startInGraph();
        waitInGraph = channel.waitInGraph();
        StreamWords words = channel.words();
        start = MemoryOperations.on(channel.gpu().context().device(), START_OPERATIONS)
                .waitForValue(words.memory(), words.wordOffset(slot), OrderedProtocol.READY, WaitCondition.AND)
                .waitForValue(words.memory(), words.doorbellOffset(), OrderedProtocol.FREE, WaitCondition.EQUAL)
                .writeValue(words.memory(), words.wordOffset(slot), OrderedProtocol.REQUESTED)
                .writeValue(words.memory(), words.doorbellOffset(), slot + 1);
        wait = MemoryOperations.on(channel.gpu().context().device(), WAIT_OPERATIONS)
                .waitForValue(words.memory(), words.wordOffset(slot), OrderedProtocol.READY, WaitCondition.AND);
        if (arrival && channel.flushesInStreams()) {
            wait.flushRemoteWrites();
        }
    }

    /**
     * Makes a stream start a round when its earlier work is complete. The stream continues at once, unless the previous
     * round has not ended. On the staged path, the bytes are first copied to the mirror.
     *
     * @param stream of the channel's context
     * @throws IllegalArgumentException if it is of another context
     * @throws IllegalStateException if the channel is closed or has failed
     * @throws io.github.rdma4j.cuda.CudaException if the driver refuses it
     */
    public void enqueueStart(CudaStream stream) {
        requireOurs(stream);
        if (stream.isCaptured()) {
            channel.requireUsable();
            submitStart(stream);
            stream.captureDependency(startInGraph);
            return;
        }
        channel.beginStart();
        boolean queued = false;
        try {
            submitStart(stream);
            queued = true;
        } finally {
            channel.endStart(queued);
        }
    }

    private void submitStart(CudaStream stream) {
        if (isStaged() && !arrival) {
            // The adapter may still read the mirror for the previous round.
            stream.submit(wait);
            region.publish(offset, length, stream);
        }
        stream.submit(start);
    }

    /**
     * Blocks a stream until the last round that was started is done: the peer has the bytes, or the bytes have arrived
     * and later work of the stream can read them. The stream also continues if the channel fails: see
     * {@link StreamChannel}. On the staged path, the bytes that arrived are copied from the mirror.
     *
     * @param stream of the channel's context
     * @throws IllegalArgumentException if it is of another context
     * @throws IllegalStateException if the channel is closed or has failed
     * @throws io.github.rdma4j.cuda.CudaException if the driver refuses it
     */
    public void enqueueWait(CudaStream stream) {
        requireOurs(stream);
        channel.requireUsable();
        stream.submit(wait);
        if (isStaged() && arrival) {
            region.absorb(offset, length, stream);
        }
        stream.captureDependency(waitInGraph);
    }

    /**
     * Adds a start to a graph, as a node of memory operations.
     *
     * @param graph of the channel's context
     * @param after nodes that must be complete before
     * @return the node
     * @throws IllegalStateException if the channel is closed or has failed, or the memory is staged: capture it instead
     */
    public GraphNode addStart(CudaGraph graph, GraphNode... after) {
        requireNotStaged();
        channel.requireUsable();
        GraphNode node = graph.add(start, after);
        graph.require(startInGraph);
        return node;
    }

    /**
     * Adds a wait to a graph, as a node of memory operations.
     *
     * @param graph of the channel's context
     * @param after nodes that must be complete before
     * @return the node
     * @throws IllegalStateException if the channel is closed or has failed, or the memory is staged: capture it instead
     */
    public GraphNode addWait(CudaGraph graph, GraphNode... after) {
        requireNotStaged();
        channel.requireUsable();
        GraphNode node = graph.add(wait, after);
        graph.require(waitInGraph);
        return node;
    }

    private boolean isStaged() {
        return region != null && !region.path().isDirect();
    }

    private void requireNotStaged() {
        if (isStaged()) {
            throw new IllegalStateException(this + " copies to or from a mirror: capture it, with CudaStream.capture");
        }
    }

    private void requireOurs(CudaStream stream) {
        if (stream.context().handle() != channel.gpu().context().handle()) {
            throw new IllegalArgumentException(stream + " is of another CUDA context than " + channel);
        }
    }

    /** {@return how many rounds have succeeded} */
    public long completed() {
        return channel.protocol().completed(slot);
    }

    /** {@return the operation and the channel} */
    @Override
    public String toString() {
        return "%s of %s".formatted(channel.describe(slot), channel);
    }
}
