// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.verbs.MemorySlice;

/**
 * The memory of a transfer on this side.
 *
 * @param direct what the adapter itself reads or writes; null if the bytes are staged
 * @param device what is copied to and from, if they are staged
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

    /** Has the GPU see what the adapter has written. */
    void flush() {
        if (region != null) {
            region.flushAdapterWrites();
        }
    }
}
