// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.CudaWaitInterruptedException;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.cuda.WaitCondition;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the behaviour that all paths share, with real files. */
abstract class GpuFileContract extends StorageFixture {
    static final int CHUNK = 8192;

    GpuStorage storage;

    abstract void configure(StorageConfig config);

    abstract StoragePath path();

    @BeforeEach
    void openStorage() {
        storage = GpuStorage.on(context, config -> {
            config.chunkSize(CHUNK).timeout(LIMIT);
            configure(config);
        });
    }

    @AfterEach
    void closeStorage() {
        storage.close();
    }

    @Test
    void fileIsWrittenAndReadWhole() throws IOException {
        byte[] data = bytes(5 * CHUNK + 77);
        Path path = folder.resolve("whole");
        try (DeviceMemory source = memory(data);
                GpuFile file = storage.open(path, READ, WRITE, CREATE_NEW);
                DeviceMemory target = context.allocate(data.length)) {
            assertThat(file.decision().path()).isEqualTo(path());
            assertThat(file.write(source, 0, 0, data.length)).isEqualTo(data.length);
            file.sync();
            assertThat(file.size()).isEqualTo(data.length);
            assertThat(Files.readAllBytes(path)).isEqualTo(data);
            assertThat(file.read(target.slice(), 0)).isEqualTo(data.length);
            assertThat(contents(target)).isEqualTo(data);
        }
    }

    @Test
    void anyOffsetAndLengthIsRead() throws IOException {
        byte[] data = bytes(4 * CHUNK);
        byte[] before = bytes(3 * CHUNK);
        try (GpuFile file = storage.open(file(data))) {
            for (int offset : new int[] {0, 1, 4095, 4096, 4097, CHUNK - 1, CHUNK, 12_345}) {
                for (int length : new int[] {0, 1, 2, 4095, 4096, CHUNK, CHUNK + 1, 18_000}) {
                    try (DeviceMemory target = memory(before)) {
                        assertThat(file.read(target, 3, offset, length)).isEqualTo(length);
                        byte[] expected = before.clone();
                        System.arraycopy(data, offset, expected, 3, length);
                        assertThat(contents(target))
                                .as("%d at %d", length, offset)
                                .isEqualTo(expected);
                    }
                }
            }
        }
    }

    @Test
    void anyOffsetAndLengthIsWritten() throws IOException {
        byte[] before = bytes(4 * CHUNK);
        byte[] data = bytes(3 * CHUNK);
        Path path = file(before);
        try (DeviceMemory source = memory(data);
                GpuFile file = storage.open(path, WRITE)) {
            for (int offset : new int[] {0, 1, 4095, 4096, 4097, CHUNK - 1, CHUNK, 12_345}) {
                for (int length : new int[] {0, 1, 2, 4095, 4096, CHUNK, CHUNK + 1, 18_000}) {
                    assertThat(file.write(source, 5, offset, length)).isEqualTo(length);
                    System.arraycopy(data, 5, before, offset, length);
                    assertThat(Files.readAllBytes(path))
                            .as("%d at %d", length, offset)
                            .isEqualTo(before);
                    data[5]++;
                    source.fill(5, 1, data[5]);
                }
            }
        }
    }

    @Test
    void behindTheEndNothingIsReadAndMemoryStaysAsItWas() throws IOException {
        int size = 2 * CHUNK + 1000;
        byte[] data = bytes(size);
        byte[] before = bytes(4 * CHUNK);
        try (GpuFile file = storage.open(file(data))) {
            for (int offset : new int[] {0, 17, size - 1, size, size + 1, 3 * CHUNK, 1 << 20}) {
                try (DeviceMemory target = memory(before)) {
                    int there = Math.max(0, size - offset);
                    assertThat(file.read(target, 0, offset, before.length)).isEqualTo(there);
                    byte[] expected = before.clone();
                    if (there > 0) {
                        System.arraycopy(data, offset, expected, 0, there);
                    }
                    assertThat(contents(target)).as("at %d", offset).isEqualTo(expected);
                }
            }
        }
    }

