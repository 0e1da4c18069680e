// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaDevice;
import io.github.rdma4j.cuda.DeviceAttribute;

/** The step that is needed before a kernel may read bytes that an adapter has written to device memory. */
enum WriteOrdering {
    /** Nothing: the device orders such writes. */
    ORDERED,
    /** A flush by the host. */
    FLUSHED_BY_HOST,
    /** No such step exists. */
    UNORDERED;

    /** CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER. */
    private static final int OWNER = 100;

    /** CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST. */
    private static final int OPTION_HOST = 1;

    /** From Hopper on, a kernel that starts after a completion sees everything that was written before it. */
    private static final int ORDERED_CAPABILITY = 90;

    static WriteOrdering of(CudaDevice device) {
        return of(
                device.attribute(DeviceAttribute.GPU_DIRECT_RDMA_WRITES_ORDERING),
                device.attribute(DeviceAttribute.GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS),
                device.computeCapability());
    }

    static WriteOrdering of(int ordering, int flushOptions, int computeCapability) {
        if (ordering >= OWNER || computeCapability >= ORDERED_CAPABILITY) {
            return ORDERED;
        }
        return (flushOptions & OPTION_HOST) != 0 ? FLUSHED_BY_HOST : UNORDERED;
    }
}
