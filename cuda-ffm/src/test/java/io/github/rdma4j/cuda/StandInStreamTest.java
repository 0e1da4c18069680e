// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static io.github.rdma4j.cuda.bindings.CudaHeaders.*;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.bindings.CUhostFn;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the stand-in itself: asynchronous work and its order. */
@ExtendWith(StandInDriver.class)
@Timeout(600)
class StandInStreamTest {
    private static final int SIZE = 4096;
    private final RawDriver cuda = new RawDriver();
    private long context;
    private long device;
    private MemorySegment host;

    @BeforeEach
    void start() {
        cuda.ok("cuInit_v2000", 0);
        context = cuda.made("cuCtxCreate_v3020", 0, 0);
        device = cuda.made("cuMemAlloc_v3020", SIZE);
        host = cuda.pinned(SIZE);
    }

    @AfterEach
    void stop() {
        cuda.ok("cuCtxSetCurrent_v4000", 0);
        cuda.close();
    }

    private long stream() {
        return cuda.made("cuStreamCreateWithPriority_v5050", CU_STREAM_NON_BLOCKING(), 0);
    }

    private byte[] read() {
        MemorySegment to = cuda.pageable(SIZE);
        cuda.ok("cuMemcpyDtoH_v3020", to, device, SIZE);
        return to.toArray(JAVA_BYTE);
    }

    @Test
    void copyOfPinnedMemoryMovesLaterAndAStreamIsInOrder() {
        StandInDriver.holdCopies();
        long stream = stream();
        cuda.ok("cuMemsetD8Async_v3020", device, (byte) 1, SIZE, stream);
        host.fill((byte) 5);
        cuda.ok("cuMemcpyHtoDAsync_v3020", device, host, SIZE / 2, stream);
        assertThat(cuda.call("cuStreamQuery_v2000", stream)).isEqualTo(CUDA_ERROR_NOT_READY());
        // The copy runs later, so it reads these bytes. A program must not overlook that.
        host.fill((byte) 6);
        StandInDriver.letCopiesGo();
        cuda.ok("cuStreamSynchronize_v2000", stream);
        cuda.ok("cuStreamQuery_v2000", stream);
        byte[] now = read();
        assertThat(now[0]).isEqualTo((byte) 6);
        assertThat(now[SIZE - 1]).isEqualTo((byte) 1);
        assertThat(StandInDriver.get("copies.pageable")).isZero();
    }

    @Test
    void copyOfPageableMemoryIsDoneWhenTheCallReturns() {
        StandInDriver.copyDelay(20_000, 0);
        MemorySegment pageable = cuda.pageable(SIZE);
        pageable.fill((byte) 5);
        long stream = stream();
        cuda.ok("cuMemcpyHtoDAsync_v3020", device, pageable, SIZE, stream);
        cuda.ok("cuStreamQuery_v2000", stream);
        assertThat(StandInDriver.get("copies.pageable")).isEqualTo(1);
    }

    @Test
    void streamsRunSideBySideUnlessAnEventTiesThem() {
        long first = stream();
        long second = stream();
        MemorySegment gate = cuda.pinned(8);
        long event = cuda.made("cuEventCreate_v2000", 0);
        cuda.ok("cuStreamWaitValue32_v11070", first, gate.address(), 1, CU_STREAM_WAIT_VALUE_EQ());
        cuda.ok("cuMemsetD8Async_v3020", device, (byte) 1, SIZE, first);
        cuda.ok("cuEventRecord_v2000", event, first);
        cuda.ok("cuMemsetD8Async_v3020", device, (byte) 2, SIZE, second);
        cuda.ok("cuStreamSynchronize_v2000", second);
        assertThat(cuda.call("cuEventQuery_v2000", event)).isEqualTo(CUDA_ERROR_NOT_READY());

        cuda.ok("cuStreamWaitEvent_v3020", second, event, 0);
        cuda.ok("cuMemsetD8Async_v3020", device, (byte) 3, SIZE / 2, second);
        assertThat(cuda.call("cuStreamQuery_v2000", second)).isEqualTo(CUDA_ERROR_NOT_READY());
        gate.setAtIndex(JAVA_INT, 0, 1);
        cuda.ok("cuStreamSynchronize_v2000", second);
        cuda.ok("cuEventSynchronize_v2000", event);
        byte[] now = read();
        assertThat(now[0]).isEqualTo((byte) 3);
        assertThat(now[SIZE - 1]).isEqualTo((byte) 1);
    }

    @Test
    void nullStreamAndBlockingStreamsWaitForEachOther() {
        MemorySegment gate = cuda.pinned(8);
        long blocking = cuda.made("cuStreamCreateWithPriority_v5050", 0, 0);
        cuda.ok("cuStreamWaitValue32_v11070", blocking, gate.address(), 1, CU_STREAM_WAIT_VALUE_EQ());
        cuda.ok("cuMemsetD8Async_v3020", device, (byte) 1, SIZE, 0);
        long other = cuda.made("cuStreamCreateWithPriority_v5050", 0, 0);
        cuda.ok("cuMemsetD8Async_v3020", device, (byte) 2, SIZE / 2, other);
        assertThat(cuda.call("cuStreamQuery_v2000", other)).isEqualTo(CUDA_ERROR_NOT_READY());
        assertThat(cuda.call("cuStreamQuery_v2000", 0)).isEqualTo(CUDA_ERROR_NOT_READY());
        gate.setAtIndex(JAVA_INT, 0, 1);
        byte[] now = read();
        assertThat(now[0]).isEqualTo((byte) 2);
        assertThat(now[SIZE - 1]).isEqualTo((byte) 1);
    }

