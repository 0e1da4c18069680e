// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * A node of a {@link CudaGraph}, after which other nodes can run. It is freed with its graph.
 *
 * @since 0.1.0
 */
public final class GraphNode {
    private final CudaGraph graph;
    private final long pointer;

    GraphNode(CudaGraph graph, long pointer) {
        this.graph = graph;
        this.pointer = pointer;
    }

    CudaGraph graph() {
        return graph;
    }

    long pointer() {
        return pointer;
    }

    /** {@return its address and its graph} */
    @Override
    public String toString() {
        return "node 0x%x of %s".formatted(pointer, graph);
    }
}
