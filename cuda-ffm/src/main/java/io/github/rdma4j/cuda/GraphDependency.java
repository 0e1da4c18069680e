// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * A dependency of a graph other than memory and kernels, such as a thread that answers a word which a stream writes,
 * for instance. It is asked at each launch of a {@link CudaGraphExec}, and may refuse it; so a graph that has outlived
 * what it needs is an exception, not a stream that waits for ever.
 *
 * @since 0.1.0
 */
public interface GraphDependency {
    /**
     * A launch begins.
     *
     * @throws IllegalStateException if the work could not be done any more; the graph is not launched then
     */
    void beginLaunch();

    /**
     * The launch is over, to which {@link #beginLaunch} has agreed.
     *
     * @param launched whether the driver has taken it: the work will be done once more
     */
    void endLaunch(boolean launched);
}
