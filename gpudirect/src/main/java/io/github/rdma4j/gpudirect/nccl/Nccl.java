// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.gpudirect.nccl.internal.NcclCalls;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * The NCCL library ({@code libnccl.so.2}): its availability, its version, and memory from it.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class Nccl {
    private Nccl() {}

    /** {@return whether NCCL can be used} */
    public static boolean isAvailable() {
        return unavailability().isEmpty();
    }

    /** {@return why NCCL cannot be used; empty if it can} */
    public static Optional<NcclUnavailableException> unavailability() {
        try {
            Library.current();
            return Optional.empty();
        } catch (NcclUnavailableException e) {
            return Optional.of(e);
        }
    }

    /**
     * Returns the version of the library (ncclGetVersion).
     *
     * @return such as 2.27.3
     * @throws NcclUnavailableException if NCCL cannot be used
     */
    public static NcclVersion version() {
        return Library.current().version();
    }

    /**
     * Returns the file of the library.
     *
     * @return the name or path with which it was opened
     * @throws NcclUnavailableException if NCCL cannot be used
     */
    public static String library() {
        return Library.current().calls().file();
    }

    /**
     * Returns the value of a parameter that NCCL reads from its environment variables and files
     * (ncclParamGetParameter).
     *
     * @param key such as {@code NCCL_IB_DISABLE}
     * @return the value; empty if NCCL knows no such parameter
     * @throws UnsupportedOperationException before NCCL 2.30.4
     * @throws NcclUnavailableException if NCCL cannot be used
     */
    public static Optional<String> parameter(String key) {
        Library library = Library.current();
        library.require(NcclFunction.PARAMETER);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment length = arena.allocate(ValueLayout.JAVA_INT);
            int result = library.calls()
                    .call(NcclFunction.PARAMETER, arena.allocateFrom(key).address(), value.address(), length.address());
            if (result == NcclStatus.INVALID_ARGUMENT.number()) {
                return Optional.empty();
            }
            library.check(result, "ncclParamGetParameter(%s)".formatted(key), 0);
            return Optional.of(NcclCalls.text(value.get(ValueLayout.JAVA_LONG, 0)));
        }
    }

    /**
     * Allocates device memory that is aligned and of a kind that suits registrations and windows (ncclMemAlloc).
     * Closing it waits for the work of its context, and frees it (ncclMemFree).
     *
     * @param context the primary context of its device
     * @param size in bytes, 1 or more; NCCL rounds it up internally
     * @return the memory
     * @throws UnsupportedOperationException before NCCL 2.19.1
     * @throws NcclException if there is not enough memory
     * @throws IllegalArgumentException if the context is not its device's primary one
     * @throws NcclUnavailableException if NCCL cannot be used
     */
    public static DeviceMemory allocate(CudaContext context, long size) {
        Library library = Library.current();
        library.require(NcclFunction.MEMORY_ALLOC);
        Checks.primary(context);
        if (size < 1) {
            throw new IllegalArgumentException("%d bytes: 1 or more".formatted(size));
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(ValueLayout.JAVA_LONG);
            long at = result.address();
            context.makeCurrentForCall();
            library.check(
                    library.calls().call(NcclFunction.MEMORY_ALLOC, at, size), "ncclMemAlloc(%d)".formatted(size), 0);
            long address = result.get(ValueLayout.JAVA_LONG, 0);
            try {
                return context.adopt(address, size, () -> free(library, address));
            } catch (RuntimeException | Error e) {
                Undo.after(e, context::makeCurrentForCall, () -> free(library, address));
                throw e;
            }
        }
    }

    private static void free(Library library, long address) {
        library.check(
                library.calls().call(NcclFunction.MEMORY_FREE, address), "ncclMemFree(0x%x)".formatted(address), 0);
    }
}
