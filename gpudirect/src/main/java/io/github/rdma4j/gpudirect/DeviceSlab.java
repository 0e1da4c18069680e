// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.verbs.AccessFlag;

/** Device memory that was registered in one step, with a list of its free ranges. The pool's lock guards the list. */
final class DeviceSlab {
    private final DeviceMemory memory;
    private final DeviceRegion region;
    private final FreeRanges free;

    private DeviceSlab(DeviceMemory memory, DeviceRegion region, FreeRanges free) {
        this.memory = memory;
        this.region = region;
        this.free = free;
    }

    /** Allocates and registers a slab. Frees the memory if the registration fails. */
    static DeviceSlab make(GpuDirect gpu, long size, long unit, AccessFlag... access) {
        DeviceMemory memory = gpu.context().allocate(size);
        try {
            return new DeviceSlab(memory, gpu.register(memory, access), new FreeRanges(size, unit));
        } catch (RuntimeException e) {
            Undo.after(e, memory);
            throw e;
        }
    }

    DeviceMemory memory() {
        return memory;
    }

    DeviceRegion region() {
        return region;
    }

    FreeRanges free() {
        return free;
    }

    boolean isUsable() {
        return memory.isOpen() && region.isOpen();
    }

    /**
     * Deregisters and frees the slab; waits for the work of the GPU. After an exception, a later call continues.
     */
    void close() {
        region.close();
        memory.close();
    }
}
