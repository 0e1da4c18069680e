// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.DeviceCalls;
import io.github.rdma4j.cuda.internal.Driver;
import io.github.rdma4j.cuda.internal.InitialisationFailures;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The entry point to CUDA. The first call of any method opens and initializes the driver's {@code libcuda.so.1}, or the
 * file in the system property {@code io.github.rdma4j.cuda.library}. The driver stays initialized.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class Cuda {
    private Cuda() {}

    /** {@return whether there is a driver with at least one device} */
    public static boolean isAvailable() {
        return unavailability().isEmpty();
    }

    /**
     * Returns why CUDA cannot be used. Each call tries again.
     *
     * @return the exception that every other method would throw; empty if CUDA can be used
     */
    public static Optional<CudaUnavailableException> unavailability() {
        try {
            requireDevice();
            return Optional.empty();
        } catch (CudaUnavailableException e) {
            return Optional.of(e);
        }
    }

    /**
     * Returns the CUDA version of the driver (cuDriverGetVersion).
     *
     * @return the version
     * @throws CudaUnavailableException if CUDA cannot be used
     */
    public static CudaVersion driverVersion() {
        return new CudaVersion(Driver.require().version());
    }

    /**
     * Returns all devices that this process may use, in CUDA's order ({@code CUDA_DEVICE_ORDER},
     * {@code CUDA_VISIBLE_DEVICES}).
     *
     * @return at least one device
     * @throws CudaUnavailableException if CUDA cannot be used
     */
    public static List<CudaDevice> devices() {
        return IntStream.range(0, requireDevice()).mapToObj(Cuda::device).toList();
    }

    /**
     * Returns a device.
     *
     * @param ordinal the number of the device, from 0
     * @return the device
     * @throws IllegalArgumentException if there is no such device; the message lists the existing devices
     * @throws CudaUnavailableException if CUDA cannot be used
     */
    public static CudaDevice device(int ordinal) {
        int count = requireDevice();
        if (ordinal < 0 || ordinal >= count) {
            throw new IllegalArgumentException("no CUDA device %d: there %s"
                    .formatted(
                            ordinal,
                            count == 1 ? "is one, number 0" : "are " + count + ", numbers 0 to " + (count - 1)));
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment device = arena.allocate(ValueLayout.JAVA_INT);
            Results.check(DeviceCalls.get(device, ordinal), "cuDeviceGet(ordinal=" + ordinal + ")");
            return new CudaDevice(ordinal, device.get(ValueLayout.JAVA_INT, 0));
        }
    }

    /**
     * Returns the device at a PCI address (cuDeviceGetByPCIBusId).
     *
     * @param address such as {@code 0000:17:00.0} or {@code 17:00.0}, in any case
     * @return the device
     * @throws IllegalArgumentException if there is no CUDA device; the message lists the existing devices
     * @throws CudaUnavailableException if CUDA cannot be used
     */
    public static CudaDevice deviceByPciAddress(String address) {
        List<CudaDevice> devices = devices();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment device = arena.allocate(ValueLayout.JAVA_INT);
            int result = DeviceCalls.getByPciBusId(device, arena.allocateFrom(address));
            if (result == Results.SUCCESS) {
                int handle = device.get(ValueLayout.JAVA_INT, 0);
                return devices.stream()
                        .filter(each -> each.handle() == handle)
                        .findFirst()
                        .orElseThrow();
            }
            if (result != CudaHeaders.CUDA_ERROR_INVALID_DEVICE() && result != CudaHeaders.CUDA_ERROR_INVALID_VALUE()) {
                throw Results.failure(result, "cuDeviceGetByPCIBusId(" + address + ")");
            }
            throw new IllegalArgumentException("no CUDA device at PCI address '%s': there %s"
                    .formatted(address, devices.size() == 1 ? "is " + devices.getFirst() : "are " + devices));
        }
    }

    private static int requireDevice() {
        Driver.require();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            queryCount(count);
            int devices = count.get(ValueLayout.JAVA_INT, 0);
            if (devices == 0) {
                throw new CudaUnavailableException(
                        CudaUnavailableException.Reason.NO_DEVICE,
                        "the driver is installed, but this process may not use any GPU",
                        "check whether nvidia-smi lists the GPU and whether CUDA_VISIBLE_DEVICES hides it");
            }
            return devices;
        }
    }

    /** On some machines the driver starts, and only this call fails. */
    private static void queryCount(MemorySegment count) {
        try {
            Results.check(DeviceCalls.getCount(count), "cuDeviceGetCount()");
        } catch (CudaException refusal) {
            throw InitialisationFailures.of(refusal);
        }
    }
}
