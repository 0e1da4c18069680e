// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;

/**
 * Memory that is registered with a communicator, so that NCCL need not copy it through its own buffers
 * (ncclCommRegister). Closing the memory or the communicator also closes it.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class NcclRegistration implements AutoCloseable {
    private final NcclCommunicator communicator;
    private final DeviceSlice slice;
    private final long handle;
    private final PartState life = new PartState();

    NcclRegistration(NcclCommunicator communicator, DeviceSlice slice, long handle) {
        this.communicator = communicator;
        this.slice = slice;
        this.handle = handle;
    }

    /** {@return the registered memory} */
    public DeviceSlice slice() {
        return slice;
    }

    /**
     * Deregisters it (ncclCommDeregister); a second call does nothing. No work may use the memory any more.
     *
     * @throws NcclException if NCCL refuses; it counts as deregistered
     * @throws CudaCloseTimeoutException if another thread is inside a call of the communicator for longer than
     *     {@link NcclConfig#timeout}. The registration and its memory stay open
     */
    @Override
    public void close() {
        life.close(
                () -> communicator.giveBack(
                        "ncclCommDeregister()",
                        at -> communicator.connection().library.calls().pair(NcclFunction.COMM_DEREGISTER, at, handle)),
                () -> communicator.forget(this, slice.memory()));
    }

    /** {@return the memory and the communicator} */
    @Override
    public String toString() {
        return slice + ", registered with " + communicator;
    }
}
