// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.gpudirect.internal.TimeText;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.gpudirect.nccl.bindings.NcclHeaders;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongToIntFunction;

/**
 * What belongs to a communicator, and goes with it: sums with a factor, registered memory, windows, and what is written
 * into them.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public abstract sealed class NcclParts extends NcclTransfers permits NcclCommunicator {
    private final Set<AutoCloseable> parts = new LinkedHashSet<>();

    NcclParts() {}

    /**
     * A sum of elements multiplied before (ncclRedOpCreatePreMulSum).
     *
     * @param type of the elements
     * @param factor of this rank; rounded to the type
     * @return for this communicator, to be closed
     * @throws UnsupportedOperationException before NCCL 2.11.4
     * @throws NcclException if NCCL refuses
     */
    public NcclScaledSum createScaledSum(NcclDataType type, double factor) {
        try (Arena arena = Arena.ofConfined()) {
            return scaledSum(type, Scalars.store(arena, type, factor).address(), NcclHeaders.ncclScalarHostImmediate());
        }
    }

    /**
     * A sum of elements multiplied before, by a factor in device memory that is read when the work is done
     * (ncclRedOpCreatePreMulSum).
     *
     * @param type of the elements
     * @param factor one element, which must stay until work with it is done
     * @return for this communicator, to be closed
     * @throws UnsupportedOperationException before NCCL 2.11.4
     * @throws NcclException if NCCL refuses
     */
    public NcclScaledSum createScaledSum(NcclDataType type, DeviceSlice factor) {
        Checks.elements(self(), "factor", factor, type);
        Checks.length("factor", factor, type.size(), "one element");
        return scaledSum(type, factor.address(), NcclHeaders.ncclScalarDevice());
    }

    private NcclScaledSum scaledSum(NcclDataType type, long scalar, int residence) {
        Connection connection = connection();
        connection.library.require(NcclFunction.OPERATOR_CREATE_PRE_MUL_SUM);
        type.requireKnown(connection.library);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment code = arena.allocate(ValueLayout.JAVA_INT);
            inside(
                    () -> "ncclRedOpCreatePreMulSum(%s)".formatted(type),
                    handle -> connection
                            .library
                            .calls()
                            .call(
                                    NcclFunction.OPERATOR_CREATE_PRE_MUL_SUM,
                                    code.address(),
                                    scalar,
                                    type.code(),
                                    residence,
                                    handle));
            NcclScaledSum sum = new NcclScaledSum(self(), type, code.get(ValueLayout.JAVA_INT, 0));
            add(sum);
            return sum;
        }
    }

    /**
     * Registers memory with NCCL that will be sent and received often (ncclCommRegister).
     *
     * @param slice of the communicator's device, of {@link Nccl#allocate} at best
     * @return to be closed, at the latest with memory or communicator
     * @throws UnsupportedOperationException before NCCL 2.19.1
     * @throws NcclException if NCCL refuses
     */
    public NcclRegistration register(DeviceSlice slice) {
        Connection connection = connection();
        connection.library.require(NcclFunction.COMM_REGISTER);
        Checks.elements(self(), "memory", slice, NcclDataType.UINT8);
        Held held = Held.enter(slice.memory());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(ValueLayout.JAVA_LONG);
            inside(
                    () -> "ncclCommRegister(0x%x, %d)".formatted(slice.address(), slice.length()),
                    at -> connection
                            .library
                            .calls()
                            .call(NcclFunction.COMM_REGISTER, at, slice.address(), slice.length(), handle.address()));
            NcclRegistration made = new NcclRegistration(self(), slice, handle.get(ValueLayout.JAVA_LONG, 0));
            keep(slice.memory(), made);
            return made;
        } finally {
            held.exit();
        }
    }

    private void keep(DeviceMemory memory, AutoCloseable made) {
        add(made);
        memory.addDependent(made);
    }

    /**
     * Registers a part of each rank's memory together, so that others can write there (ncclCommWindowRegister). All
     * ranks call it; one thread for several ranks does so in a group.
     *
     * @param slice of {@link Nccl#allocate}, its address a multiple of 4096
     * @param symmetric whether all ranks give the same offset in memory of the same size, which quicker ways need
     *     ({@code NCCL_WIN_COLL_SYMMETRIC})
     * @return this rank's, to be closed
     * @throws UnsupportedOperationException before NCCL 2.27.3
     * @throws NcclException if NCCL refuses
     */
    public NcclWindow registerWindow(DeviceSlice slice, boolean symmetric) {
        Connection connection = connection();
        connection.library.require(NcclFunction.COMM_WINDOW_REGISTER);
        Checks.elements(self(), "memory", slice, NcclDataType.UINT8);
        if (slice.address() % NcclHeaders.NCCL_WIN_REQUIRED_ALIGNMENT() != 0) {
            throw new IllegalArgumentException("%s: its address 0x%x is no multiple of %d"
                    .formatted(slice, slice.address(), NcclHeaders.NCCL_WIN_REQUIRED_ALIGNMENT()));
        }
        int flags = symmetric ? NcclHeaders.NCCL_WIN_COLL_SYMMETRIC() : NcclHeaders.NCCL_WIN_DEFAULT();
        MemorySegment slot = connection.arena().allocate(ValueLayout.JAVA_LONG);
        NcclWindow made = new NcclWindow(self(), slice, slot);
        long address = slice.address();
        NcclGroup.submit(new Step(
                connection,
                () -> "ncclCommWindowRegister(0x%x, %d)".formatted(address, slice.length()),
                () -> connection
                        .library
                        .calls()
                        .call(
                                NcclFunction.COMM_WINDOW_REGISTER,
                                connection.handle(),
                                address,
                                slice.length(),
                                slot.address(),
                                flags),
                List.of(slice.memory()),
                () -> keep(slice.memory(), made),
                Step.NOTHING));
        return made;
    }

    /**
     * Writes into another rank's window and signals it (ncclPutSignal).
     *
     * @param from the elements
     * @param type of the elements
     * @param peer whose part of the window
     * @param window of this communicator
     * @param offset in bytes in the peer's part
     * @param stream of the communicator's context
     * @throws UnsupportedOperationException before NCCL 2.29.2
     * @throws NcclException if NCCL refuses
     */
    public void put(DeviceSlice from, NcclDataType type, int peer, NcclWindow window, long offset, CudaStream stream) {
        OneSided.put(self(), from, type, peer, window, offset, stream);
    }

    /**
     * Signals another rank (ncclSignal).
     *
     * @param peer which
     * @param stream of the communicator's context
     * @throws UnsupportedOperationException before NCCL 2.29.2
     * @throws NcclException if NCCL refuses
     */
    public void signal(int peer, CudaStream stream) {
        OneSided.signal(self(), peer, stream);
    }

    /**
     * Has a stream wait for signals of another rank (ncclWaitSignal); what was put before them is there then.
     *
     * @param peer whose
     * @param signals how many, 1 or more
     * @param stream of the communicator's context
     * @throws UnsupportedOperationException before NCCL 2.29.2
     * @throws NcclException if NCCL refuses
     */
    public void waitSignal(int peer, int signals, CudaStream stream) {
        OneSided.waitSignal(self(), peer, signals, stream);
    }

    /** A call that is over when it returns, and not part of a group. */
    final void inside(Step.Call words, LongToIntFunction call) {
        Connection connection = connection();
        connection.requireOpen();
        connection.lock();
        try {
            connection.settle(words, connection.timeout);
            connection.context.makeCurrentForCall();
            long handle = connection.handle();
            connection.library.check(call.applyAsInt(handle), words, handle);
        } finally {
            connection.unlock();
        }
    }

    /** Forgets a part of memory, and so does the memory. */
    final void forget(AutoCloseable part, DeviceMemory memory) {
        memory.removeDependent(part);
        forget(part);
    }

    /**
     * Gives a part back to NCCL, unless the communicator is gone, and the part with it. Also when it is not known how
     * the last call ends: nobody asks a second time.
     *
     * @throws CudaCloseTimeoutException if another thread is inside a call for too long; NCCL was not called
     */
    final void giveBack(String words, LongToIntFunction call) {
        Connection connection = connection();
        if (connection.isAborted() || !connection.isOpen()) {
            return;
        }
        if (!connection.tryLock(connection.timeout)) {
            throw new CudaCloseTimeoutException(
                    "%s: another thread is inside a call of %s for longer than %s. Remedy: wait for the other ranks, or"
                                    .formatted(words, this, TimeText.of(connection.timeout))
                            + " abort() the communicator; close it again");
        }
        try {
            NcclException first = null;
            try {
                connection.settle(() -> words, connection.timeout);
            } catch (NcclException e) {
                first = e;
            }
            if (!connection.isOpen()) {
                // It was ended meanwhile.
                return;
            }
            if (first != null) {
                Undo.after(first, () -> giveBack(connection, words, call));
                throw first;
            }
            giveBack(connection, words, call);
        } finally {
            connection.unlock();
        }
    }

    private static void giveBack(Connection connection, String words, LongToIntFunction call) {
        connection.context.makeCurrentForCall();
        long handle = connection.handle();
        connection.library.check(call.applyAsInt(handle), words, handle);
    }

    final void forget(AutoCloseable part) {
        synchronized (parts) {
            parts.remove(part);
        }
    }

    private void add(AutoCloseable part) {
        synchronized (parts) {
            parts.add(part);
        }
    }

    /** What is open, the youngest first. */
    final List<AutoCloseable> parts() {
        synchronized (parts) {
            return new ArrayList<>(parts).reversed();
        }
    }
}