    @Test
    void holesAreZeros() throws IOException {
        Path path = folder.resolve("sparse");
        try (RandomAccessFile sparse = new RandomAccessFile(path.toFile(), "rw")) {
            sparse.seek(3 * CHUNK);
            sparse.write(1);
        }
        byte[] one = {2};
        try (GpuFile file = storage.open(path, READ, WRITE);
                DeviceMemory source = memory(one);
                DeviceMemory target = memory(bytes(6 * CHUNK))) {
            file.write(source, 0, 5 * CHUNK + 3, 1);
            assertThat(file.read(target, 0, 0, 6 * CHUNK)).isEqualTo(5 * CHUNK + 4);
            byte[] expected = new byte[5 * CHUNK + 4];
            expected[3 * CHUNK] = 1;
            expected[5 * CHUNK + 3] = 2;
            assertThat(Arrays.copyOf(contents(target), expected.length)).isEqualTo(expected);
        }
    }

    @Test
    void sizeTruncationAndOptions() throws IOException {
        Path path = file(bytes(100));
        try (GpuFile file = storage.open(path, WRITE, TRUNCATE_EXISTING)) {
            assertThat(file.size()).isZero();
            file.truncate(12_000);
            assertThat(Files.size(path)).isEqualTo(12_000);
            assertThatThrownBy(() -> file.truncate(-1)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> storage.open(path, WRITE, CREATE_NEW))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("EEXIST")
                .hasMessageContaining("Do not pass CREATE_NEW");
        assertThatThrownBy(() -> storage.open(folder.resolve("none")))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("ENOENT")
                .hasMessageContaining("Pass CREATE and WRITE");
        assertThatThrownBy(() -> storage.open(folder, WRITE))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("EISDIR");
        storage.open(folder.resolve("made"), WRITE, CREATE).close();
        assertThat(folder.resolve("made")).exists();
    }

    @Test
    void fileIsReadOrWrittenOnlyAsItWasOpened() throws IOException {
        Path path = file(bytes(10));
        try (DeviceMemory memory = context.allocate(10);
                GpuFile reader = storage.open(path);
                GpuFile writer = storage.open(path, WRITE)) {
            assertThatThrownBy(() -> reader.write(memory, 0, 0, 10))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Open it with WRITE");
            assertThatThrownBy(() -> reader.truncate(1)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> writer.read(memory, 0, 0, 10))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Open it with READ");
        }
    }

    @Test
    @Timeout(60)
    void pipeIsRefusedAndNotWaitedFor() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        for (OpenOption access : List.of(READ, WRITE)) {
            assertThatThrownBy(() -> storage.open(pipe, access))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("ESPIPE")
                    .hasMessageContaining("Use a regular file, not a pipe or a socket");
        }
    }

