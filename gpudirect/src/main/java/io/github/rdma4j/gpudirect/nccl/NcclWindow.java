// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Memory of each rank that all have registered together, so that one can write into another's
 * (ncclCommWindowRegister). It is closed with the memory and with the communicator.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class NcclWindow implements AutoCloseable {
    private final NcclCommunicator communicator;
    private final DeviceSlice slice;
    private final MemorySegment slot;
    private final PartLife life = new PartLife();

    NcclWindow(NcclCommunicator communicator, DeviceSlice slice, MemorySegment slot) {
        this.communicator = communicator;
        this.slice = slice;
        this.slot = slot;
    }

    /** {@return this rank's part} */
    public DeviceSlice slice() {
        return slice;
    }

    NcclCommunicator communicator() {
        return communicator;
    }

    /** Zero until all ranks have come. */
    long handle() {
        long handle = slot.get(ValueLayout.JAVA_LONG, 0);
        boolean closed = life.isClosed();
        if (closed || handle == 0) {
            throw new IllegalStateException(
                    this + (closed ? " is closed" : " is not there yet: its group has not ended, or await it"));
        }
        return handle;
    }

    /**
     * Takes it back (ncclCommWindowDeregister); a second time does nothing. No work may use it any more, on any rank.
     *
     * @throws NcclException if NCCL refuses; it counts as taken back
     * @throws CudaCloseTimeoutException if another thread is inside a call of the communicator for longer than
     *     {@link NcclConfig#timeout}; it is open as before, and so is its memory
     */
    @Override
    public void close() {
        life.close(
                () -> communicator.giveBack("ncclCommWindowDeregister()", this::deregister),
                () -> communicator.forget(this, slice.memory()));
    }

    /** Only now, when what is under way is over, the handle is there: it may have come meanwhile. */
    private int deregister(long at) {
        long handle = slot.get(ValueLayout.JAVA_LONG, 0);
        return handle == 0
                ? NcclStatus.SUCCESS.number()
                : communicator.connection().library.calls().pair(NcclFunction.COMM_WINDOW_DEREGISTER, at, handle);
    }

    /** {@return memory and communicator} */
    @Override
    public String toString() {
        return slice + ", window of " + communicator;
    }
}
