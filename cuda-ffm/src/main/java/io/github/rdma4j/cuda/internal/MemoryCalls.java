// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.bindings.PFN_cuMemAllocAsync_v11020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemAllocManaged_v6000;
import io.github.rdma4j.cuda.bindings.PFN_cuMemAlloc_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemFreeAsync_v11020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemFreeHost_v2000;
import io.github.rdma4j.cuda.bindings.PFN_cuMemFree_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemGetAddressRange_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemGetHandleForAddressRange_v11070;
import io.github.rdma4j.cuda.bindings.PFN_cuMemGetInfo_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemHostAlloc_v2020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemHostGetDevicePointer_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemHostRegister_v6050;
import io.github.rdma4j.cuda.bindings.PFN_cuMemHostUnregister_v4000;
import io.github.rdma4j.cuda.bindings.PFN_cuPointerGetAttribute_v4000;
import io.github.rdma4j.cuda.bindings.PFN_cuPointerSetAttribute_v6000;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions that allocate, free and describe memory. All return a CUresult. */
public final class MemoryCalls {
    private static final MethodHandle GET_INFO =
            Driver.function("cuMemGetInfo", 3020, PFN_cuMemGetInfo_v3020.descriptor());
    private static final MethodHandle ALLOC = Driver.function("cuMemAlloc", 3020, PFN_cuMemAlloc_v3020.descriptor());
    private static final MethodHandle FREE = Driver.function("cuMemFree", 3020, PFN_cuMemFree_v3020.descriptor());
    private static final MethodHandle ALLOC_MANAGED =
            Driver.function("cuMemAllocManaged", 6000, PFN_cuMemAllocManaged_v6000.descriptor());
    private static final MethodHandle ALLOC_ASYNC =
            Driver.function("cuMemAllocAsync", 11020, PFN_cuMemAllocAsync_v11020.descriptor());
    private static final MethodHandle FREE_ASYNC =
            Driver.function("cuMemFreeAsync", 11020, PFN_cuMemFreeAsync_v11020.descriptor());
    private static final MethodHandle HOST_ALLOC =
            Driver.function("cuMemHostAlloc", 2020, PFN_cuMemHostAlloc_v2020.descriptor());
    private static final MethodHandle FREE_HOST =
            Driver.function("cuMemFreeHost", 2000, PFN_cuMemFreeHost_v2000.descriptor());
    private static final MethodHandle HOST_REGISTER =
            Driver.function("cuMemHostRegister", 6050, PFN_cuMemHostRegister_v6050.descriptor());
    private static final MethodHandle HOST_UNREGISTER =
            Driver.function("cuMemHostUnregister", 4000, PFN_cuMemHostUnregister_v4000.descriptor());
    private static final MethodHandle HOST_GET_DEVICE_POINTER =
            Driver.function("cuMemHostGetDevicePointer", 3020, PFN_cuMemHostGetDevicePointer_v3020.descriptor());
    private static final MethodHandle GET_HANDLE_FOR_ADDRESS_RANGE = Driver.function(
            "cuMemGetHandleForAddressRange", 11070, PFN_cuMemGetHandleForAddressRange_v11070.descriptor());
    private static final MethodHandle GET_ADDRESS_RANGE =
            Driver.function("cuMemGetAddressRange", 3020, PFN_cuMemGetAddressRange_v3020.descriptor());
    private static final MethodHandle POINTER_GET_ATTRIBUTE =
            Driver.function("cuPointerGetAttribute", 4000, PFN_cuPointerGetAttribute_v4000.descriptor());
    private static final MethodHandle POINTER_SET_ATTRIBUTE =
            Driver.function("cuPointerSetAttribute", 6000, PFN_cuPointerSetAttribute_v6000.descriptor());

    private MemoryCalls() {}

    /** cuMemGetInfo: Free and total memory of the current context's device. */
    public static int getInfo(MemorySegment free, MemorySegment total) {
        try {
            return (int) GET_INFO.invokeExact(free.address(), total.address());
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemAlloc: Device memory. */
    public static int alloc(MemorySegment address, long size) {
        try {
            return (int) ALLOC.invokeExact(address.address(), size);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemFree: Frees it. */
    public static int free(long address) {
        try {
            return (int) FREE.invokeExact(address);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemAllocManaged: Managed memory. */
    public static int allocManaged(MemorySegment address, long size, int flags) {
        try {
            return (int) ALLOC_MANAGED.invokeExact(address.address(), size, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemAllocAsync: Memory of the device's pool. */
    public static int allocAsync(MemorySegment address, long size, long stream) {
        try {
            return (int) ALLOC_ASYNC.invokeExact(address.address(), size, stream);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemFreeAsync: Frees memory in stream order. */
    public static int freeAsync(long address, long stream) {
        try {
            return (int) FREE_ASYNC.invokeExact(address, stream);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemHostAlloc: Pinned host memory. */
    public static int hostAlloc(MemorySegment address, long size, int flags) {
        try {
            return (int) HOST_ALLOC.invokeExact(address.address(), size, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemFreeHost: Frees it. */
    public static int freeHost(long address) {
        try {
            return (int) FREE_HOST.invokeExact(address);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemHostRegister: Pins existing host memory. */
    public static int hostRegister(long address, long size, int flags) {
        try {
            return (int) HOST_REGISTER.invokeExact(address, size, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemHostUnregister: Unpins it. */
    public static int hostUnregister(long address) {
        try {
            return (int) HOST_UNREGISTER.invokeExact(address);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemHostGetDevicePointer: Returns the device address of host memory. */
    public static int hostGetDevicePointer(MemorySegment device, long host, int flags) {
        try {
            return (int) HOST_GET_DEVICE_POINTER.invokeExact(device.address(), host, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemGetHandleForAddressRange: Exports a range as a dma-buf. */
    public static int getHandleForAddressRange(MemorySegment handle, long address, long size, int type, long flags) {
        try {
            return (int) GET_HANDLE_FOR_ADDRESS_RANGE.invokeExact(handle.address(), address, size, type, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemGetAddressRange: Returns the allocation, or the mapping, that contains a pointer. */
    public static int getAddressRange(MemorySegment base, MemorySegment size, long address) {
        try {
            return (int) GET_ADDRESS_RANGE.invokeExact(base.address(), size.address(), address);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuPointerGetAttribute: One attribute of a pointer. */
    public static int pointerGetAttribute(MemorySegment data, int attribute, long address) {
        try {
            return (int) POINTER_GET_ATTRIBUTE.invokeExact(data.address(), attribute, address);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuPointerSetAttribute: Sets one. */
    public static int pointerSetAttribute(MemorySegment value, int attribute, long address) {
        try {
            return (int) POINTER_SET_ATTRIBUTE.invokeExact(value.address(), attribute, address);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
