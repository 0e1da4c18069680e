// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import io.github.rdma4j.verbs.bindings.ibv_port_attr;
import io.github.rdma4j.verbs.bindings.verbs_context;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The verbs that the generated bindings cannot call as they are: those that return NULL and leave the cause in errno, and the
 * inline ones of verbs.h. Everything else is called through {@link LibIbVerbs} directly.
 */
public final class VerbsCalls {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");
    private static final VarHandle CAPTURED_ERRNO =
            Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));
    /** One capture buffer per thread, because a fresh one costs more than most verbs. */
    private static final ThreadLocal<MemorySegment> CAPTURE =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

    private static final MethodHandle GET_DEVICE_LIST =
            errnoHandle(LibIbVerbs.ibv_get_device_list$address(), LibIbVerbs.ibv_get_device_list$descriptor());
    private static final MethodHandle OPEN_DEVICE =
            errnoHandle(LibIbVerbs.ibv_open_device$address(), LibIbVerbs.ibv_open_device$descriptor());
    private static final MethodHandle ALLOC_PD =
            errnoHandle(LibIbVerbs.ibv_alloc_pd$address(), LibIbVerbs.ibv_alloc_pd$descriptor());
    private static final MethodHandle REG_MR_IOVA2 =
            errnoHandle(LibIbVerbs.ibv_reg_mr_iova2$address(), LibIbVerbs.ibv_reg_mr_iova2$descriptor());
    private static final MethodHandle CREATE_CQ =
            errnoHandle(LibIbVerbs.ibv_create_cq$address(), LibIbVerbs.ibv_create_cq$descriptor());
    private static final MethodHandle CREATE_QP =
            errnoHandle(LibIbVerbs.ibv_create_qp$address(), LibIbVerbs.ibv_create_qp$descriptor());
    private static final MethodHandle QUERY_PORT = LINKER.downcallHandle(FunctionDescriptor.of(
            JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_BYTE, ValueLayout.ADDRESS, JAVA_LONG));

    private VerbsCalls() {}

    private static MethodHandle errnoHandle(MemorySegment address, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(address, descriptor, CAPTURE_ERRNO);
    }

    /** {@return the errno of this thread's last call here; meaningful only after a failure} */
    public static int lastErrno() {
        return (int) CAPTURED_ERRNO.get(CAPTURE.get(), 0L);
    }

    /**
     * ibv_get_device_list(3).
     *
     * @param count where the number of devices goes, an int
     * @return the list, or NULL
     */
    public static MemorySegment getDeviceList(MemorySegment count) {
        try {
            return (MemorySegment) GET_DEVICE_LIST.invokeExact(CAPTURE.get(), count);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * ibv_open_device(3).
     *
     * @param device from the device list
     * @return the context, or NULL
     */
    public static MemorySegment openDevice(MemorySegment device) {
        try {
            return (MemorySegment) OPEN_DEVICE.invokeExact(CAPTURE.get(), device);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * ibv_alloc_pd(3).
     *
     * @param context the device's context
     * @return the protection domain, or NULL
     */
    public static MemorySegment allocPd(MemorySegment context) {
        try {
            return (MemorySegment) ALLOC_PD.invokeExact(CAPTURE.get(), context);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * ibv_reg_mr(3). The macro of that name resolves to ibv_reg_mr_iova2 when the access flags are not a compile-time
     * constant; that function also masks the optional flags on kernels that do not know them.
     *
     * @param pd the protection domain
     * @param memory what to register
     * @param access flags of {@code enum ibv_access_flags}
     * @return the region, or NULL
     */
    public static MemorySegment regMr(MemorySegment pd, MemorySegment memory, int access) {
        try {
            return (MemorySegment)
                    REG_MR_IOVA2.invokeExact(CAPTURE.get(), pd, memory, memory.byteSize(), memory.address(), access);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * ibv_create_cq(3), without a completion channel, on completion vector 0.
     *
     * @param context the device's context
     * @param entries the least number of entries
     * @return the completion queue, or NULL
     */
    public static MemorySegment createCq(MemorySegment context, int entries) {
        try {
            return (MemorySegment)
                    CREATE_CQ.invokeExact(CAPTURE.get(), context, entries, MemorySegment.NULL, MemorySegment.NULL, 0);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * ibv_create_qp(3).
     *
     * @param pd the protection domain
     * @param attributes a {@code struct ibv_qp_init_attr}; the capabilities in it are updated to what was given
     * @return the queue pair, or NULL
     */
    public static MemorySegment createQp(MemorySegment pd, MemorySegment attributes) {
        try {
            return (MemorySegment) CREATE_QP.invokeExact(CAPTURE.get(), pd, attributes);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * ibv_query_port(3), as the inline function does it: the exported symbol of that name fills only the first part of the
     * structure, so the provider's own entry is used where the library has the extended context.
     *
     * @param context the device's context
     * @param port from 1
     * @param attributes a zeroed {@code struct ibv_port_attr}
     * @return 0 or a positive errno
     */
    public static int queryPort(MemorySegment context, int port, MemorySegment attributes) {
        MemorySegment entry = extendedEntry(context, verbs_context.query_port$offset());
        if (entry.address() == 0) {
            return LibIbVerbs.ibv_query_port(context, (byte) port, attributes);
        }
        try {
            return (int) QUERY_PORT.invokeExact(entry, context, (byte) port, attributes, ibv_port_attr.sizeof());
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * The function pointer at an offset of {@code struct verbs_context}, or NULL if this library or provider has none.
     * The structure lies in front of {@code ibv_context}, and its entries are counted from its end, so that a newer
     * library can add some: an entry exists if the structure's own size says that it reaches that far.
     */
    private static MemorySegment extendedEntry(MemorySegment context, long offset) {
        long contextOffset = verbs_context.context$offset();
        MemorySegment base =
                MemorySegment.ofAddress(context.address() - contextOffset).reinterpret(verbs_context.sizeof());
        long abiCompatible =
                base.get(JAVA_LONG, contextOffset + io.github.rdma4j.verbs.bindings.ibv_context.abi_compat$offset());
        if (abiCompatible != -1) {
            return MemorySegment.NULL;
        }
        boolean reachesThatFar = verbs_context.sz(base) >= verbs_context.sizeof() - offset;
        return reachesThatFar ? base.get(ValueLayout.ADDRESS, offset) : MemorySegment.NULL;
    }

    private static AssertionError unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        if (e instanceof RuntimeException exception) {
            throw exception;
        }
        return new AssertionError("a downcall cannot throw this", e);
    }
}
