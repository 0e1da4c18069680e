// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

/** The kernel's scheduling calls. Each returns 0, or the errno of its failure. */
interface Scheduler {
    /**
     * Binds a thread to CPUs.
     *
     * @param thread the kernel's number of it; 0 for the calling one
     */
    int bindThread(int thread, CpuList cpus);

    /** Has the calling thread take memory from one node only, and so every thread that it starts from then on. */
    int bindMemory(int node);

    /** Has the calling thread take memory near the CPU it runs on: the kernel's default. */
    int unbindMemory();
}
