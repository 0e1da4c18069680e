// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.rdma4j.cuda.bindings.CUmemAccessDesc_st;
import io.github.rdma4j.cuda.bindings.CUmemAllocationProp_st;
import io.github.rdma4j.cuda.bindings.CUmemLocation_st;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.VirtualMemoryCalls;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Sizes, pieces and pages of memory. */
@ExtendWith(StandInDriver.class)
class DeviceAllocationsTest extends DeviceFixture {
    /** The stand-in's smallest mapping. */
    private static final long PIECE = 2 << 20;

    @Test
    void virtualMemoryIsRoundedUpToWhatTheDeviceMaps() {
        for (long size : new long[] {1, PIECE - 1, PIECE}) {
            assertThat(context.allocateGpuDirect(size).size()).isEqualTo(PIECE);
        }
        assertThat(context.allocateGpuDirect(PIECE + 1).size()).isEqualTo(2 * PIECE);
        assertThatExceptionOfType(OutOfDeviceMemoryException.class)
                .isThrownBy(() -> context.allocateGpuDirect(Long.MAX_VALUE))
                .withMessageStartingWith("allocateGpuDirect(size=9223372036854775807) failed:");
        assertThatExceptionOfType(OutOfDeviceMemoryException.class)
                .isThrownBy(() -> context.allocateGpuDirect(Long.MAX_VALUE - PIECE))
                .withMessageStartingWith("cuMemAddressReserve(size=9223372036852678656) failed:");
    }

    @Test
    void virtualMemoryIsThatOfItsDevice() {
        StandInDriver.devices(2);
        try (CudaContext second = Cuda.device(1).createContext();
                DeviceMemory memory = second.allocateGpuDirect(1)) {
            assertThat(second.pointerAttributes(memory.handle()).deviceOrdinal())
                    .isEqualTo(1);
            assertThat(memory.toString()).contains("VIRTUAL").contains("CUDA device 1");
        }
    }

    /** As PyTorch's expandable segments are. */
    @Test
    void memoryOfSeveralPiecesIsWrappedAsFarAsItGoes() {
        try (DeviceMemory whole = context.allocateGpuDirect(3 * PIECE)) {
            long start = whole.handle();
            assertThat(VirtualMemoryCalls.unmap(start, 3 * PIECE)).isZero();
            map(start, true);
            map(start + PIECE, true);
            assertThat(context.wrap(start, 2 * PIECE).isGpuDirectCapable()).isTrue();
            assertThat(context.wrap(start + 100, 2 * PIECE - 100).size()).isEqualTo(2 * PIECE - 100);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> context.wrap(start + 100, 2 * PIECE - 99))
                    .withMessageContaining("its allocation, of %d bytes from 0x%x, ends after %d"
                            .formatted(PIECE, start + PIECE, 2 * PIECE - 100));
            assertThat(context.wrap(start + 100, PIECE - 100).size()).isEqualTo(PIECE - 100);
            map(start + 2 * PIECE, false);
            assertThat(context.wrap(start, 3 * PIECE).isGpuDirectCapable()).isFalse();
        }
    }

    private void map(long address, boolean capable) {
        MemorySegment properties = CUmemAllocationProp_st.allocate(arena);
        CUmemAllocationProp_st.type(properties, CudaHeaders.CU_MEM_ALLOCATION_TYPE_PINNED());
        CUmemLocation_st.type(CUmemAllocationProp_st.location(properties), CudaHeaders.CU_MEM_LOCATION_TYPE_DEVICE());
        CUmemAllocationProp_st.allocFlags.gpuDirectRDMACapable(
                CUmemAllocationProp_st.allocFlags(properties), (byte) (capable ? 1 : 0));
        MemorySegment handle = arena.allocate(ValueLayout.JAVA_LONG);
        assertThat(VirtualMemoryCalls.create(handle, PIECE, properties, 0)).isZero();
        long physical = handle.get(ValueLayout.JAVA_LONG, 0);
        assertThat(VirtualMemoryCalls.map(address, PIECE, 0, physical, 0)).isZero();
        assertThat(VirtualMemoryCalls.release(physical)).isZero();
        MemorySegment access = CUmemAccessDesc_st.allocate(arena);
        CUmemLocation_st.type(CUmemAccessDesc_st.location(access), CudaHeaders.CU_MEM_LOCATION_TYPE_DEVICE());
        CUmemAccessDesc_st.flags(access, CudaHeaders.CU_MEM_ACCESS_FLAGS_PROT_READWRITE());
        assertThat(VirtualMemoryCalls.setAccess(address, PIECE, access, 1)).isZero();
    }

    /** As an H100 does: memory of a pool, and pieces side by side, be some of them not made for other devices. */
    @Test
    void otherExportedAllocations() {
        StandInDriver.dmaBuf(StandInDriver.DmaBufWay.MEMFD);
        CudaStream stream = context.createStream();
        try (DmaBuf pooled = stream.allocate(10_000).exportDmaBuf(0, 10_000)) {
            assertThat(pooled.length()).isEqualTo(10_000);
        }
        try (DeviceMemory reserved = context.allocateGpuDirect(3 * PIECE)) {
            long start = reserved.handle();
            assertThat(VirtualMemoryCalls.unmap(start, 3 * PIECE)).isZero();
            map(start, true);
            map(start + PIECE, false);
            try (DmaBuf both = context.wrap(start, 2 * PIECE).exportDmaBuf(4096, 2 * PIECE - 4096)) {
                assertThat(both.length()).isEqualTo(2 * PIECE - 4096);
            }
            // A range that is not mapped belongs to no allocation.
            assertThatExceptionOfType(CudaException.class).isThrownBy(() -> reserved.exportDmaBuf(0, 3 * PIECE));
            map(start + 2 * PIECE, true);
        }
    }

    @Test
    void dmaBufBeginsWithAPageAndGoesWithItsClose() {
        StandInDriver.dmaBuf(StandInDriver.DmaBufWay.MEMFD);
        try (DeviceMemory memory = context.allocateGpuDirect(PIECE)) {
            DmaBuf exported = memory.exportDmaBuf(4097, 4096);
            Path descriptor = Path.of("/proc/self/fd/" + exported.fileDescriptor());
            assertThat(descriptor).exists();
            assertThat(exported.offset()).isEqualTo(1);
            assertThat(exported.length()).isEqualTo(4096);
            assertThat(exported.startAddress()).isEqualTo(memory.handle() + 4096);
            exported.close();
            assertThat(descriptor).doesNotExist();
            exported.close();
            try (DmaBuf whole = memory.exportDmaBuf(4096, 8192, DmaBuf.Mapping.PCIE)) {
                assertThat(whole.offset()).isZero();
            }
            assertThat(StandInDriver.get("exports.pcie")).isEqualTo(1);
        }
    }
}