    @Test
    void fillReturnsBeforeItIsDoneUnlessTheMemorySynchronises() {
        MemorySegment gate = cuda.pinned(8);
        cuda.ok("cuStreamWaitValue32_v11070", 0, gate.address(), 1, CU_STREAM_WAIT_VALUE_EQ());
        cuda.ok("cuMemsetD8_v3020", device, (byte) 1, SIZE);
        assertThat(cuda.call("cuStreamQuery_v2000", 0)).isEqualTo(CUDA_ERROR_NOT_READY());
        gate.setAtIndex(JAVA_INT, 0, 1);
        cuda.ok("cuCtxSynchronize_v2000");

        StandInDriver.copyDelay(50_000, 0);
        MemorySegment one = cuda.pageable(4);
        one.set(JAVA_INT, 0, 1);
        cuda.ok("cuPointerSetAttribute_v6000", one, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS(), device);
        cuda.ok("cuMemsetD8_v3020", device, (byte) 2, SIZE);
        cuda.ok("cuStreamQuery_v2000", 0);
    }

    @Test
    void waitValuesOfEachKindAndWidth() {
        long stream = stream();
        MemorySegment words = cuda.pinned(16);
        words.set(JAVA_INT, 0, -1);
        cuda.ok("cuStreamWaitValue32_v11070", stream, words.address(), 0x7fffffff, CU_STREAM_WAIT_VALUE_GEQ());
        assertNotDone(stream);
        words.set(JAVA_INT, 0, 0x80000005);
        cuda.ok("cuStreamSynchronize_v2000", stream);
        cuda.ok("cuStreamWaitValue64_v11070", stream, words.address() + 8, 6, CU_STREAM_WAIT_VALUE_AND());
        assertNotDone(stream);
        words.set(JAVA_LONG, 8, 4);
        cuda.ok("cuStreamSynchronize_v2000", stream);
        words.set(JAVA_INT, 0, -2);
        cuda.ok("cuStreamWaitValue32_v11070", stream, words.address(), 1, CU_STREAM_WAIT_VALUE_NOR());
        assertNotDone(stream);
        words.set(JAVA_INT, 0, -3);
        cuda.ok("cuStreamSynchronize_v2000", stream);
        cuda.ok("cuStreamWriteValue64_v11070", stream, words.address() + 8, 77L, 0);
        cuda.ok("cuStreamWriteValue32_v11070", stream, device + 4, 78, 0);
        assertThat(cuda.call("cuStreamWriteValue32_v11070", stream, device + 4, 79, 1))
                .as("NO_MEMORY_BARRIER, which drivers refuse here")
                .isEqualTo(CUDA_ERROR_INVALID_VALUE());
        cuda.ok("cuStreamSynchronize_v2000", stream);
        assertThat(words.get(JAVA_LONG, 8)).isEqualTo(77);
        assertThat(MemorySegment.ofArray(read()).get(JAVA_INT.withByteAlignment(1), 4))
                .isEqualTo(78);

        assertThat(cuda.call("cuStreamWaitValue32_v11070", stream, words.address() + 2, 0, 0))
                .isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(cuda.call(
                        "cuStreamWaitValue32_v11070", stream, cuda.pageable(8).address(), 0, 0))
                .isEqualTo(CUDA_ERROR_INVALID_VALUE());
        assertThat(cuda.call("cuStreamWaitValue32_v11070", stream, device, 0, CU_STREAM_WAIT_VALUE_FLUSH()))
                .isEqualTo(CUDA_ERROR_NOT_SUPPORTED());
        StandInDriver.attribute(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS(), 0);
        assertThat(cuda.call("cuStreamWriteValue64_v11070", stream, device, 0, 0))
                .isEqualTo(CUDA_ERROR_NOT_SUPPORTED());
    }

