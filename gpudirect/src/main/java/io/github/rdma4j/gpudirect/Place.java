// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.verbs.MemorySlice;

/**
 * The local memory of a transfer.
 *
 * @param direct the memory that the adapter reads or writes; null if the bytes are staged
 * @param device the device memory of a staged transfer; null if the bytes are not staged
 * @param region of device memory on a direct path; null for host memory, and if the bytes are staged
 */
record Place(MemorySlice direct, DeviceSlice device, DeviceRegion region) {
    static Place of(MemorySlice host) {
        return new Place(host, null, null);
    }

    static Place of(DeviceRegion region, long offset, long length) {
        return region.path().isDirect()
                ? new Place(region.slice(offset, length), null, region)
                : new Place(null, region.memory().slice(offset, length), null);
    }

    boolean isStaged() {
        return direct == null;
    }

    long length() {
        return isStaged() ? device.length() : direct.length();
    }

    /** Makes the adapter's writes visible to the GPU. */
    void flush() {
        if (region != null) {
            region.flushAdapterWrites();
        }
    }
}
