// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Simulates what files on a test machine do not do: short transfers, refused O_DIRECT, errors in the middle. */
class FileFaultsTest extends StorageFixture {
    private static final int CHUNK = 8192;
    private static final int SIZE = 6 * CHUNK + 500;
    private static final int IO_ERROR = 5;
    private static final int NO_SPACE = 28;

    private final FaultyFiles files = new FaultyFiles();

    private GpuStorage storage(int threads) {
        return GpuStorage.on(
                context,
                config -> config.only(StoragePath.STAGED)
                        .chunkSize(CHUNK)
                        .threads(threads)
                        .timeout(LIMIT),
                files);
    }

    @AfterEach
    void allDescriptorsAreClosed() {
        assertThat(files.open).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 700, 4096, 5000, 8192})
    void shortReadsAndWritesAreGoneOnWith(long most) throws IOException {
        byte[] data = bytes(SIZE);
        byte[] other = bytes(SIZE - 77);
        Path path = file(data);
        files.most = most;
        try (GpuStorage storage = storage(1);
                GpuFile file = storage.open(path, READ, WRITE);
                DeviceMemory target = context.allocate(SIZE);
                DeviceMemory source = memory(other)) {
            assertThat(file.read(target, 0, 0, SIZE)).isEqualTo(SIZE);
            assertThat(contents(target)).isEqualTo(data);
            assertThat(file.write(source, 0, 33, other.length)).isEqualTo(other.length);
            System.arraycopy(other, 0, data, 33, other.length);
            assertThat(Files.readAllBytes(path)).isEqualTo(data);
        }
    }

    @Test
    void wholeBlocksGoDirectly() throws IOException {
        try (GpuStorage storage = storage(1);
                GpuFile file = storage.open(file(bytes(SIZE)), READ, WRITE);
                DeviceMemory memory = context.allocate(SIZE)) {
            assertThat(file.isDirectIo()).isTrue();
            file.read(memory, 0, 0, 2 * CHUNK);
            assertThat(files.directReads).hasValue(2);
            file.write(memory, 0, 4095, 2 * CHUNK);
            assertThat(files.directWrites).hasValue(2);
            assertThat(files.advised).hasValue(0);
        }
    }

    @Test
    void fileWithoutDirectTransfersGoesByThePageCache() throws IOException {
        byte[] data = bytes(SIZE);
        Path path = file(data);
        for (boolean atOpening : new boolean[] {true, false}) {
            files.noDirectOpen = atOpening;
            files.noDirectTransfer = true;
            for (boolean write : new boolean[] {true, false}) {
                try (GpuStorage storage = storage(1);
                        GpuFile file = storage.open(path, READ, WRITE);
                        DeviceMemory memory = memory(data)) {
                    assertThat(file.isDirectIo()).isEqualTo(!atOpening);
                    if (write) {
                        Files.write(path, new byte[SIZE]);
                        assertThat(file.write(memory, 0, 0, SIZE)).isEqualTo(SIZE);
                        assertThat(Files.readAllBytes(path)).isEqualTo(data);
                    } else {
                        memory.fill(0, SIZE, (byte) 0);
                        assertThat(file.read(memory, 0, 0, SIZE)).isEqualTo(SIZE);
                        assertThat(contents(memory)).isEqualTo(data);
                        assertThat(files.advised.get()).isPositive();
                    }
                    assertThat(file.isDirectIo()).isFalse();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void errorInTheMiddleReportsTheTransferredBytes(int threads) throws IOException {
        byte[] data = bytes(SIZE);
        Path path = file(data);
        files.failFrom = 2 * CHUNK + 100;
        try (GpuStorage storage = storage(threads);
                GpuFile file = storage.open(path, READ, WRITE);
                DeviceMemory target = context.allocate(SIZE);
                DeviceMemory source = memory(bytes(SIZE))) {
            files.errno = IO_ERROR;
            assertThatThrownBy(() -> file.read(target, 0, 0, SIZE))
                    .isInstanceOfSatisfying(StorageException.class, e -> {
                        assertThat(e.transferred()).isEqualTo(2 * CHUNK);
                        assertThat(e.code()).isEqualTo(IO_ERROR);
                    })
                    .hasMessageContaining("pread(" + path + ", offset=16384, length=8192) failed: EIO")
                    .hasMessageContaining("See the kernel's log");
            assertThat(Arrays.copyOf(contents(target), 2 * CHUNK)).isEqualTo(Arrays.copyOf(data, 2 * CHUNK));
            files.errno = NO_SPACE;
            assertThatThrownBy(() -> file.write(source, 0, 0, SIZE))
                    .isInstanceOfSatisfying(
                            StorageException.class,
                            e -> assertThat(e.transferred()).isEqualTo(2 * CHUNK))
                    .hasMessageContaining("failed: ENOSPC (no space left on the device), after 16384 bytes");
            assertThat(Arrays.copyOf(Files.readAllBytes(path), 2 * CHUNK))
                    .isEqualTo(Arrays.copyOf(contents(source), 2 * CHUNK));
            assertThatThrownBy(file::sync).hasMessageContaining("fsync(");
            assertThatThrownBy(() -> file.truncate(5)).hasMessageContaining("ftruncate(");
            files.failFrom = Long.MAX_VALUE;
            files.errno = 0;
            assertThat(file.write(source, 0, 0, SIZE)).isEqualTo(SIZE);
            assertThat(file.read(target, 0, 0, SIZE)).isEqualTo(SIZE);
            assertThat(contents(target)).isEqualTo(contents(source));
        }
    }

    @Test
    void writeOfNothingIsAnError() throws IOException {
        try (GpuStorage storage = storage(1);
                GpuFile file = storage.open(file(bytes(1)), WRITE);
                DeviceMemory memory = context.allocate(SIZE)) {
            files.most = 0;
            assertThatThrownBy(() -> file.write(memory, 0, 0, SIZE)).hasMessageContaining("EIO");
        }
    }

    @Test
    void streamGoesOnAfterAFailure() throws IOException {
        byte[] before = bytes(SIZE);
        try (GpuStorage storage = storage(1);
                GpuFile file = storage.open(file(bytes(SIZE)), READ, WRITE);
                CudaStream stream = context.createStream();
                DeviceMemory memory = memory(before)) {
            files.failFrom = CHUNK + 1;
            files.errno = IO_ERROR;
            StreamTransfer read = file.readAsync(stream, memory, 0, CHUNK, SIZE - CHUNK);
            StreamTransfer write = file.writeAsync(stream, memory, 0, CHUNK, CHUNK);
            stream.fill(memory, SIZE - 1, 1, (byte) 9);
            assertThat(read.await(LIMIT)).isTrue();
            assertThat(write.await(LIMIT)).isTrue();
            assertThat(stream.await(LIMIT)).isTrue();
            assertThatThrownBy(read::bytes).isInstanceOf(StorageException.class).hasMessageContaining("EIO");
            assertThatThrownBy(write::bytes).isInstanceOf(StorageException.class);
            before[SIZE - 1] = 9;
            assertThat(contents(memory)).isEqualTo(before);
            files.failFrom = Long.MAX_VALUE;
            StreamTransfer again = file.readAsync(stream, memory, 0, 0, SIZE);
            assertThatThrownBy(again::bytes).isInstanceOf(IllegalStateException.class);
            assertThat(again.await(LIMIT)).isTrue();
            assertThat(again.bytes()).isEqualTo(SIZE);
        }
    }
}
