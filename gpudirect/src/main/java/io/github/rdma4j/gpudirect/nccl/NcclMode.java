// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

/**
 * How the methods of a communicator wait for NCCL. None of them waits for the work itself: streams do that.
 *
 * @since 0.1.0
 */
public enum NcclMode {
    /**
     * NCCL does not block; a method returns when NCCL has put its work into the stream, or with a
     * {@link NcclTimeoutException} when {@link NcclConfig#timeout} is over. NCCL starts a thread for each call.
     */
    BOUNDED,
    /**
     * NCCL blocks inside its call, without a limit, as its own default: other ranks that do not come hold the thread
     * until {@link NcclCommunicator#abort()}, and a virtual thread its carrier: use platform threads. The quickest for
     * small operations, and what NCCL before 2.14 has alone.
     */
    BLOCKING,
    /**
     * NCCL does not block, and a method returns at once. {@link NcclCommunicator#await} must be called before you rely
     * on the stream: the work may not be in it yet. The next operation automatically awaits the previous one.
     */
    NON_BLOCKING
}
