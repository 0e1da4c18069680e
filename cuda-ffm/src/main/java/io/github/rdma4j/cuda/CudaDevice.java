// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CUuuid_st;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.DeviceCalls;
import io.github.rdma4j.cuda.internal.Results;
import io.github.rdma4j.cuda.internal.StreamCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.UUID;

/**
 * A GPU. A value, which need not be closed.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class CudaDevice {
    private static final int TEXT_LENGTH = 256;

    private final int ordinal;
    private final int handle;
    private final String name;
    private final String pciAddress;

    CudaDevice(int ordinal, int handle) {
        this.ordinal = ordinal;
        this.handle = handle;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(TEXT_LENGTH);
            Results.check(DeviceCalls.getName(text, TEXT_LENGTH, handle), call("cuDeviceGetName"));
            name = text.getString(0);
            Results.check(DeviceCalls.getPciBusId(text, TEXT_LENGTH, handle), call("cuDeviceGetPCIBusId"));
            pciAddress = text.getString(0).toLowerCase(Locale.ROOT);
        }
    }

    private String call(String function) {
        return "%s(device=%d)".formatted(function, ordinal);
    }

    /** {@return its number, from 0} */
    public int ordinal() {
        return ordinal;
    }

    /** {@return the {@code CUdevice}, for calls that this library does not have} */
    public int handle() {
        return handle;
    }

    /** {@return its name, such as {@code NVIDIA H200}} */
    public String name() {
        return name;
    }

    /** {@return its PCI address as sysfs writes it, such as {@code 0000:17:00.0}} */
    public String pciAddress() {
        return pciAddress;
    }

    /** {@return the UUID of this GPU; an instance of a GPU (MIG) has its own} */
    public UUID uuid() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment uuid = CUuuid_st.allocate(arena);
            Results.check(DeviceCalls.getUuid(uuid, handle), call("cuDeviceGetUuid"));
            ValueLayout.OfLong bigEndian = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
            return new UUID(uuid.get(bigEndian, 0), uuid.get(bigEndian, Long.BYTES));
        }
    }

    /** {@return its memory in bytes} */
    public long totalMemory() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(ValueLayout.JAVA_LONG);
            Results.check(DeviceCalls.totalMem(bytes, handle), call("cuDeviceTotalMem"));
            return bytes.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    /**
     * Returns an attribute.
     *
     * @param attribute the attribute
     * @return its value; 0 if the driver does not know the attribute, because then the device lacks the feature
     */
    public int attribute(DeviceAttribute attribute) {
        return attribute(attribute.code());
    }

    /**
     * Returns an attribute by its number in cuda.h.
     *
     * @param code of the {@code CU_DEVICE_ATTRIBUTE_…}
     * @return its value; 0 if the driver does not know it
     */
    public int attribute(int code) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
            int result = DeviceCalls.getAttribute(value, code, handle);
            if (result == CudaHeaders.CUDA_ERROR_INVALID_VALUE()) {
                return 0;
            }
            if (result != Results.SUCCESS) {
                throw Results.failure(result, "cuDeviceGetAttribute(attribute=%d, device=%d)".formatted(code, ordinal));
            }
            return value.get(ValueLayout.JAVA_INT, 0);
        }
    }

    /**
     * Returns whether the device has an attribute.
     *
     * @param attribute an attribute whose value is 1 or 0
     * @return whether it is not 0
     */
    public boolean has(DeviceAttribute attribute) {
        return attribute(attribute) != 0;
    }

    /**
     * Returns whether streams of this device can wait for and write 32-bit values in memory
     * ({@link CudaStream#waitForValue}). This needs a driver of CUDA 11.7 or later. There is no attribute for a device
     * that does not support it, so the first call may still fail.
     *
     * @return whether the driver has the functions
     */
    public boolean supportsStreamValues() {
        return StreamCalls.hasValues();
    }

    /** {@return the compute capability: 10 times the major plus the minor number, such as 90} */
    public int computeCapability() {
        return 10 * attribute(DeviceAttribute.COMPUTE_CAPABILITY_MAJOR)
                + attribute(DeviceAttribute.COMPUTE_CAPABILITY_MINOR);
    }

    /**
     * Returns whether this device can access the memory of another one (cuDeviceCanAccessPeer).
     *
     * @param peer another device
     * @return whether {@link CudaContext#enablePeerAccess} can succeed
     */
    public boolean canAccessPeer(CudaDevice peer) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment can = arena.allocate(ValueLayout.JAVA_INT);
            Results.check(
                    DeviceCalls.canAccessPeer(can, handle, peer.handle),
                    "cuDeviceCanAccessPeer(device=%d, peer=%d)".formatted(ordinal, peer.ordinal));
            return can.get(ValueLayout.JAVA_INT, 0) != 0;
        }
    }

    /**
     * Returns the primary context, which the CUDA runtime and other libraries of the process use. It is created on
     * first use, and destroyed when all users have released it (cuDevicePrimaryCtxRetain).
     *
     * @return the context; each call returns a new object, to be closed
     */
    public CudaContext retainPrimaryContext() {
        return NewContexts.primary(this);
    }

    /**
     * Creates a separate context (cuCtxCreate). Memory of one context is not valid in another, so prefer the primary
     * context. The calling thread's current context does not change.
     *
     * @param flags none for the driver's choice of waiting
     * @return the context
     * @throws OutOfDeviceMemoryException if the device does not have enough memory
     */
    public CudaContext createContext(ContextFlag... flags) {
        return NewContexts.create(this, flags);
    }

    /** Two objects are equal if they are the same device of this process. */
    @Override
    public boolean equals(Object other) {
        return other instanceof CudaDevice device && device.handle == handle;
    }

    @Override
    public int hashCode() {
        return handle;
    }

    /** {@return the number, the name and the PCI address} */
    @Override
    public String toString() {
        return "CUDA device %d, %s, %s".formatted(ordinal, name, pciAddress);
    }
}
