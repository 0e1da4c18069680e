// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;

/**
 * Memory that a communicator knows, so that NCCL need not copy it through buffers of its own (ncclCommRegister). It is
 * closed with the memory and with the communicator.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class NcclRegistration implements AutoCloseable {
    private final NcclCommunicator communicator;
    private final DeviceSlice slice;
    private final long handle;
    private final PartLife life = new PartLife();

    NcclRegistration(NcclCommunicator communicator, DeviceSlice slice, long handle) {
        this.communicator = communicator;
        this.slice = slice;
        this.handle = handle;
    }

    /** {@return what is registered} */
    public DeviceSlice slice() {
        return slice;
    }

    /**
     * Takes it back (ncclCommDeregister); a second time does nothing. No work may use the memory any more.
     *
     * @throws NcclException if NCCL refuses; it counts as taken back
     * @throws CudaCloseTimeoutException if another thread is inside a call of the communicator for longer than
     *     {@link NcclConfig#timeout}; it is open as before, and so is its memory
     */
    @Override
    public void close() {
        life.close(
                () -> communicator.giveBack(
                        "ncclCommDeregister()",
                        at -> communicator.connection().library.calls().pair(NcclFunction.COMM_DEREGISTER, at, handle)),
                () -> communicator.forget(this, slice.memory()));
    }

    /** {@return memory and communicator} */
    @Override
    public String toString() {
        return slice + ", registered with " + communicator;
    }
}
