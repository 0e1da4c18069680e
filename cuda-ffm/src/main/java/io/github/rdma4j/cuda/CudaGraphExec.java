// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.internal.GraphCalls;
import io.github.rdma4j.cuda.internal.Results;

/**
 * An executable graph ({@code CUgraphExec}). A launch costs the host one call, regardless of the amount of work.
 * Launches run one after the other, even in different streams.
 *
 * <p>Its operations write and wait for the same values in each launch. To launch it again, reset the words in memory
 * first.
 *
 * <p>Closing it does not wait: launched work is completed.
 *
 * <p>Thread safety: all methods may be called from any thread. {@link #launch} allocates nothing.
 *
 * @since 0.1.0
 */
public final class CudaGraphExec extends GuardedResource {
    /** The driver's executable graphs are for one thread at a time. */
    private final Object lock = new Object();

    private final GuardedResource[] resources;
    private final GraphDependency[] dependencies;

    CudaGraphExec(CudaContext context, long pointer, GraphUses uses) {
        super(context, pointer);
        resources = uses.resources();
        dependencies = uses.dependencies();
    }

    /**
     * Submits the graph to a stream (cuGraphLaunch).
     *
     * @param stream of the same context, and not being captured: {@link CudaGraph#add(CudaGraph, GraphNode...)} makes a
     *     graph a part of another
     * @throws IllegalStateException if a resource of the work is closed, a {@link GraphDependency} refuses the launch,
     *     or the stream is being captured; the capture continues then
     * @throws IllegalArgumentException if the stream is of another context
     * @throws CudaException if the driver refuses it; a later call reports errors of its work
     */
    public void launch(CudaStream stream) {
        if (stream.context().handle() != context().handle()) {
            throw new IllegalArgumentException(stream + " is of another context than " + this);
        }
        if (stream.isCaptured()) {
            // The driver would also refuse it, but invalidate the capture.
            throw new IllegalStateException(
                    ("%s is being captured, and CUDA cannot capture the launch of a graph: launch %s outside the capture, or add its graph"
                                    + " with CudaGraph.add")
                            .formatted(stream, this));
        }
        synchronized (lock) {
            enter();
            try {
                stream.enter();
                try {
                    launchWithResources(stream);
                } finally {
                    stream.exit();
                }
            } finally {
                exit();
            }
        }
    }

    /** Enters all resources of the work, so that none is closed between the check and the launch. */
    private void launchWithResources(CudaStream stream) {
        int entered = 0;
        try {
            while (entered < resources.length) {
                resources[entered].enterFor(stream);
                entered++;
            }
            launchWithDependencies(stream);
        } finally {
            while (entered > 0) {
                resources[--entered].exit();
            }
        }
    }

    private void launchWithDependencies(CudaStream stream) {
        int asked = 0;
        boolean launched = false;
        try {
            while (asked < dependencies.length) {
                dependencies[asked].beginLaunch();
                asked++;
            }
            launchNow(stream);
            launched = true;
        } finally {
            while (asked > 0) {
                dependencies[--asked].endLaunch(launched);
            }
        }
    }

    private void launchNow(CudaStream stream) {
        int result = GraphCalls.launch(pointer, stream.pointer);
        if (result != Results.SUCCESS) {
            result = retry(result, () -> GraphCalls.launch(pointer, stream.pointer));
            if (result != Results.SUCCESS) {
                throw Results.failure(result, "cuGraphLaunch()", CudaGraph.captureRemedy(result));
            }
        }
    }

    @Override
    void release() {
        Results.check(GraphCalls.destroyExecutable(pointer), "cuGraphExecDestroy()");
    }

    /** {@return its address} */
    @Override
    public String toString() {
        return "executable CUDA graph 0x%x".formatted(pointer);
    }
}
