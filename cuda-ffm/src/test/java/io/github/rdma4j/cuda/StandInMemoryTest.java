// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static io.github.rdma4j.cuda.bindings.CudaHeaders.*;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the stand-in itself: the addresses that it accepts as memory, and its refusals. */
@ExtendWith(StandInDriver.class)
class StandInMemoryTest {
    private final RawDriver cuda = new RawDriver();
    private long context;

    @BeforeEach
    void start() {
        cuda.ok("cuInit_v2000", 0);
        context = cuda.made("cuCtxCreate_v3020", 0, 0);
    }

    @AfterEach
    void stop() {
        cuda.ok("cuCtxSetCurrent_v4000", 0);
        cuda.close();
    }

    @Test
    void bytesGoToTheDeviceAndComeBack() {
        long device = cuda.made("cuMemAlloc_v3020", 10_000);
        MemorySegment from = cuda.pageable(10_000);
        MemorySegment to = cuda.pageable(10_000);
        for (int i = 0; i < 10_000; i++) {
            from.set(JAVA_BYTE, i, (byte) (i * 3));
        }
        cuda.ok("cuMemcpyHtoD_v3020", device, from, 10_000);
        cuda.ok("cuMemcpyDtoH_v3020", to, device, 10_000);
        assertThat(to.mismatch(from)).isEqualTo(-1);
        assertThat(StandInDriver.get("bytes.htod")).isEqualTo(10_000);
        assertThat(StandInDriver.get("bytes.dtoh")).isEqualTo(10_000);
        cuda.ok("cuMemFree_v3020", device);
        assertThat(StandInDriver.open()).containsOnlyKeys("contexts");
    }

