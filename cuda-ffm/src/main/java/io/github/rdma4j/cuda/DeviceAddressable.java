// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * Memory with a device address: device memory, or pinned host memory.
 *
 * @since 0.1.0
 */
public sealed interface DeviceAddressable permits DeviceMemory, HostMemory {
    /**
     * Returns the address of the first byte on the device.
     *
     * @return the {@code CUdeviceptr}
     * @throws IllegalStateException if it is closed
     */
    long deviceAddress();

    /** {@return the size in bytes} */
    long size();
}
