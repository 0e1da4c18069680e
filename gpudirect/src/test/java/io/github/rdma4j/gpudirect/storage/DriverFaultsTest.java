// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.StandInDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each call into CUDA's driver, and each into cuFile, is made to fail in turn. Then an exception names the call, a
 * second try succeeds with the right bytes, and nothing stays open at the end.
 */
class DriverFaultsTest extends StorageFixture {
    private static final int CHUNK = 4096;
    private static final int SIZE = 3 * CHUNK + 10;
    private static final int UNKNOWN = 999;
    private static final int ILLEGAL_ADDRESS = 700;
    /** More than any: waiting asks the driver again and again, on a busy machine hundreds of times. */
    private static final int MOST_CALLS = 10_000;

    private GpuStorage storage(StoragePath path) {
        StandInCuFile.set("module", 0);
        return GpuStorage.on(
                context,
                config -> config.chunkSize(CHUNK).timeout(Duration.ofSeconds(2)).only(path));
    }

    /** An operation on a file. Each one leaves equal bytes in memory and in the file. */
    private enum Use {
        READ((world) -> assertThat(world.file.read(world.memory, 0, 0, SIZE)).isEqualTo(SIZE)),
        WRITE((world) -> assertThat(world.file.write(world.memory, 0, 0, SIZE)).isEqualTo(SIZE)),
        READ_IN_ORDER((world) -> end(world.file.readAsync(world.stream, world.memory, 0, 0, SIZE))),
        WRITE_IN_ORDER((world) -> end(world.file.writeAsync(world.stream, world.memory, 0, 0, SIZE))),
        BATCH((world) -> {
            try (GpuFileBatch batch = world.file.storage().batch(2)) {
                batch.read(1, world.file, world.memory, 0, 0, CHUNK);
                batch.write(2, world.file, world.memory, CHUNK, CHUNK, SIZE - CHUNK);
                batch.submit();
                assertThat(batch.await(2, LIMIT)).isEqualTo(2);
                assertThat(batch.bytes(0) + batch.bytes(1)).isEqualTo(SIZE);
            }
        }),
        REGISTER((world) -> world.file.storage().register(world.memory).close());

        private final Consumer<World> action;

        /** The bytes that memory and file have in common in the end. */
        byte[] outcome(byte[] inFile, byte[] inMemory) {
            byte[] outcome = (this == WRITE || this == WRITE_IN_ORDER || this == BATCH ? inMemory : inFile).clone();
            if (this == BATCH) {
                System.arraycopy(inFile, 0, outcome, 0, CHUNK);
            }
            return outcome;
        }

        Use(Consumer<World> action) {
            this.action = action;
        }

        private static void end(StreamTransfer transfer) {
            assertThat(transfer.await(LIMIT)).isTrue();
            assertThat(transfer.bytes()).isEqualTo(SIZE);
        }
    }

    private record World(GpuFile file, DeviceMemory memory, CudaStream stream) {}

    @ParameterizedTest
    @EnumSource(Use.class)
    void eachCallOfTheDriverFailsInTurn(Use use) throws IOException {
        for (StoragePath path : new StoragePath[] {StoragePath.STAGED, StoragePath.COMPATIBLE}) {
            int failures = 0;
            for (int n = 1; n < MOST_CALLS; n++) {
                long callsNeeded = failsAt(use, path, n);
                if (callsNeeded < n) {
                    break;
                }
                failures++;
            }
            assertThat(failures)
                    .as("%s, %s", use, path)
                    .isBetween(path == StoragePath.STAGED && use == Use.REGISTER ? 0 : 1, MOST_CALLS - 2);
        }
    }

    /** {@return how many calls the operation has made when it did not come to the n-th} */
    private long failsAt(Use use, StoragePath path, int n) throws IOException {
        byte[] inFile = bytes(SIZE);
        byte[] inMemory = use == Use.REGISTER ? inFile : bytes(SIZE);
        byte[] data = use.outcome(inFile, inMemory);
        Path where = file(inFile);
        long made;
        try (GpuStorage storage = storage(path);
                GpuFile file = storage.open(where, READ, WRITE);
                CudaStream stream = context.createStream();
                DeviceMemory memory = memory(inMemory)) {
            World world = new World(file, memory, stream);
            StandInDriver.failAt("*", n, UNKNOWN);
            long before = StandInDriver.get("calls");
            boolean isDone = false;
            try {
                use.action.accept(world);
                isDone = true;
            } catch (CudaException e) {
                assertThat(e.resultName()).isEqualTo("CUDA_ERROR_UNKNOWN");
            } catch (StorageException e) {
                // By cuFile: its calls of the driver fail.
                assertThat(path).isEqualTo(StoragePath.COMPATIBLE);
            }
            made = StandInDriver.get("calls") - before;
            StandInDriver.noFailures();
            if (isDone) {
                assertThat(contents(memory))
                        .as("call %d failed without an exception", n)
                        .isEqualTo(data);
                assertThat(Files.readAllBytes(where)).isEqualTo(data);
            }
            use.action.accept(world);
            assertThat(contents(memory)).isEqualTo(data);
            assertThat(Files.readAllBytes(where)).isEqualTo(data);
        }
        return made;
    }

