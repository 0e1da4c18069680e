// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * A dependency of a graph other than memory and kernels, such as a thread that answers a word which a stream writes.
 * Each launch of a {@link CudaGraphExec} calls it, and it may refuse the launch. So a graph that has outlived its
 * dependency throws an exception, and no stream waits forever.
 *
 * @since 0.1.0
 */
public interface GraphDependency {
    /**
     * Called before a launch.
     *
     * @throws IllegalStateException if the work could not complete; the graph is not launched then
     */
    void beginLaunch();

    /**
     * Called after a launch that {@link #beginLaunch} has permitted.
     *
     * @param launched whether the driver has accepted the launch, so that the work will run once more
     */
    void endLaunch(boolean launched);
}
