// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * A flag of pinned host memory. All pinned memory is visible to all contexts and accessible to the device.
 *
 * @since 0.1.0
 */
public enum HostMemoryFlag {
    /**
     * CPU writes bypass the caches: the device reads the memory faster, the CPU reads it very slowly. Allocation only
     * ({@code CU_MEMHOSTALLOC_WRITECOMBINED}).
     */
    WRITE_COMBINED,
    /**
     * The device only reads it. Registration only ({@code CU_MEMHOSTREGISTER_READ_ONLY}); needs
     * {@link DeviceAttribute#READ_ONLY_HOST_REGISTER_SUPPORTED}.
     */
    READ_ONLY
}
