// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.verbs_context;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The basis of all native calls: creates their method handles, wraps them if {@link NativeTrace} is on, and finds the
 * entries of {@code struct verbs_context}, through which verbs.h makes its inline calls. All functions of the libraries
 * are called by pointers, the exported ones by {@link ExportedFunction} and {@link LaterVerbs}.
 */
public final class NativeCalls {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");
    private static final long CAPTURED_ERRNO =
            Linker.Option.captureStateLayout().byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    /** One capture buffer per thread, because a fresh one costs more than most verbs. */
    private static final ThreadLocal<MemorySegment> CAPTURE =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

    private NativeCalls() {}

    /**
     * Creates a handle of a function of the C library. Its first argument is {@link #capture()}.
     *
     * @param name the name of the function
     * @param descriptor the signature of the function
     * @return the handle
     */
    static MethodHandle systemHandle(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, CAPTURE_ERRNO);
    }

    /** Creates a handle of a function of the C library; empty if it has no such function. */
    static Optional<MethodHandle> optionalSystemHandle(String name, FunctionDescriptor descriptor) {
        return LINKER.defaultLookup()
                .find(name)
                .map(address -> LINKER.downcallHandle(address, descriptor, CAPTURE_ERRNO));
    }

    /**
     * Creates a handle of a function of the C library that does not capture errno, which would need a second native
     * call each time. For callers that can repeat a call after a failure.
     *
     * @param name of the function
     * @param descriptor of the function
     * @return the handle, without {@link #capture()}; empty if the C library has no such function
     */
    static Optional<MethodHandle> optionalPlainSystemHandle(String name, FunctionDescriptor descriptor) {
        return LINKER.defaultLookup().find(name).map(address -> LINKER.downcallHandle(address, descriptor));
    }

    /**
     * Creates a handle of a function pointer that reports the cause of a failure in errno: the first argument is the
     * pointer, the second {@link #capture()}.
     *
     * @param descriptor of the function
     * @return the handle
     */
    static MethodHandle errnoHandle(FunctionDescriptor descriptor) {
        MethodHandle handle = LINKER.downcallHandle(descriptor, CAPTURE_ERRNO);
        return NativeTrace.ON ? NativeTrace.traced(handle, true) : handle;
    }

    /**
     * Creates a handle of a function pointer that does not use errno: the first argument is the pointer.
     *
     * @param descriptor of the function
     * @return the handle
     */
    static MethodHandle handle(FunctionDescriptor descriptor) {
        MethodHandle handle = LINKER.downcallHandle(descriptor);
        return NativeTrace.ON ? NativeTrace.traced(handle, false) : handle;
    }

    /**
     * Creates a handle of a pointer to a function that neither blocks nor takes long: the thread keeps its state, and
     * no safepoint is reached while the call runs.
     *
     * @param descriptor of the function
     * @return the handle
     */
    static MethodHandle criticalHandle(FunctionDescriptor descriptor) {
        MethodHandle handle = LINKER.downcallHandle(descriptor, Linker.Option.critical(false));
        return NativeTrace.ON ? NativeTrace.traced(handle, false) : handle;
    }

    /** {@return the memory in which the calls of this thread store errno} */
    public static MemorySegment capture() {
        return CAPTURE.get();
    }

    /** {@return the errno of this thread's last call that captured it; valid only after a failure} */
    public static int lastErrno() {
        return CAPTURE.get().get(ValueLayout.JAVA_INT, CAPTURED_ERRNO);
    }

    /**
     * Returns the function pointer at an offset of {@code struct verbs_context}, or NULL if this library or provider
     * has none. The structure ends at {@code ibv_context}, and its entries are counted from its end, so that newer
     * libraries can add entries at its start. An entry exists if the structure's size includes it.
     *
     * @param context the {@code struct ibv_context}
     * @param offset the offset of the entry, such as {@code verbs_context.query_port$offset()}
     * @return the function pointer; NULL means EOPNOTSUPP
     */
    public static MemorySegment extendedEntry(MemorySegment context, long offset) {
        long contextOffset = verbs_context.context$offset();
        MemorySegment base =
                MemorySegment.ofAddress(context.address() - contextOffset).reinterpret(verbs_context.sizeof());
        long abiCompatible = base.get(ValueLayout.JAVA_LONG, contextOffset + ibv_context.abi_compat$offset());
        if (abiCompatible != -1) {
            return MemorySegment.NULL;
        }
        boolean reachesThatFar = verbs_context.sz(base) >= verbs_context.sizeof() - offset;
        return reachesThatFar ? NativeMemory.pointer(base, offset) : MemorySegment.NULL;
    }

    /**
     * Converts an exception of a downcall, which declares Throwable.
     *
     * @param e the exception
     * @return the error to throw; errors and runtime exceptions are thrown directly
     */
    public static AssertionError unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        if (e instanceof RuntimeException exception) {
            throw exception;
        }
        return new AssertionError("a downcall cannot throw this", e);
    }
}
