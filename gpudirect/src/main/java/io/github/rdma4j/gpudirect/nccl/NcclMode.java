// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

/**
 * How the methods of a communicator wait for NCCL. None waits for the work itself; it runs in streams.
 *
 * @since 0.1.0
 */
public enum NcclMode {
    /**
     * NCCL does not block. A method returns when NCCL has put its work into the stream, or throws an
     * {@link NcclTimeoutException} after {@link NcclConfig#timeout}. NCCL starts a thread for each call.
     */
    BOUNDED,
    /**
     * NCCL blocks inside its calls without a timeout, which is NCCL's own default. Missing ranks block the thread until
     * {@link NcclCommunicator#abort()}. A virtual thread also blocks its carrier, so use platform threads. The fastest
     * mode for small operations, and the only one of NCCL before 2.14.
     */
    BLOCKING,
    /**
     * NCCL does not block, and a method returns at once. {@link NcclCommunicator#await} must be called before you rely
     * on the stream: the work may not be in it yet. The next operation automatically awaits the previous one.
     */
    NON_BLOCKING
}
