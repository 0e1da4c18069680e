// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.bindings.PFN_cuDeviceCanAccessPeer_v4000;
import io.github.rdma4j.cuda.bindings.PFN_cuDeviceGetAttribute_v2000;
import io.github.rdma4j.cuda.bindings.PFN_cuDeviceGetByPCIBusId_v4010;
import io.github.rdma4j.cuda.bindings.PFN_cuDeviceGetCount_v2000;
import io.github.rdma4j.cuda.bindings.PFN_cuDeviceGetName_v2000;
import io.github.rdma4j.cuda.bindings.PFN_cuDeviceGetPCIBusId_v4010;
import io.github.rdma4j.cuda.bindings.PFN_cuDeviceGetUuid_v11040;
import io.github.rdma4j.cuda.bindings.PFN_cuDeviceGet_v2000;
import io.github.rdma4j.cuda.bindings.PFN_cuDevicePrimaryCtxRelease_v11000;
import io.github.rdma4j.cuda.bindings.PFN_cuDevicePrimaryCtxRetain_v7000;
import io.github.rdma4j.cuda.bindings.PFN_cuDeviceTotalMem_v3020;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions for devices. All return a CUresult. */
public final class DeviceCalls {
    private static final MethodHandle GET_COUNT =
            Driver.function("cuDeviceGetCount", 2000, PFN_cuDeviceGetCount_v2000.descriptor());
    private static final MethodHandle GET = Driver.function("cuDeviceGet", 2000, PFN_cuDeviceGet_v2000.descriptor());
    private static final MethodHandle GET_NAME =
            Driver.function("cuDeviceGetName", 2000, PFN_cuDeviceGetName_v2000.descriptor());
    private static final MethodHandle GET_UUID =
            Driver.function("cuDeviceGetUuid", 11040, PFN_cuDeviceGetUuid_v11040.descriptor());
    private static final MethodHandle TOTAL_MEM =
            Driver.function("cuDeviceTotalMem", 3020, PFN_cuDeviceTotalMem_v3020.descriptor());
    private static final MethodHandle GET_ATTRIBUTE =
            Driver.function("cuDeviceGetAttribute", 2000, PFN_cuDeviceGetAttribute_v2000.descriptor());
    private static final MethodHandle GET_PCI_BUS_ID =
            Driver.function("cuDeviceGetPCIBusId", 4010, PFN_cuDeviceGetPCIBusId_v4010.descriptor());
    private static final MethodHandle GET_BY_PCI_BUS_ID =
            Driver.function("cuDeviceGetByPCIBusId", 4010, PFN_cuDeviceGetByPCIBusId_v4010.descriptor());
    private static final MethodHandle CAN_ACCESS_PEER =
            Driver.function("cuDeviceCanAccessPeer", 4000, PFN_cuDeviceCanAccessPeer_v4000.descriptor());
    private static final MethodHandle PRIMARY_CONTEXT_RETAIN =
            Driver.function("cuDevicePrimaryCtxRetain", 7000, PFN_cuDevicePrimaryCtxRetain_v7000.descriptor());
    private static final MethodHandle PRIMARY_CONTEXT_RELEASE =
            Driver.function("cuDevicePrimaryCtxRelease", 11000, PFN_cuDevicePrimaryCtxRelease_v11000.descriptor());

    private DeviceCalls() {}

    /** cuDeviceGetCount: The number of devices. */
    public static int getCount(MemorySegment count) {
        try {
            return (int) GET_COUNT.invokeExact(count.address());
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuDeviceGet: The device of an ordinal. */
    public static int get(MemorySegment device, int ordinal) {
        try {
            return (int) GET.invokeExact(device.address(), ordinal);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuDeviceGetName: Its name, cut to the length. */
    public static int getName(MemorySegment name, int length, int device) {
        try {
            return (int) GET_NAME.invokeExact(name.address(), length, device);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuDeviceGetUuid: Its {@code CUuuid}. */
    public static int getUuid(MemorySegment uuid, int device) {
        try {
            return (int) GET_UUID.invokeExact(uuid.address(), device);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuDeviceTotalMem: Its memory in bytes. */
    public static int totalMem(MemorySegment bytes, int device) {
        try {
            return (int) TOTAL_MEM.invokeExact(bytes.address(), device);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuDeviceGetAttribute: One attribute. */
    public static int getAttribute(MemorySegment value, int attribute, int device) {
        try {
            return (int) GET_ATTRIBUTE.invokeExact(value.address(), attribute, device);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuDeviceGetPCIBusId: Its PCI address as text. */
    public static int getPciBusId(MemorySegment text, int length, int device) {
        try {
            return (int) GET_PCI_BUS_ID.invokeExact(text.address(), length, device);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuDeviceGetByPCIBusId: The device of a PCI address. */
    public static int getByPciBusId(MemorySegment device, MemorySegment text) {
        try {
            return (int) GET_BY_PCI_BUS_ID.invokeExact(device.address(), text.address());
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuDeviceCanAccessPeer: Whether a device can access the memory of another one. */
    public static int canAccessPeer(MemorySegment can, int device, int peer) {
        try {
            return (int) CAN_ACCESS_PEER.invokeExact(can.address(), device, peer);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuDevicePrimaryCtxRetain: Retains the primary context. */
    public static int primaryContextRetain(MemorySegment context, int device) {
        try {
            return (int) PRIMARY_CONTEXT_RETAIN.invokeExact(context.address(), device);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuDevicePrimaryCtxRelease: Releases the primary context. */
    public static int primaryContextRelease(int device) {
        try {
            return (int) PRIMARY_CONTEXT_RELEASE.invokeExact(device);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
