// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.GraphCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Work that is described once and run any number of times: captured from a stream ({@link CudaStream#capture}), or
 * composed of batches of memory operations and other graphs. {@link #instantiate} creates a graph that can be launched.
 *
 * <p>A graph tracks what its work uses: memory, kernels, and the dependencies added with {@link #require}. A launch
 * after one of them is closed throws an {@link IllegalStateException}. Segments of arenas are not tracked: they must
 * stay open and unchanged.
 *
 * <p>Thread safety: {@code close()} and {@link #isOpen} may be called from any thread; the other methods are for one
 * thread at a time, as are the driver's graphs.
 *
 * @since 0.1.0
 */
public final class CudaGraph extends GuardedResource {
    private final GraphUses uses;

    CudaGraph(CudaContext context, long pointer, GraphUses uses) {
        super(context, pointer);
        this.uses = uses;
    }

    static CudaGraph create(CudaContext context) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment graph = arena.allocate(ValueLayout.JAVA_LONG);
            Results.check(GraphCalls.create(graph, 0), "cuGraphCreate()");
            return new CudaGraph(context, graph.get(ValueLayout.JAVA_LONG, 0), new GraphUses());
        }
    }

    /**
     * Adds a batch of memory operations (cuGraphAddBatchMemOpNode). You may change the batch after this method returns.
     *
     * @param operations the batch
     * @param after nodes of this graph that must be complete before
     * @return the new node
     * @throws IllegalArgumentException if a node is of another graph
     * @throws IllegalStateException if the batch has no operations, or its memory is closed
     * @throws UnsupportedCudaCallException if the driver is older than CUDA 11.7, or the device does not support it
     */
    public GraphNode add(MemoryOperations operations, GraphNode... after) {
        operations.enter(this);
        try {
            enter();
            try (Arena arena = Arena.ofConfined()) {
                context().bind();
                MemorySegment batch = CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st.allocate(arena);
                CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st.ctx(
                        batch, MemorySegment.ofAddress(context().handle()));
                CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st.count(batch, operations.count());
                CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st.paramArray(batch, MemorySegment.ofAddress(operations.address()));
                MemorySegment node = arena.allocate(ValueLayout.JAVA_LONG);
                MemorySegment before = nodes(arena, after);
                operations.require(
                        GraphCalls.addBatch(node, pointer, before, after.length, batch),
                        "cuGraphAddBatchMemOpNode(count=%d, dependencies=%d)"
                                .formatted(operations.count(), after.length));
                operations.addTo(uses);
                return new GraphNode(this, node.get(ValueLayout.JAVA_LONG, 0));
            } finally {
                exit();
            }
        } finally {
            operations.exit();
        }
    }

    /**
     * Adds another graph as one node, in its current state (cuGraphAddChildGraphNode).
     *
     * @param child a graph of the same context
     * @param after nodes of this graph that must be complete before
     * @return the new node
     * @throws IllegalArgumentException if the graph is this one or of another context, or a node is of another graph
     */
    public GraphNode add(CudaGraph child, GraphNode... after) {
        if (child == this || child.context().handle() != context().handle()) {
            throw new IllegalArgumentException(
                    child + " cannot be added to " + this + ": it must be another graph of the same context");
        }
        child.enter();
        try {
            enter();
            try (Arena arena = Arena.ofConfined()) {
                context().bind();
                MemorySegment node = arena.allocate(ValueLayout.JAVA_LONG);
                MemorySegment before = nodes(arena, after);
                Results.check(
                        GraphCalls.addChild(node, pointer, before, after.length, child.pointer),
                        "cuGraphAddChildGraphNode(dependencies=%d)".formatted(after.length));
                uses.addAll(child.uses);
                return new GraphNode(this, node.get(ValueLayout.JAVA_LONG, 0));
            } finally {
                exit();
            }
        } finally {
            child.exit();
        }
    }

    private MemorySegment nodes(Arena arena, GraphNode... after) {
        MemorySegment array = arena.allocate(ValueLayout.JAVA_LONG, Math.max(1, after.length));
        for (int i = 0; i < after.length; i++) {
            if (after[i].graph() != this) {
                throw new IllegalArgumentException(after[i] + " is not of " + this);
            }
            array.setAtIndex(ValueLayout.JAVA_LONG, i, after[i].pointer());
        }
        return array;
    }

    /**
     * Adds something that this graph's work needs. {@link CudaStream#captureDependency} adds dependencies of captured
     * work.
     *
     * @param dependency called at each launch, as often as it was added
     */
    public void require(GraphDependency dependency) {
        requireOpen();
        uses.add(dependency);
    }

    /**
     * Creates an executable graph of the current contents (cuGraphInstantiateWithFlags). It does not need this graph
     * any more.
     *
     * @return the executable graph
     * @throws OutOfDeviceMemoryException if the device does not have enough memory
     * @throws CudaException if the driver refuses it
     */
    public CudaGraphExec instantiate() {
        return context().create(() -> {
            enter();
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment executable = arena.allocate(ValueLayout.JAVA_LONG);
                Results.check(GraphCalls.instantiate(executable, pointer, 0), "cuGraphInstantiateWithFlags(flags=0)");
                return new CudaGraphExec(context(), executable.get(ValueLayout.JAVA_LONG, 0), uses);
            } finally {
                exit();
            }
        });
    }

    @Override
    void release() {
        Results.check(GraphCalls.destroy(pointer), "cuGraphDestroy()");
    }

    /** {@return its address} */
    @Override
    public String toString() {
        return "CUDA graph 0x%x".formatted(pointer);
    }

    /** Returns why a capture failed, if its result shows that. */
    static String captureRemedy(int result) {
        if (result == CudaHeaders.CUDA_ERROR_STREAM_CAPTURE_INVALIDATED()
                || result == CudaHeaders.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED()) {
            return "a call was made that the capture forbids: see CaptureMode."
                    + " Allocate, copy synchronously and query results before or after it, or use another mode";
        }
        if (result == CudaHeaders.CUDA_ERROR_STREAM_CAPTURE_UNJOINED()) {
            return "another stream was also captured, because it waited for an event:"
                    + " the first stream must wait for an event after the last work of the other one";
        }
        return "";
    }
}
