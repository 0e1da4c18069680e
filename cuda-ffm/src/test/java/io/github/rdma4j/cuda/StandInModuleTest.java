// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static io.github.rdma4j.cuda.bindings.CudaHeaders.*;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the stand-in itself: it parses PTX, reports errors in it, and simulates some kernels. */
@ExtendWith(StandInDriver.class)
@Timeout(600)
class StandInModuleTest {
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

    private static String kernels() {
        try (InputStream ptx = StandInModuleTest.class.getResourceAsStream("kernels.ptx")) {
            return new String(ptx.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private MemorySegment text(String text) {
        MemorySegment segment = cuda.pageable(text.length() + 1);
        segment.setString(0, text);
        return segment;
    }

    private long module() {
        return cuda.made("cuModuleLoadDataEx_v2010", text(kernels()), 0, 0, 0);
    }

    private long kernel(long module, String name) {
        return cuda.made("cuModuleGetFunction_v2000", module, text(name));
    }

    /** One pointer each, to a place of 8 bytes, of which a kernel reads what it needs. */
    private MemorySegment arguments(long... values) {
        MemorySegment all = cuda.pageable(16L * values.length);
        for (int i = 0; i < values.length; i++) {
            all.setAtIndex(JAVA_LONG, values.length + i, values[i]);
            all.setAtIndex(ADDRESS, i, all.asSlice(8L * (values.length + i)));
        }
        return all;
    }

    private int launch(long kernel, int blocks, int threads, MemorySegment each, Object extra) {
        return cuda.call("cuLaunchKernel_v4000", kernel, blocks, 1, 1, threads, 1, 1, 0, 0, each, extra);
    }

    @Test
    void kernelsRunTheirText() {
        long module = module();
        long data = cuda.made("cuMemAlloc_v3020", 4000);
        long copy = cuda.made("cuMemAlloc_v3020", 4000);
        cuda.ok("cuMemsetD32_v3020", data, 5, 1000);
        assertThat(launch(kernel(module, "increment"), 4, 256, arguments(data, 999), 0))
                .isZero();
        long counter = cuda.made("cuModuleGetGlobal_v3020", 0, module, text("counter"));
        assertThat(launch(kernel(module, "sum"), 4, 256, arguments(data, 1000, counter), 0))
                .isZero();
        MemorySegment result = cuda.pageable(4000);
        cuda.ok("cuMemcpyDtoH_v3020", result, counter, 8);
        assertThat(result.get(JAVA_LONG, 0)).isEqualTo(999 * 6 + 5);

        assertThat(launch(kernel(module, "fill_pattern"), 16, 256, arguments(data, 4000, 3), 0))
                .isZero();
        assertThat(launch(kernel(module, "copy"), 16, 256, arguments(copy, data, 4000), 0))
                .isZero();
        cuda.ok("cuMemcpyDtoH_v3020", result, copy, 4000);
        for (int i = 0; i < 4000; i++) {
            assertThat(result.get(JAVA_BYTE, i)).isEqualTo((byte) (3 + 7 * i));
        }
        assertThat(StandInDriver.get("kernels")).isEqualTo(4);
    }

    @Test
    void tooFewThreadsLeaveElementsAsTheyWere() {
        long data = cuda.made("cuMemAlloc_v3020", 4000);
        cuda.ok("cuMemsetD32_v3020", data, 0, 1000);
        assertThat(launch(kernel(module(), "increment"), 1, 10, arguments(data, 1000), 0))
                .isZero();
        MemorySegment result = cuda.pageable(4000);
        cuda.ok("cuMemcpyDtoH_v3020", result, data, 4000);
        assertThat(result.getAtIndex(JAVA_INT, 9)).isEqualTo(1);
        assertThat(result.getAtIndex(JAVA_INT, 10)).isZero();
    }

    @Test
    void argumentsMayComeTogetherInABuffer() {
        long data = cuda.made("cuMemAlloc_v3020", 400);
        cuda.ok("cuMemsetD32_v3020", data, 0, 100);
        MemorySegment buffer = cuda.pageable(64);
        buffer.set(JAVA_LONG, 0, data);
        buffer.set(JAVA_INT, 8, 100);
        buffer.set(JAVA_LONG, 16, 12);
        MemorySegment extra = cuda.pageable(40);
        extra.setAtIndex(JAVA_LONG, 0, 1);
        extra.setAtIndex(ADDRESS, 1, buffer);
        extra.setAtIndex(JAVA_LONG, 2, 2);
        extra.setAtIndex(ADDRESS, 3, buffer.asSlice(16));
        long increment = kernel(module(), "increment");
        assertThat(launch(increment, 1, 100, MemorySegment.NULL, extra)).isZero();
        buffer.set(JAVA_LONG, 16, 11);
        assertThat(launch(increment, 1, 100, MemorySegment.NULL, extra)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        MemorySegment result = cuda.pageable(400);
        cuda.ok("cuMemcpyDtoH_v3020", result, data, 400);
        assertThat(result.getAtIndex(JAVA_INT, 99)).isEqualTo(1);
    }

    @Test
    void kernelThatLeavesItsMemoryBreaksTheContext() {
        long data = cuda.made("cuMemAlloc_v3020", 400);
        assertThat(launch(kernel(module(), "increment"), 1, 101, arguments(data, 101), 0))
                .isZero();
        assertThat(cuda.call("cuCtxSynchronize_v2000")).isEqualTo(CUDA_ERROR_ILLEGAL_ADDRESS());
    }

    @Test
    void wrongLaunchesAreRefused() {
        long module = module();
        long increment = kernel(module, "increment");
        MemorySegment arguments = arguments(cuda.made("cuMemAlloc_v3020", 400), 100);
        assertThat(launch(increment, 0, 1, arguments, 0)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(launch(increment, 1, 1025, arguments, 0)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(launch(module, 1, 1, arguments, 0)).isEqualTo(CUDA_ERROR_INVALID_HANDLE());
        assertThat(cuda.call("cuModuleGetFunction_v2000", cuda.out(), module, text("incr")))
                .isEqualTo(CUDA_ERROR_NOT_FOUND());
        assertThat(cuda.call("cuModuleGetGlobal_v3020", cuda.out(), 0, module, text("nothing")))
                .isEqualTo(CUDA_ERROR_NOT_FOUND());
        long other = cuda.made("cuModuleLoadDataEx_v2010", text(kernels().replace("increment", "decrement")), 0, 0, 0);
        assertThat(launch(kernel(other, "decrement"), 1, 1, arguments, 0)).isEqualTo(CUDA_ERROR_NOT_SUPPORTED());
        cuda.ok("cuModuleUnload_v2000", other);
        cuda.ok("cuModuleUnload_v2000", module);
        assertThat(launch(increment, 1, 1, arguments, 0)).isEqualTo(CUDA_ERROR_INVALID_HANDLE());
        assertThat(StandInDriver.open()).isEqualTo(Map.of("contexts", 1L, "allocations", 1L));
    }

    @Test
    void textThatIsNoPtxOrTooNewIsRefusedWithALog() {
        MemorySegment log = cuda.pageable(200);
        MemorySegment options = cuda.pageable(8);
        options.setAtIndex(JAVA_INT, 0, CU_JIT_ERROR_LOG_BUFFER());
        options.setAtIndex(JAVA_INT, 1, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES());
        MemorySegment values = cuda.pageable(16);
        values.setAtIndex(ADDRESS, 0, log);
        values.setAtIndex(JAVA_LONG, 1, 200);
        assertThat(cuda.call("cuModuleLoadDataEx_v2010", cuda.out(), text("kernel"), 2, options, values))
                .isEqualTo(CUDA_ERROR_INVALID_PTX());
        assertThat(log.getString(0)).contains("no .version");
        assertThat(values.getAtIndex(JAVA_LONG, 1)).isEqualTo(log.getString(0).length() + 1);
        assertThat(load(kernels().replace(".version 6.0", ".version 10.0")))
                .isEqualTo(CUDA_ERROR_UNSUPPORTED_PTX_VERSION());
        assertThat(load(kernels().replace("sm_50", "sm_120"))).isEqualTo(CUDA_ERROR_NO_BINARY_FOR_GPU());
        assertThat(load(kernels() + "{")).isEqualTo(CUDA_ERROR_INVALID_PTX());
        assertThat(load("\177ELF")).isEqualTo(CUDA_ERROR_NO_BINARY_FOR_GPU());
        assertThat(load("\1")).isEqualTo(CUDA_ERROR_INVALID_IMAGE());
        assertThat(StandInDriver.get("modules")).isZero();
    }

    private int load(String image) {
        return cuda.call("cuModuleLoadDataEx_v2010", cuda.out(), text(image), 0, 0, 0);
    }
}
