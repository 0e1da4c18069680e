// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The first verbs of every program that the generated bindings cannot call as they are: those that return NULL and leave the
 * cause in errno. What the bindings can call is called through {@link LibIbVerbs} directly.
 */
public final class VerbsCalls {
    private static final MethodHandle GET_DEVICE_LIST = NativeCalls.errnoHandle(
            LibIbVerbs.ibv_get_device_list$address(), LibIbVerbs.ibv_get_device_list$descriptor());
    private static final MethodHandle OPEN_DEVICE =
            NativeCalls.errnoHandle(LibIbVerbs.ibv_open_device$address(), LibIbVerbs.ibv_open_device$descriptor());
    private static final MethodHandle ALLOC_PD =
            NativeCalls.errnoHandle(LibIbVerbs.ibv_alloc_pd$address(), LibIbVerbs.ibv_alloc_pd$descriptor());
    private static final MethodHandle CREATE_QP =
            NativeCalls.errnoHandle(LibIbVerbs.ibv_create_qp$address(), LibIbVerbs.ibv_create_qp$descriptor());

    private VerbsCalls() {}

    /**
     * ibv_get_device_list(3).
     *
     * @param count where the number of devices goes, an int
     * @return the list, or NULL
     */
    public static MemorySegment getDeviceList(MemorySegment count) {
        try {
            return (MemorySegment) GET_DEVICE_LIST.invokeExact(NativeCalls.capture(), count);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
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
            return (MemorySegment) OPEN_DEVICE.invokeExact(NativeCalls.capture(), device);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
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
            return (MemorySegment) ALLOC_PD.invokeExact(NativeCalls.capture(), context);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
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
            return (MemorySegment) CREATE_QP.invokeExact(NativeCalls.capture(), pd, attributes);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }
}