    @Test
    void eachCallOfCuFileFailsInTurn() throws IOException {
        byte[] data = bytes(SIZE);
        Path where = file(data);
        try (GpuStorage storage = storage(StoragePath.COMPATIBLE);
                GpuFile file = storage.open(where, READ, WRITE);
                CudaStream stream = context.createStream();
                DeviceMemory memory = memory(data)) {
            World world = new World(file, memory, stream);
            refused("cuFileRead", Use.READ, world);
            refused("cuFileWrite", Use.WRITE, world);
            refused("cuFileStreamRegister", Use.READ_IN_ORDER, world);
            refused("cuFileReadAsync", Use.READ_IN_ORDER, world);
            refused("cuFileReadAsync.result", Use.READ_IN_ORDER, world);
            refused("cuFileWriteAsync", Use.WRITE_IN_ORDER, world);
            refused("cuFileWriteAsync.result", Use.WRITE_IN_ORDER, world);
            refused("cuFileBatchIOSetUp", Use.BATCH, world);
            refused("cuFileBatchIOSubmit", Use.BATCH, world);
            refused("cuFileBatchIOGetStatus", Use.BATCH, world);
            refused("batch.result", Use.BATCH, world);
            refused("cuFileBufRegister", Use.REGISTER, world);
            refused("cuFileBufDeregister", Use.REGISTER, world);
            StandInCuFile.failAt("cuFileDriverGetProperties", 1, 5030);
            assertThatThrownBy(() -> storage.open(where)).isInstanceOf(CuFileException.class);
            StandInCuFile.failAt("cuFileReadAsync.result", 1, 28);
            StreamTransfer transfer = file.readAsync(stream, memory, 0, 0, SIZE);
            assertThat(transfer.await(LIMIT)).isTrue();
            assertThatThrownBy(transfer::bytes)
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("failed: -1 (an error of the file system, which cuFile does not report");
            StandInCuFile.failAt("cuFileWrite", 1, 28);
            assertThatThrownBy(() -> file.write(memory, 0, 0, SIZE))
                    .hasMessageContaining("cuFileWrite(" + where + ", offset=0, length=12298) failed: ENOSPC");
        }
    }

    private static void refused(String call, Use use, World world) {
        StandInCuFile.failAt(call, 1, CuFileStatus.INTERNAL_ERROR.number());
        assertThatThrownBy(() -> use.action.accept(world))
                .as(call)
                .isInstanceOfSatisfying(CuFileException.class, e -> {
                    assertThat(e.status()).isEqualTo(CuFileStatus.INTERNAL_ERROR);
                    assertThat(e.remedy()).contains("cufile.log");
                })
                .hasMessageContaining("failed: CU_FILE_INTERNAL_ERROR (an internal error of cuFile)");
        StandInCuFile.set("no-failures", 1);
        use.action.accept(world);
    }

    @Test
    void slowCopiesAreReported() throws IOException {
        Path where = file(bytes(SIZE));
        try (GpuStorage storage = GpuStorage.on(
                        context, config -> config.only(StoragePath.STAGED).timeout(Duration.ofMillis(20)));
                GpuFile file = storage.open(where, READ, WRITE);
                DeviceMemory memory = context.allocate(SIZE)) {
            StandInDriver.holdCopies();
            assertThatThrownBy(() -> file.read(memory, 0, 0, SIZE))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("the GPU's copies are not done after 20 ms")
                    .hasMessageContaining("Check what the GPU is doing");
            assertThatThrownBy(() -> file.write(memory, 0, 0, SIZE)).isInstanceOf(StorageException.class);
            StandInDriver.letCopiesGo();
        }
    }

    @Test
    void slowCloseIsReportedAndMayBeRepeated() throws Exception {
        Path where = file(bytes(SIZE));
        GpuStorage storage = GpuStorage.on(context, config -> config.timeout(Duration.ofMillis(20)));
        GpuFile file = storage.open(where);
        assertThat(file.decision().path()).isNotEqualTo(StoragePath.STAGED);
        DeviceMemory memory = context.allocate(SIZE);
        // cuFile copies by the driver.
        StandInDriver.holdCopies();
        CompletableFuture<Long> read =
                CompletableFuture.supplyAsync(() -> file.read(memory, 0, 0, SIZE), Thread.ofPlatform()::start);
        while (StandInCuFile.calls("cuFileRead") == 0) {
            Thread.onSpinWait();
        }
        assertThatThrownBy(file::close)
                .isInstanceOf(CudaCloseTimeoutException.class)
                .hasMessageContaining("transfers are under way for longer than 20 ms");
        assertThatThrownBy(memory::close)
                .isInstanceOf(CudaCloseTimeoutException.class)
                .hasMessageContaining("cuFile reads or writes it");
        assertThatThrownBy(storage::close).isInstanceOf(CudaCloseTimeoutException.class);
        StandInDriver.letCopiesGo();
        assertThat(read.get(60, TimeUnit.SECONDS)).isEqualTo(SIZE);
        memory.close();
        storage.close();
        assertThat(file.isOpen()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lostContextEndsAll(boolean ordered) throws IOException {
        StandInCuFile.set("module", 0);
        for (StoragePath path : List.of(StoragePath.STAGED, StoragePath.COMPATIBLE)) {
            Path where = file(bytes(SIZE));
            GpuStorage storage = storage(path);
            GpuFile file = storage.open(where);
            CudaStream stream = context.createStream();
            DeviceMemory memory = context.allocate(SIZE);
            StandInDriver.failFrom("*", 1, ILLEGAL_ADDRESS);
            assertThatThrownBy(() -> {
                        if (ordered) {
                            file.readAsync(stream, memory, 0, 0, SIZE);
                        } else {
                            file.read(memory, 0, 0, SIZE);
                        }
                    })
                    .isInstanceOf(RuntimeException.class);
            StandInDriver.noFailures();
            storage.close();
            memory.close();
            stream.close();
        }
    }
}