    /** Another file of this machine may have the same name. */
    @Test
    void pathOfAnotherFileSystemIsNotTakenForOneOfThisMachine() throws Exception {
        Path there = file(bytes(10));
        URI archive = URI.create("jar:" + folder.resolve("archive.zip").toUri());
        try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
            Path inside = zip.getPath(there.toString());
            assertThatThrownBy(() -> storage.open(inside, WRITE, TRUNCATE_EXISTING))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("archive.zip")
                    .hasMessageContaining("copy it to a file of its own");
        }
        assertThat(there).hasSize(10);
    }

    /** As a listing gives it: there are no characters for its name. */
    @Test
    void fileIsFoundByTheBytesOfItsName() throws Exception {
        Process shell = new ProcessBuilder("sh", "-c", "printf 0123456789 >\"$(printf 'name-\\344 +%%41')\"")
                .directory(folder.toFile())
                .start();
        assertThat(shell.waitFor()).isZero();
        Path listed;
        try (Stream<Path> files = Files.list(folder)) {
            listed = files.filter(file -> file.toString().contains("name-"))
                    .findFirst()
                    .orElseThrow();
        }
        assertThat(listed.toString()).contains("\ufffd");
        try (GpuFile file = storage.open(listed)) {
            assertThat(file.size()).isEqualTo(10);
        }
    }

    @Test
    void fullDeviceIsReportedByName() {
        try (DeviceMemory memory = context.allocate(3 * CHUNK);
                GpuFile full = storage.open(Path.of("/dev/full"), WRITE)) {
            assertThatThrownBy(() -> full.write(memory, 0, 0, 3 * CHUNK))
                    .isInstanceOfSatisfying(StorageException.class, e -> {
                        assertThat(e.codeName()).isEqualTo("ENOSPC");
                        assertThat(e.remedy()).contains("df");
                        assertThat(e.transferred()).isZero();
                    });
        }
    }

    @Test
    void rangesAndMemoryAreChecked() throws IOException {
        try (GpuFile file = storage.open(file(bytes(10)));
                DeviceMemory memory = context.allocate(10);
                CudaContext other = Cuda.device(0).createContext();
                DeviceMemory foreign = other.allocate(10)) {
            assertThatThrownBy(() -> file.read(memory, 0, 0, 11)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.read(memory, -1, 0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.read(memory, 0, -1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.read(memory, 0, Long.MAX_VALUE, 1))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.read(foreign, 0, 0, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(foreign + " is of " + other + ", and the storage of " + context
                            + ". Make a GpuStorage on the memory's context");
            memory.close();
            assertThatThrownBy(() -> file.read(memory, 0, 0, 1)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void closingWaitsForThoseWhoRead() throws Exception {
        byte[] data = bytes(6 * CHUNK);
        DeviceMemory memory = context.allocate(data.length);
        GpuFile file = storage.open(file(data));
        CountDownLatch begun = new CountDownLatch(1);
        AtomicReference<RuntimeException> ending = new AtomicReference<>();
        Thread reader = Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    assertThat(file.read(memory, 0, 0, data.length)).isEqualTo(data.length);
                    begun.countDown();
                }
            } catch (RuntimeException e) {
                ending.set(e);
            }
        });
        begun.await();
        file.close();
        file.close();
        memory.close();
        reader.join();
        assertThat(ending.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("is closed");
        assertThatThrownBy(file::size).isInstanceOf(IllegalStateException.class);
    }

    /** No context is current on a thread of the system that has not used CUDA yet. */
    @Test
    void anyThreadMayUseAStorage() throws Exception {
        byte[] data = bytes(CHUNK);
        Path path = file(data);
        CompletableFuture<byte[]> read = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try (GpuFile file = storage.open(path);
                    DeviceMemory memory = context.allocate(CHUNK);
                    RegisteredMemory registered = storage.register(memory)) {
                file.read(registered.memory(), 0, 0, CHUNK);
                read.complete(contents(memory));
            } catch (RuntimeException e) {
                read.completeExceptionally(e);
            }
        });
        assertThat(read.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(data);
    }

    @Test
    void memoryIsNotFreedUnderARead() throws Exception {
        byte[] data = bytes(6 * CHUNK);
        DeviceMemory memory = context.allocate(data.length);
        try (GpuFile file = storage.open(file(data))) {
            CountDownLatch begun = new CountDownLatch(3);
            AtomicReference<RuntimeException> ending = new AtomicReference<>();
            Thread reader = Thread.ofPlatform().start(() -> {
                try {
                    while (true) {
                        file.read(memory, 0, 0, data.length);
                        begun.countDown();
                    }
                } catch (RuntimeException e) {
                    ending.set(e);
                }
            });
            begun.await();
            memory.close();
            reader.join();
            assertThat(ending.get()).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void interruptedThreadReadsOrThrows() throws IOException {
        byte[] data = bytes(3 * CHUNK);
        try (GpuFile file = storage.open(file(data));
                DeviceMemory memory = context.allocate(data.length)) {
            for (int i = 0; i < 20; i++) {
                Thread.currentThread().interrupt();
                try {
                    file.read(memory, 0, 0, data.length);
                } catch (CudaWaitInterruptedException e) {
                    // A copy was not done at once.
                    assertThat(path()).isEqualTo(StoragePath.STAGED);
                }
                assertThat(Thread.interrupted()).isTrue();
            }
            assertThat(file.read(memory, 0, 0, data.length)).isEqualTo(data.length);
            assertThat(contents(memory)).isEqualTo(data);
        }
    }

    @Test
    void interruptEndsTheWaitForAStreamsTransfer() throws IOException {
        byte[] data = bytes(2 * CHUNK);
        try (GpuFile file = storage.open(file(data));
                DeviceMemory memory = context.allocate(data.length);
                HostMemory word = context.allocateHost(8);
                CudaStream stream = context.createStream()) {
            word.segment().fill((byte) 0);
            stream.waitForValue(word, 0, 1, WaitCondition.EQUAL);
            StreamTransfer transfer = file.readAsync(stream, memory, 0, 0, data.length);
            Thread.currentThread().interrupt();
            Throwable end = catchThrowable(() -> transfer.await(LIMIT));
            assertThat(Thread.interrupted()).isTrue();
            ValueLayout.JAVA_INT.varHandle().setRelease(word.segment(), 0L, 1);
            assertThat(end).isInstanceOf(CudaWaitInterruptedException.class);
            assertThat(transfer.await(LIMIT)).isTrue();
            assertThat(contents(memory)).isEqualTo(data);
        }
    }

    /** A batch also returns its finished transfers if the thread was interrupted, so that none is lost. */
    @Test
    void interruptEndsTheWaitForABatchAndNotItsClose() throws IOException {
        byte[] data = bytes(CHUNK);
        try (GpuFile file = storage.open(file(data));
                DeviceMemory memory = context.allocate(data.length)) {
            GpuFileBatch batch = storage.batch(2);
            batch.read(1, file, memory, 0, 0, data.length);
            // On each path the driver copies.
            StandInDriver.holdCopies();
            batch.submit();
            Thread.currentThread().interrupt();
            assertThat(batch.await(1, LIMIT)).isZero();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(batch.underWay()).isOne();
            Thread closing = Thread.currentThread();
            Thread.startVirtualThread(() -> {
                closing.interrupt();
                StandInDriver.letCopiesGo();
            });
            batch.close();
            assertThat(batch.underWay()).isZero();
            while (!Thread.interrupted()) {
                Thread.onSpinWait();
            }
            assertThat(contents(memory)).isEqualTo(data);
        }
    }

    @Test
    void contextClosesAll() throws IOException {
        GpuFile file = storage.open(file(bytes(10)));
        DeviceMemory memory = context.allocate(10);
        storage.register(memory);
        GpuFileBatch batch = storage.batch(2);
        batch.read(1, file, memory, 0, 0, 10);
        context.close();
        assertThat(file.isOpen()).isFalse();
        assertThat(storage.isOpen()).isFalse();
        assertThatThrownBy(() -> storage.open(folder.resolve("x"))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> batch.submit()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void registeredMemoryGoesWithItsMemory() throws IOException {
        byte[] data = bytes(CHUNK);
        DeviceMemory memory = context.allocate(CHUNK);
        RegisteredMemory registered = storage.register(memory);
        assertThat(registered.isRegistered()).isEqualTo(path() != StoragePath.STAGED);
        try (GpuFile file = storage.open(file(data))) {
            assertThat(file.read(memory, 1, 1, CHUNK - 1)).isEqualTo(CHUNK - 1);
            registered.close();
            registered.close();
            assertThat(file.read(memory, 0, 0, CHUNK)).isEqualTo(CHUNK);
            try (RegisteredMemory again = storage.register(memory)) {
                assertThat(again.memory()).isSameAs(memory);
            }
            storage.register(memory);
            assertThat(contents(memory)).isEqualTo(data);
            memory.close();
        }
    }

    @Test
    void streamWritesAndReadsInItsOrder() throws IOException {
        int size = 3 * CHUNK + 123;
        Path path = folder.resolve("ordered");
        try (GpuFile file = storage.open(path, READ, WRITE, CREATE_NEW);
                CudaStream stream = context.createStream();
                DeviceMemory source = memory(bytes(size));
                DeviceMemory target = memory(bytes(size + 100))) {
            byte[] tail = Arrays.copyOfRange(contents(target), size - 7, size + 100);
            StreamTransfer[] all = new StreamTransfer[4];
            stream.fill(source, 0, size, (byte) 1);
            all[0] = file.writeAsync(stream, source, 0, 0, size);
            stream.fill(source, 0, size, (byte) 2);
            all[1] = file.writeAsync(stream, source, 0, 5, 10);
            // Past the end, which is not yet where it will be when this is asked for.
            all[2] = file.readAsync(stream, target, 0, 7, size + 90);
            all[3] = file.writeAsync(stream, target, 0, 2 * CHUNK, 4);
            for (StreamTransfer each : all) {
                assertThat(each.await(LIMIT)).isTrue();
            }
            assertThat(all[0].bytes()).isEqualTo(size);
            assertThat(all[1].bytes()).isEqualTo(10);
            assertThat(all[2].bytes()).isEqualTo(size - 7);
            byte[] expected = new byte[size];
            Arrays.fill(expected, (byte) 1);
            Arrays.fill(expected, 5, 15, (byte) 2);
            byte[] read = contents(target);
            assertThat(Arrays.copyOf(read, size - 7)).isEqualTo(Arrays.copyOfRange(expected, 7, size));
            assertThat(Arrays.copyOfRange(read, size - 7, size + 100)).isEqualTo(tail);
            System.arraycopy(read, 0, expected, 2 * CHUNK, 4);
            assertThat(Files.readAllBytes(path)).isEqualTo(expected);
        }
    }

    @Test
    void filesMemoryAndStreamsMayBeClosedBehindAStream() throws IOException {
        byte[] data = bytes(2 * CHUNK);
        Path path = folder.resolve("behind");
        GpuFile file = storage.open(path, WRITE, CREATE_NEW);
        DeviceMemory source = memory(data);
        CudaStream stream = context.createStream();
        StreamTransfer transfer = file.writeAsync(stream, source, 0, 0, data.length);
        file.close();
        source.close();
        stream.close();
        assertThat(transfer.isDone()).isTrue();
        assertThat(transfer.bytes()).isEqualTo(data.length);
        assertThat(Files.readAllBytes(path)).isEqualTo(data);
    }

    @Test
    void batchReportsEachTransferOnce() throws IOException {
        int count = 10;
        byte[] data = bytes(count * CHUNK);
        Path path = file(data);
        try (GpuFile file = storage.open(path, READ, WRITE);
                GpuFileBatch batch = storage.batch(count);
                DeviceMemory memory = memory(bytes(count * CHUNK))) {
            for (int i = 0; i < count; i++) {
                int part = CHUNK - i;
                batch.read(100 + i, file, memory, (long) i * CHUNK, (long) i * CHUNK, part);
            }
            assertThatThrownBy(() -> batch.read(0, file, memory, 0, 0, 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the batch is full: 10 transfers are collected");
            assertThat(batch.await(1, LIMIT)).isZero();
            assertThat(batch.submit()).isEqualTo(count);
            Map<Long, Long> over = new HashMap<>();
            while (batch.underWay() > 0) {
                int n = batch.await(1, LIMIT);
                assertThat(n).isPositive();
                for (int i = 0; i < n; i++) {
                    assertThat(over.put(batch.id(i), batch.bytes(i))).isNull();
                }
            }
            assertThat(over).hasSize(count);
            byte[] read = contents(memory);
            for (int i = 0; i < count; i++) {
                assertThat(over).containsEntry(100L + i, (long) CHUNK - i);
                assertThat(Arrays.copyOfRange(read, i * CHUNK, i * CHUNK + CHUNK - i))
                        .isEqualTo(Arrays.copyOfRange(data, i * CHUNK, i * CHUNK + CHUNK - i));
            }
            batch.write(7, file, memory, 0, (long) count * CHUNK, 10);
            batch.read(8, file, memory, 0, 1 << 30, 10);
            batch.read(9, file, memory, 0, 0, 0);
            batch.submit();
            assertThat(batch.await(Integer.MAX_VALUE, LIMIT)).isEqualTo(3);
            for (int i = 0; i < 3; i++) {
                assertThat(batch.bytes(i)).isEqualTo(batch.id(i) == 7 ? 10 : 0);
            }
            batch.read(10, file, memory, 0, 0, 0);
            assertThat(batch.submit()).isOne();
            assertThat(batch.await(1, LIMIT)).isOne();
            assertThat(Files.size(path)).isEqualTo(count * CHUNK + 10L);
            assertThatThrownBy(() -> batch.id(1)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void cancelledBatchComesOutWhole() throws IOException {
        try (GpuFile file = storage.open(file(bytes(CHUNK)));
                GpuFileBatch batch = storage.batch(20);
                DeviceMemory memory = context.allocate(CHUNK)) {
            batch.cancel();
            for (int i = 0; i < 20; i++) {
                batch.read(i, file, memory, 0, 0, CHUNK);
            }
            batch.submit();
            batch.cancel();
            assertThat(batch.await(20, LIMIT)).isEqualTo(20);
            for (int i = 0; i < 20; i++) {
                if (batch.failure(i) == null) {
                    assertThat(batch.bytes(i)).isEqualTo(CHUNK);
                }
            }
            // Nobody awaits it: closing the memory finds out that it is over.
            batch.read(1, file, memory, 0, 0, CHUNK);
            batch.submit();
        }
    }
}
