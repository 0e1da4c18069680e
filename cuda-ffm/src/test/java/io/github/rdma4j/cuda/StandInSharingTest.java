// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static io.github.rdma4j.cuda.bindings.CudaHeaders.*;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.StandInDriver.DmaBufWay;
import io.github.rdma4j.cuda.bindings.CUmemAccessDesc_st;
import io.github.rdma4j.cuda.bindings.CUmemAllocationProp_st;
import io.github.rdma4j.cuda.bindings.CUmemLocation_st;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the stand-in itself: virtual memory, access of other devices, export and handles. */
@ExtendWith(StandInDriver.class)
@Timeout(600)
class StandInSharingTest {
    private static final int PIECE = 2 << 20;
    private final RawDriver cuda = new RawDriver();

    @BeforeEach
    void start() {
        cuda.ok("cuInit_v2000", 0);
        cuda.made("cuCtxCreate_v3020", 0, 0);
    }

    @AfterEach
    void stop() {
        cuda.ok("cuCtxSetCurrent_v4000", 0);
        cuda.close();
    }

    private MemorySegment properties(boolean gpuDirectRdma) {
        MemorySegment properties = cuda.pageable(CUmemAllocationProp_st.sizeof());
        CUmemAllocationProp_st.type(properties, CU_MEM_ALLOCATION_TYPE_PINNED());
        CUmemLocation_st.type(CUmemAllocationProp_st.location(properties), CU_MEM_LOCATION_TYPE_DEVICE());
        CUmemAllocationProp_st.allocFlags.gpuDirectRDMACapable(
                CUmemAllocationProp_st.allocFlags(properties), (byte) (gpuDirectRdma ? 1 : 0));
        return properties;
    }

    private MemorySegment readWrite() {
        MemorySegment access = cuda.pageable(CUmemAccessDesc_st.sizeof());
        CUmemLocation_st.type(CUmemAccessDesc_st.location(access), CU_MEM_LOCATION_TYPE_DEVICE());
        CUmemAccessDesc_st.flags(access, CU_MEM_ACCESS_FLAGS_PROT_READWRITE());
        return access;
    }

    /** Two pieces side by side, each with memory of its own. */
    private long mapped(boolean gpuDirectRdma) {
        long base = cuda.made("cuMemAddressReserve_v10020", 2 * PIECE, 0, 0, 0);
        for (int i = 0; i < 2; i++) {
            long handle = cuda.made("cuMemCreate_v10020", PIECE, properties(gpuDirectRdma), 0);
            cuda.ok("cuMemMap_v10020", base + (long) i * PIECE, PIECE, 0, handle, 0);
            cuda.ok("cuMemRelease_v10020", handle);
        }
        cuda.ok("cuMemSetAccess_v10020", base, 2 * PIECE, readWrite(), 1);
        return base;
    }

