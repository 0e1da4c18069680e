// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.StandInDriver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** A stream that waits in the driver keeps no other stream waiting. */
class StreamStoreTest extends StorageFixture {
    private static final int SIZE = 4096;

    /** On one CPU the common pool has one thread. */
    private static final Executor OWN_THREAD =
            task -> Thread.ofPlatform().daemon().start(task);

    private GpuStorage storage(StoragePath path) {
        StandInCuFile.set("module", 0);
        return GpuStorage.on(context, config -> config.only(path));
    }

    private static void awaitCall(LongSupplier calls, long before) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (calls.getAsLong() == before) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(1);
        }
    }

    private static void read(GpuFile file, CudaStream stream, DeviceMemory memory) {
        file.readAsync(stream, memory, 0, 0, SIZE);
        assertThat(stream.await(LIMIT)).isTrue();
    }

    @Test
    void streamWithItsChunkDoesNotWaitForTheChunkOfAnother() throws Exception {
        LongSupplier allocations = () -> StandInDriver.calls("cuMemHostAlloc");
        try (GpuStorage storage = storage(StoragePath.STAGED);
                GpuFile file = storage.open(file(bytes(SIZE)));
                DeviceMemory memory = context.allocate(SIZE);
                CudaStream known = context.createStream();
                CudaStream other = context.createStream()) {
            read(file, known, memory);
            long before = allocations.getAsLong();
            StandInDriver.block("cuMemHostAlloc");
            CompletableFuture<Void> waiting;
            try {
                waiting = CompletableFuture.runAsync(() -> read(file, other, memory), OWN_THREAD);
                awaitCall(allocations, before);
                CompletableFuture.runAsync(() -> read(file, known, memory), OWN_THREAD)
                        .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                assertThat(waiting).isNotDone();
            } finally {
                StandInDriver.block("");
            }
            waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void closeOfAStreamDoesNotWaitForTheRegistrationOfAnother() throws Exception {
        LongSupplier registrations = () -> StandInCuFile.calls("cuFileStreamRegister");
        try (GpuStorage storage = storage(StoragePath.COMPATIBLE);
                GpuFile file = storage.open(file(bytes(SIZE)));
                DeviceMemory memory = context.allocate(SIZE);
                CudaStream known = context.createStream();
                CudaStream other = context.createStream()) {
            read(file, known, memory);
            StandInCuFile.set("block", "cuFileStreamRegister");
            CompletableFuture<Void> waiting;
            try {
                waiting = CompletableFuture.runAsync(() -> read(file, other, memory), OWN_THREAD);
                awaitCall(registrations, 1);
                CompletableFuture.runAsync(known::close, OWN_THREAD).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                assertThat(waiting).isNotDone();
            } finally {
                StandInCuFile.set("block", "");
            }
            waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
