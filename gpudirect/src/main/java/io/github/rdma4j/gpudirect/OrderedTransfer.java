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
 * A transfer of a {@link StreamChannel} that streams start and wait for, as often as they like; like a persistent
 * request of MPI. It is prepared once, and goes with its channel.
 *
 * <p>A round is a start and, if the stream needs it, a wait. A start waits for the round before: memory that is written
 * must not change until that is done. Rounds of one transfer are for one stream at a time; several streams take turns
 * by events.
 *
 * <p>Both can be captured into a graph ({@link CudaStream#capture}), or added to one ({@link #addStart},
 * {@link #addWait}). The graph can be launched while the channel is open and has not failed; else the launch is an
 * {@link IllegalStateException}.
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
    /** Null if what is transferred lies elsewhere. */
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
     * Has a stream start a round when it has done what it was given before; the stream goes on at once, unless the
     * round before is still under way. On the staged path the bytes are copied to the mirror first.
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
            // The adapter may still read the mirror for the round before.
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
     * @param after nodes that are done before
     * @return the node
     * @throws IllegalStateException if the channel is closed or has failed, or the memory is staged: capture it then
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
     * @param after nodes that are done before
     * @return the node
     * @throws IllegalStateException if the channel is closed or has failed, or the memory is staged: capture it then
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

    /** {@return how many rounds have come through} */
    public long completed() {
        return channel.protocol().completed(slot);
    }

    /** {@return what it does, and of which channel} */
    @Override
    public String toString() {
        return "%s of %s".formatted(channel.describe(slot), channel);
    }
}