    @Test
    void rangeOutsideAllocationIsRefused() {
        long device = cuda.made("cuMemAlloc_v3020", 1000);
        MemorySegment host = cuda.pageable(4096);
        assertThat(cuda.call("cuMemcpyHtoD_v3020", device, host, 1001)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(cuda.call("cuMemcpyHtoD_v3020", device + 999, host, 2)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(cuda.call("cuMemcpyHtoD_v3020", host, host, 8)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(cuda.call("cuMemsetD8_v3020", device, (byte) 1, 1001)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(cuda.call("cuMemFree_v3020", device + 512)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        cuda.ok("cuMemFree_v3020", device);
        assertThat(cuda.call("cuMemFree_v3020", device)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(cuda.call("cuMemcpyDtoH_v3020", host, device, 8)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(cuda.call("cuMemGetAddressRange_v3020", cuda.out(), cuda.out(), device))
                .isEqualTo(CUDA_ERROR_NOT_FOUND());
    }

    @Test
    void smallAllocationsShareAPageAndStayDistinct() {
        long first = cuda.made("cuMemAlloc_v3020", 100);
        long second = cuda.made("cuMemAlloc_v3020", 100);
        assertThat(second - first).isEqualTo(512);
        cuda.ok("cuMemGetAddressRange_v3020", cuda.out(), cuda.out().asSlice(8), second + 99);
        assertThat(cuda.out().get(JAVA_LONG, 0)).isEqualTo(second);
        assertThat(cuda.out().get(JAVA_LONG, 8)).isEqualTo(100);
        assertThat(cuda.call("cuMemGetAddressRange_v3020", 0, 0, first + 100)).isEqualTo(CUDA_ERROR_NOT_FOUND());
        cuda.ok("cuMemFree_v3020", first);
        cuda.ok("cuMemsetD8_v3020", second, (byte) 7, 100);
        cuda.ok("cuCtxSynchronize_v2000");
        assertThat(MemorySegment.ofAddress(second).reinterpret(100).toArray(JAVA_BYTE))
                .containsOnly(7);
    }

    @Test
    void addressThatWasFreedStaysFreeForLong() {
        long first = cuda.made("cuMemAlloc_v3020", 4096);
        cuda.ok("cuMemFree_v3020", first);
        for (int i = 0; i < 1000; i++) {
            long next = cuda.made("cuMemAlloc_v3020", 4096);
            assertThat(next).isNotEqualTo(first);
            cuda.ok("cuMemFree_v3020", next);
        }
    }

    @Test
    void memoryEnds() {
        StandInDriver.memory(1 << 20);
        assertThat(cuda.call("cuMemAlloc_v3020", cuda.out(), (1 << 20) + 1)).isEqualTo(CUDA_ERROR_OUT_OF_MEMORY());
        long device = cuda.made("cuMemAlloc_v3020", 1 << 20);
        assertThat(cuda.call("cuMemAlloc_v3020", cuda.out(), 1)).isEqualTo(CUDA_ERROR_OUT_OF_MEMORY());
        cuda.ok("cuMemGetInfo_v3020", cuda.out(), cuda.out().asSlice(8));
        assertThat(cuda.out().get(JAVA_LONG, 0)).isZero();
        assertThat(cuda.out().get(JAVA_LONG, 8)).isEqualTo(1 << 20);
        cuda.ok("cuMemFree_v3020", device);
        cuda.made("cuMemAlloc_v3020", 1);
        assertThat(cuda.call("cuMemAlloc_v3020", cuda.out(), 0)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
    }

    @Test
    void hostMemoryIsRegisteredOnce() {
        MemorySegment host = cuda.pageable(8192);
        cuda.ok("cuMemHostRegister_v6050", host, 8192, 0);
        assertThat(cuda.call("cuMemHostRegister_v6050", host.asSlice(4096), 4096, 0))
                .isEqualTo(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED());
        assertThat(cuda.made("cuMemHostGetDevicePointer_v3020", host, 0)).isEqualTo(host.address());
        cuda.ok("cuMemHostUnregister_v4000", host);
        assertThat(cuda.call("cuMemHostUnregister_v4000", host)).isEqualTo(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED());
        assertThat(cuda.call("cuMemHostRegister_v6050", MemorySegment.ofAddress(4096), 100, 0))
                .isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(cuda.call("cuMemHostRegister_v6050", host, 1L << 45, 0)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        MemorySegment pinned = cuda.pinned(100);
        assertThat(cuda.call("cuMemHostRegister_v6050", pinned, 100, 0)).isNotZero();
        cuda.ok("cuMemFreeHost_v2000", pinned);
        assertThat(cuda.call("cuMemFreeHost_v2000", pinned)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
    }

    @Test
    void pointerReportsItsAttributes() {
        long device = cuda.made("cuMemAlloc_v3020", 1000);
        long managed = cuda.made("cuMemAllocManaged_v6000", 1000, CU_MEM_ATTACH_GLOBAL());
        long pool = cuda.made("cuMemAllocAsync_v11020", 1000, 0);
        long host = cuda.pinned(1000).address();
        assertThat(attribute(CU_POINTER_ATTRIBUTE_MEMORY_TYPE(), device)).isEqualTo(CU_MEMORYTYPE_DEVICE());
        assertThat(attribute(CU_POINTER_ATTRIBUTE_MEMORY_TYPE(), host)).isEqualTo(CU_MEMORYTYPE_HOST());
        assertThat(attribute(CU_POINTER_ATTRIBUTE_IS_MANAGED(), managed)).isEqualTo(1);
        assertThat(attribute(CU_POINTER_ATTRIBUTE_IS_MANAGED(), device)).isZero();
        assertThat(attribute(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR(), device + 500))
                .isEqualTo(device);
        assertThat(attribute(CU_POINTER_ATTRIBUTE_RANGE_SIZE(), device)).isEqualTo(1000);
        assertThat(attribute(CU_POINTER_ATTRIBUTE_CONTEXT(), device)).isEqualTo(context);
        assertThat(attribute(CU_POINTER_ATTRIBUTE_CONTEXT(), pool)).isZero();
        assertThat(attribute(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE(), pool)).isNotZero();
        assertThat(attribute(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE(), device)).isZero();
        assertThat(attribute(CU_POINTER_ATTRIBUTE_BUFFER_ID(), device))
                .isNotEqualTo(attribute(CU_POINTER_ATTRIBUTE_BUFFER_ID(), pool));
        MemorySegment stranger = cuda.pageable(8);
        assertThat(cuda.call("cuPointerGetAttribute_v4000", cuda.out(), CU_POINTER_ATTRIBUTE_MEMORY_TYPE(), stranger))
                .isEqualTo(CUDA_ERROR_INVALID_VALUE());
    }

    private long attribute(int attribute, long pointer) {
        return cuda.made("cuPointerGetAttribute_v4000", attribute, pointer);
    }

    @Test
    void destroyingTheContextFreesItsMemory() {
        long device = cuda.made("cuMemAlloc_v3020", 1000);
        cuda.ok("cuCtxDestroy_v4000", context);
        assertThat(StandInDriver.open()).isEmpty();
        assertThat(cuda.call("cuMemFree_v3020", device)).isEqualTo(CUDA_ERROR_INVALID_CONTEXT());
        context = cuda.made("cuCtxCreate_v3020", 0, 0);
        assertThat(cuda.call("cuMemFree_v3020", device)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
    }
}