    @Test
    void virtualMemoryIsReservedMappedUsedAndGivenBack() {
        assertThat(cuda.made("cuMemGetAllocationGranularity_v10020", properties(true), 0))
                .isEqualTo(PIECE);
        assertThat(cuda.call("cuMemCreate_v10020", cuda.out(), 4096, properties(true), 0))
                .isEqualTo(CUDA_ERROR_INVALID_VALUE());
        long base = mapped(true);
        MemorySegment host = cuda.pageable(2 * PIECE);
        host.fill((byte) 3);
        cuda.ok("cuMemcpyHtoD_v3020", base, host, 2 * PIECE);
        host.fill((byte) 0);
        cuda.ok("cuMemcpyDtoH_v3020", host, base + PIECE - 100, 200);
        assertThat(host.asSlice(0, 200).toArray(JAVA_BYTE)).containsOnly(3);
        assertThat(cuda.call("cuMemcpyDtoH_v3020", host, base + 1, 2 * PIECE)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(cuda.call("cuMemFree_v3020", base)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(cuda.call("cuMemAddressFree_v10020", base, 2 * PIECE)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        MemorySegment one = cuda.pageable(4);
        assertThat(cuda.call("cuPointerSetAttribute_v6000", one, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS(), base))
                .isEqualTo(CUDA_ERROR_NOT_SUPPORTED());
        assertThat(StandInDriver.get("used")).isEqualTo(2 * PIECE);
        cuda.ok("cuMemUnmap_v10020", base, 2 * PIECE);
        assertThat(cuda.call("cuMemcpyDtoH_v3020", host, base, 1)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        cuda.ok("cuMemAddressFree_v10020", base, 2 * PIECE);
        assertThat(StandInDriver.get("used")).isZero();
        assertThat(StandInDriver.open()).containsOnlyKeys("contexts");
    }

    @Test
    void withoutAccessVirtualMemoryCannotBeUsed() {
        long base = cuda.made("cuMemAddressReserve_v10020", PIECE, 0, 0, 0);
        long handle = cuda.made("cuMemCreate_v10020", PIECE, properties(false), 0);
        cuda.ok("cuMemMap_v10020", base, PIECE, 0, handle, 0);
        assertThat(cuda.call("cuMemsetD8_v3020", base, (byte) 1, 1)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        cuda.ok("cuMemSetAccess_v10020", base, PIECE, readWrite(), 1);
        cuda.ok("cuMemsetD8_v3020", base, (byte) 1, 1);
        StandInDriver.attribute(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED(), 0);
        assertThat(cuda.call("cuMemCreate_v10020", cuda.out(), PIECE, properties(true), 0))
                .isEqualTo(CUDA_ERROR_NOT_SUPPORTED());
    }

    /** As an adapter's driver would find it: what the address space lets others do with the page. */
    private static String protection(long address) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
                String[] word = line.split(" ", 3);
                String[] ends = word[0].split("-");
                if (Long.compareUnsigned(address, Long.parseUnsignedLong(ends[0], 16)) >= 0
                        && Long.compareUnsigned(address, Long.parseUnsignedLong(ends[1], 16)) < 0) {
                    return word[1];
                }
            }
            return "nothing";
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void adapterReachesDeviceMemoryOnlyWithPeerMemory() {
        long device = cuda.made("cuMemAlloc_v3020", 100_000);
        long virtual = mapped(true);
        long incapable = mapped(false);
        assertThat(List.of(protection(device), protection(virtual), protection(incapable)))
                .containsExactly("rw-s", "rw-s", "---s");
        StandInDriver.peerMemory(false);
        assertThat(List.of(protection(device), protection(virtual))).containsOnly("---s");
        long later = cuda.made("cuMemAlloc_v3020", 100_000);
        assertThat(protection(later)).isEqualTo("---s");
        cuda.ok("cuMemsetD8_v3020", later, (byte) 5, 100_000);
        MemorySegment host = cuda.pageable(100_000);
        cuda.ok("cuMemcpyDtoH_v3020", host, later, 100_000);
        assertThat(host.toArray(JAVA_BYTE)).containsOnly(5);
        StandInDriver.peerMemory(true);
        assertThat(protection(later)).isEqualTo("rw-s");
        cuda.ok("cuMemFree_v3020", later);
        assertThat(protection(later)).isEqualTo("---s");
    }

    private int export(long address, long size, int flags) {
        return cuda.call(
                "cuMemGetHandleForAddressRange_v11070",
                cuda.out(),
                address,
                size,
                CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD(),
                flags);
    }

    @Test
    void wholePagesOfDeviceMemoryAreExported() throws IOException {
        StandInDriver.dmaBuf(DmaBufWay.MEMFD);
        long device;
        do {
            device = cuda.made("cuMemAlloc_v3020", 10_000);
        } while (device % 4096 == 0);
        long page = device & -4096;
        long size = (device + 10_000 + 4095 & -4096) - page;
        assertThat(export(device, size, 0)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(export(page, 10_000, 0)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(export(page, size + 4096, 0)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(export(page, size, 0)).isZero();
        Path descriptor = Path.of("/proc/self/fd", Integer.toString(cuda.intOut()));
        assertThat(Files.readSymbolicLink(descriptor).toString()).contains("standin-device");
        closeDescriptor(cuda.intOut());
        assertThat(export(page, size, CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE()))
                .isZero();
        closeDescriptor(cuda.intOut());
        assertThat(StandInDriver.get("exports")).isEqualTo(2);

        StandInDriver.driverVersion(12070);
        assertThat(export(page, size, CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE()))
                .isEqualTo(CUDA_ERROR_NOT_SUPPORTED());
        StandInDriver.dmaBuf(DmaBufWay.REFUSED);
        assertThat(export(page, size, 0)).isEqualTo(CUDA_ERROR_NOT_SUPPORTED());
        cuda.ok("cuDeviceGetAttribute_v2000", cuda.out(), CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED(), 0);
        assertThat(cuda.intOut()).isZero();
        long managed = cuda.made("cuMemAllocManaged_v6000", 4096, CU_MEM_ATTACH_GLOBAL());
        assertThat(export(managed, 4096, 0)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
    }

    private static void closeDescriptor(int descriptor) {
        Linker linker = Linker.nativeLinker();
        try {
            int result = (int) linker.downcallHandle(
                            linker.defaultLookup().findOrThrow("close"), FunctionDescriptor.of(JAVA_INT, JAVA_INT))
                    .invokeExact(descriptor);
            assertThat(result).isZero();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void handleIsForAnotherProcess() throws Exception {
        cuda.made("cuMemAlloc_v3020", 512);
        long device = cuda.made("cuMemAlloc_v3020", 5000);
        cuda.ok("cuMemsetD8_v3020", device, (byte) 42, 5000);
        cuda.ok("cuCtxSynchronize_v2000");
        MemorySegment handle = cuda.pageable(64);
        cuda.ok("cuIpcGetMemHandle_v4010", handle, device + 100);
        assertThat(cuda.call("cuIpcOpenMemHandle_v11000", cuda.out(), handle, 1))
                .isEqualTo(CUDA_ERROR_INVALID_CONTEXT());
        assertThat(cuda.call("cuIpcOpenMemHandle_v11000", cuda.out(), cuda.pageable(64), 1))
                .isEqualTo(CUDA_ERROR_INVALID_HANDLE());
        long pool = cuda.made("cuMemAllocAsync_v11020", 100, 0);
        assertThat(cuda.call("cuIpcGetMemHandle_v4010", handle.asSlice(0), pool))
                .isEqualTo(CUDA_ERROR_INVALID_VALUE());

        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OtherProcess.class.getName(),
                        HexFormat.of().formatHex(handle.toArray(JAVA_BYTE)))
                .redirectErrorStream(true)
                .start();
        assertThat(new String(other.getInputStream().readAllBytes())).isEqualTo("42 42 5000 true true true\n");
        MemorySegment host = cuda.pageable(5000);
        cuda.ok("cuMemcpyDtoH_v3020", host, device, 5000);
        assertThat(host.get(JAVA_BYTE, 4999)).isEqualTo((byte) 43);
    }

    /** Opens a handle, looks, and changes the last byte. */
    static final class OtherProcess {
        private OtherProcess() {}

        public static void main(String[] arguments) {
            RawDriver cuda = new RawDriver();
            cuda.ok("cuInit_v2000", 0);
            cuda.made("cuCtxCreate_v3020", 0, 0);
            MemorySegment handle = cuda.pageable(64);
            handle.copyFrom(MemorySegment.ofArray(HexFormat.of().parseHex(arguments[0])));
            long device = cuda.made("cuIpcOpenMemHandle_v11000", handle, 1);
            boolean same = device == cuda.made("cuIpcOpenMemHandle_v11000", handle, 1);
            MemorySegment host = cuda.pageable(5000);
            long first = cuda.made("cuCtxGetCurrent_v4000");
            long second = cuda.made("cuCtxCreate_v3020", 0, 0);
            boolean one = cuda.call("cuIpcOpenMemHandle_v11000", cuda.out(), handle, 1) == CUDA_ERROR_INVALID_CONTEXT();
            cuda.ok("cuCtxDestroy_v4000", second);
            cuda.ok("cuCtxSetCurrent_v4000", first);
            cuda.ok("cuMemcpyDtoH_v3020", host, device, 5000);
            cuda.ok("cuMemsetD8_v3020", device + 4999, (byte) 43, 1);
            cuda.ok("cuCtxSynchronize_v2000");
            long size = cuda.made("cuPointerGetAttribute_v4000", CU_POINTER_ATTRIBUTE_RANGE_SIZE(), device);
            cuda.ok("cuIpcCloseMemHandle_v4010", device);
            cuda.ok("cuIpcCloseMemHandle_v4010", device);
            boolean closed = cuda.call("cuIpcCloseMemHandle_v4010", device) == CUDA_ERROR_INVALID_VALUE();
            System.out.printf(
                    "%d %d %d %b %b %b%n", host.get(JAVA_BYTE, 0), host.get(JAVA_BYTE, 4999), size, same, one, closed);
        }
    }

    @Test
    void flushesAreCounted() {
        cuda.ok("cuFlushGPUDirectRDMAWrites_v11030", 0, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER());
        assertThat(StandInDriver.get("flushes")).isEqualTo(1);
        assertThat(cuda.call("cuFlushGPUDirectRDMAWrites_v11030", 0, 5)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        StandInDriver.attribute(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS(), 0);
        assertThat(cuda.call("cuFlushGPUDirectRDMAWrites_v11030", 0, 100)).isEqualTo(CUDA_ERROR_NOT_SUPPORTED());
    }
}
