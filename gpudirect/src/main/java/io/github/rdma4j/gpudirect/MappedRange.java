// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.cuda.PointerAttributes;

/**
 * Facts about a range of device memory, as the CUDA driver reports them.
 *
 * @param segments the number of segments of physical memory: one, or several if a program has mapped them side by side
 *     with the virtual-memory API, as PyTorch's expandable segments do
 * @param gpuDirectCapable whether all segments were allocated with the GPUDirect RDMA flag
 */
record MappedRange(int segments, boolean gpuDirectCapable) {

    /**
     * Queries the driver about a slice. If the driver's view of the pointer differs from ours, the adapter would access
     * freed memory or memory of another owner.
     *
     * @throws IllegalArgumentException if the driver does not know all of it as device memory
     */
    static MappedRange of(CudaContext context, DeviceSlice memory) {
        DeviceMemory whole = memory.memory();
        long end = memory.address() + memory.length();
        PointerAttributes segment = context.pointerAttributes(memory.address());
        if (segment.type() != PointerAttributes.Type.DEVICE && !segment.isManaged()) {
            throw new IllegalArgumentException(memory
                    + " is not known to the CUDA driver as device memory: the library that allocated it has freed it");
        }
        int segments = 1;
        boolean capable = whole.isGpuDirectCapable();
        // The driver describes only the segment at the pointer, not the segments after it.
        for (long at = endOf(segment, end); Long.compareUnsigned(at, end) < 0; at = endOf(segment, end)) {
            if (whole.kind() != DeviceMemory.Kind.VIRTUAL) {
                throw new IllegalArgumentException("%s ends %d bytes after its allocation of %d bytes from 0x%x"
                        .formatted(memory, end - at, segment.rangeSize(), segment.rangeStart()));
            }
            PointerAttributes next = context.pointerAttributes(at);
            if (next.type() != PointerAttributes.Type.DEVICE
                    || next.deviceOrdinal() != segment.deviceOrdinal()
                    || next.isPlain()
                    || next.isManaged()
                    || next.isOfPool()) {
                throw new IllegalArgumentException(
                        "%s: no memory is mapped at 0x%x, %d bytes before its end; register what is mapped"
                                .formatted(memory, at, end - at));
            }
            segment = next;
            capable &= segment.isGpuDirectCapable();
            segments++;
        }
        return new MappedRange(segments, capable);
    }

    /** Returns the end of a segment, or the given end if the driver does not report it. */
    private static long endOf(PointerAttributes segment, long end) {
        return segment.rangeSize() == 0 ? end : segment.rangeStart() + segment.rangeSize();
    }
}
