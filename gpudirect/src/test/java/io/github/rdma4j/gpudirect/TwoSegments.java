// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.bindings.CUmemAccessDesc_st;
import io.github.rdma4j.cuda.bindings.CUmemAllocationProp_st;
import io.github.rdma4j.cuda.bindings.CUmemLocation_st;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.VirtualMemoryCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Memory of the virtual-memory API with physical memory in two pieces, as PyTorch's expandable segments have it: one
 * allocation of ours, whose memory is taken away and put back piece by piece.
 */
final class TwoSegments {
    /** Of each; the smallest that the stand-in maps. */
    static final long SIZE = 2 << 20;

    private TwoSegments() {}

    /**
     * Makes it.
     *
     * @param secondCapable whether the second piece is made for other devices, as the first is
     */
    static DeviceMemory make(CudaContext context, boolean secondCapable) {
        DeviceMemory memory = context.allocateGpuDirect(2 * SIZE);
        assertThat(VirtualMemoryCalls.unmap(memory.handle(), 2 * SIZE)).isZero();
        map(memory.handle(), true);
        map(memory.handle() + SIZE, secondCapable);
        return memory;
    }

    /** Takes the second piece away. */
    static void cutOff(DeviceMemory memory) {
        assertThat(VirtualMemoryCalls.unmap(memory.handle() + SIZE, SIZE)).isZero();
    }

    /** Puts physical memory behind a piece, which lives as long as it is mapped. */
    static void map(long address, boolean capable) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment properties = CUmemAllocationProp_st.allocate(arena);
            CUmemAllocationProp_st.type(properties, CudaHeaders.CU_MEM_ALLOCATION_TYPE_PINNED());
            CUmemLocation_st.type(
                    CUmemAllocationProp_st.location(properties), CudaHeaders.CU_MEM_LOCATION_TYPE_DEVICE());
            CUmemAllocationProp_st.allocFlags.gpuDirectRDMACapable(
                    CUmemAllocationProp_st.allocFlags(properties), (byte) (capable ? 1 : 0));
            MemorySegment handle = arena.allocate(ValueLayout.JAVA_LONG);
            assertThat(VirtualMemoryCalls.create(handle, SIZE, properties, 0)).isZero();
            long physical = handle.get(ValueLayout.JAVA_LONG, 0);
            assertThat(VirtualMemoryCalls.map(address, SIZE, 0, physical, 0)).isZero();
            assertThat(VirtualMemoryCalls.release(physical)).isZero();
            MemorySegment access = CUmemAccessDesc_st.allocate(arena);
            CUmemLocation_st.type(CUmemAccessDesc_st.location(access), CudaHeaders.CU_MEM_LOCATION_TYPE_DEVICE());
            CUmemAccessDesc_st.flags(access, CudaHeaders.CU_MEM_ACCESS_FLAGS_PROT_READWRITE());
            assertThat(VirtualMemoryCalls.setAccess(address, SIZE, access, 1)).isZero();
        }
    }
}
