// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Memory of each rank that all ranks have registered together, so that each can write to the others' memory
 * (ncclCommWindowRegister). Closing the memory or the communicator also closes it.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class NcclWindow implements AutoCloseable {
    private final NcclCommunicator communicator;
    private final DeviceSlice slice;
    private final MemorySegment slot;
    private final PartState life = new PartState();

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

    /** Zero until all ranks have registered their part. */
    long handle() {
        long handle = slot.get(ValueLayout.JAVA_LONG, 0);
        boolean closed = life.isClosed();
        if (closed || handle == 0) {
            throw new IllegalStateException(
                    this + (closed ? " is closed" : " does not exist yet: end its group, or call await()"));
        }
        return handle;
    }

    /**
     * Deregisters it (ncclCommWindowDeregister); a second call does nothing. No work may use it any more, on any rank.
     *
     * @throws NcclException if NCCL refuses; it counts as deregistered
     * @throws CudaCloseTimeoutException if another thread is inside a call of the communicator for longer than
     *     {@link NcclConfig#timeout}. The window and its memory stay open
     */
    @Override
    public void close() {
        life.close(
                () -> communicator.giveBack("ncclCommWindowDeregister()", this::deregister),
                () -> communicator.forget(this, slice.memory()));
    }

    /** Reads the handle after pending calls have finished, because NCCL may write it until then. */
    private int deregister(long at) {
        long handle = slot.get(ValueLayout.JAVA_LONG, 0);
        return handle == 0
                ? NcclStatus.SUCCESS.number()
                : communicator.connection().library.calls().pair(NcclFunction.COMM_WINDOW_DEREGISTER, at, handle);
    }

    /** {@return the memory and the communicator} */
    @Override
    public String toString() {
        return slice + ", window of " + communicator;
    }
}