    private void assertNotDone(long stream) {
        try {
            Thread.sleep(Duration.ofMillis(20));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(cuda.call("cuStreamQuery_v2000", stream)).isEqualTo(CUDA_ERROR_NOT_READY());
    }

    @Test
    void callbacksComeInOrderAndMayNotCallTheDriver() {
        List<Integer> seen = new CopyOnWriteArrayList<>();
        try (Arena arena = Arena.ofShared()) {
            long stream = stream();
            MemorySegment callback = CUhostFn.allocate(
                    data -> {
                        seen.add((int) data.address());
                        seen.add(cuda.call("cuCtxSynchronize_v2000"));
                    },
                    arena);
            cuda.ok("cuLaunchHostFunc_v10000", stream, callback, 7);
            cuda.ok("cuLaunchHostFunc_v10000", stream, callback, 8);
            cuda.ok("cuStreamSynchronize_v2000", stream);
        }
        assertThat(seen).containsExactly(7, CUDA_ERROR_NOT_PERMITTED(), 8, CUDA_ERROR_NOT_PERMITTED());
    }

    @Test
    void eventsMeasureTime() {
        long stream = stream();
        long start = cuda.made("cuEventCreate_v2000", 0);
        long end = cuda.made("cuEventCreate_v2000", 0);
        assertThat(cuda.call("cuEventElapsedTime_v2000", cuda.out(), start, end))
                .isEqualTo(CUDA_ERROR_INVALID_HANDLE());
        cuda.ok("cuEventQuery_v2000", start);
        StandInDriver.copyDelay(30_000, 0);
        StandInDriver.holdCopies();
        cuda.ok("cuEventRecord_v2000", start, stream);
        cuda.ok("cuMemcpyHtoDAsync_v3020", device, host, SIZE, stream);
        cuda.ok("cuEventRecord_v2000", end, stream);
        assertThat(cuda.call("cuEventElapsedTime_v2000", cuda.out(), start, end))
                .isEqualTo(CUDA_ERROR_NOT_READY());
        StandInDriver.letCopiesGo();
        cuda.ok("cuEventSynchronize_v2000", end);
        cuda.ok("cuEventElapsedTime_v2000", cuda.out(), start, end);
        assertThat(cuda.floatOut()).isBetween(30f, 30_000f);
        long untimed = cuda.made("cuEventCreate_v2000", CU_EVENT_DISABLE_TIMING());
        cuda.ok("cuEventRecord_v2000", untimed, stream);
        assertThat(cuda.call("cuEventElapsedTime_v2000", cuda.out(), start, untimed))
                .isEqualTo(CUDA_ERROR_INVALID_HANDLE());
    }

    @Test
    void destroyedStreamIsNoHandleAndItsWorkStillRuns() {
        long stream = stream();
        long event = cuda.made("cuEventCreate_v2000", 0);
        StandInDriver.copyDelay(30_000, 0);
        host.fill((byte) 9);
        cuda.ok("cuMemcpyHtoDAsync_v3020", device, host, SIZE, stream);
        cuda.ok("cuStreamDestroy_v4000", stream);
        cuda.ok("cuEventDestroy_v4000", event);
        assertThat(cuda.call("cuStreamSynchronize_v2000", stream)).isEqualTo(CUDA_ERROR_INVALID_HANDLE());
        assertThat(cuda.call("cuStreamDestroy_v4000", stream)).isEqualTo(CUDA_ERROR_INVALID_HANDLE());
        assertThat(cuda.call("cuEventRecord_v2000", event, 0)).isEqualTo(CUDA_ERROR_INVALID_HANDLE());
        cuda.ok("cuCtxSynchronize_v2000");
        assertThat(read()).containsOnly(9);
        assertThat(StandInDriver.open()).containsOnlyKeys("contexts", "allocations", "allocations.host");
    }

    @Test
    void freeingMemoryWaitsForItsUse() {
        long stream = stream();
        StandInDriver.copyDelay(50_000, 0);
        cuda.ok("cuMemcpyDtoHAsync_v3020", host, device, SIZE, stream);
        cuda.ok("cuMemFree_v3020", device);
        cuda.ok("cuStreamQuery_v2000", stream);
        long pool = cuda.made("cuMemAllocAsync_v11020", SIZE, stream);
        cuda.ok("cuMemsetD8Async_v3020", pool, (byte) 4, SIZE, stream);
        cuda.ok("cuMemcpyDtoHAsync_v3020", host, pool, SIZE, stream);
        cuda.ok("cuMemFreeAsync_v11020", pool, stream);
        assertThat(cuda.call("cuMemFreeAsync_v11020", pool, stream)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        cuda.ok("cuStreamSynchronize_v2000", stream);
        assertThat(host.toArray(JAVA_BYTE)).containsOnly(4);
        assertThat(StandInDriver.get("allocations")).isZero();
    }

    @Test
    void contextGoesWhenItsStreamsAreDone() throws InterruptedException {
        long stream = stream();
        MemorySegment word = host.asSlice(0, 4);
        word.set(JAVA_INT, 0, 0);
        cuda.ok("cuStreamWaitValue32_v11070", stream, word.address(), 1, CU_STREAM_WAIT_VALUE_EQ());
        cuda.ok("cuMemcpyHtoDAsync_v3020", device, host, SIZE, stream);
        Thread destroyer = Thread.ofPlatform().start(() -> cuda.ok("cuCtxDestroy_v4000", context));
        try {
            assertThat(destroyer.join(Duration.ofMillis(20))).isFalse();
        } finally {
            JAVA_INT.varHandle().setRelease(word, 0L, 1);
        }
        assertThat(destroyer.join(Duration.ofSeconds(20))).isTrue();
        assertThat(StandInDriver.open()).isEmpty();
        assertThat(StandInDriver.get("threads")).isZero();
        assertThat(StandInDriver.get("bytes.htod")).isEqualTo(SIZE);
    }
}
