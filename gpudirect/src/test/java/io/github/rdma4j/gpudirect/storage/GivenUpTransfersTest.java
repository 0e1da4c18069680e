// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.rdma4j.cuda.CaptureMode;
import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaGraph;
import io.github.rdma4j.cuda.CudaGraphExec;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.CudaWaitInterruptedException;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.cuda.WaitCondition;
import io.github.rdma4j.gpudirect.storage.internal.FileCalls;
import io.github.rdma4j.gpudirect.storage.internal.LinuxFileCalls;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A transfer that was refused, given up or interrupted keeps no file open and no memory pinned. */
class GivenUpTransfersTest extends StorageFixture {
    private static final int CHUNK = 4096;
    private static final int SIZE = 3 * CHUNK;
    private static final int UNKNOWN = 999;
    private static final int ILLEGAL_ADDRESS = 700;

    private final CountDownLatch unblocked = new CountDownLatch(1);

    private GpuStorage storage(StoragePath path) {
        return storage(path, new LinuxFileCalls());
    }

    private GpuStorage storage(StoragePath path, FileCalls files) {
        StandInCuFile.set("module", 0);
        return GpuStorage.on(
                context,
                config ->
                        config.chunkSize(CHUNK).timeout(Duration.ofMillis(200)).only(path),
                files);
    }

    @ParameterizedTest
    @EnumSource(
            value = StoragePath.class,
            names = {"STAGED", "COMPATIBLE"})
    void closedStreamIsRefused(StoragePath path) throws IOException {
        GpuStorage storage = storage(path);
        GpuFile file = storage.open(file(bytes(SIZE)));
        try (DeviceMemory memory = context.allocate(SIZE)) {
            CudaStream stream = context.createStream();
            stream.close();
            assertThatThrownBy(() -> file.readAsync(stream, memory, 0, 0, SIZE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is closed");
        }
        file.close();
        storage.close();
    }

    /** Functions of the host cannot be a part of a graph, nor can what cuFile does. */
    @ParameterizedTest
    @EnumSource(
            value = StoragePath.class,
            names = {"STAGED", "COMPATIBLE"})
    void capturedStreamIsRefusedAndItsCaptureGoesOn(StoragePath path) throws IOException {
        GpuStorage storage = storage(path);
        GpuFile file = storage.open(file(bytes(SIZE)), READ, WRITE);
        try (DeviceMemory memory = context.allocate(SIZE);
                CudaStream stream = context.createStream();
                CudaGraph graph = stream.capture(CaptureMode.RELAXED, captured -> {
                    assertThatThrownBy(() -> file.readAsync(captured, memory, 0, 0, SIZE))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("is being captured");
                    assertThatThrownBy(() -> file.writeAsync(captured, memory, 0, 0, SIZE))
                            .isInstanceOf(IllegalStateException.class);
                    captured.fill(memory, 0, SIZE, (byte) 7);
                });
                CudaGraphExec launched = graph.instantiate()) {
            launched.launch(stream);
            assertThat(stream.await(LIMIT)).isTrue();
            assertThat(contents(memory)).containsOnly(7);
        }
        file.close();
        storage.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = StoragePath.class,
            names = {"STAGED", "COMPATIBLE"})
    void partlyQueuedTransferReleasesTheFile(StoragePath path) throws IOException {
        GpuStorage storage = storage(path);
        GpuFile file = storage.open(file(bytes(SIZE)));
        try (HostMemory word = context.allocateHost(8);
                DeviceMemory memory = context.allocate(SIZE);
                CudaStream stream = context.createStream()) {
            word.segment().fill((byte) 0);
            stream.waitForValue(word, 0, 1, WaitCondition.EQUAL);
            StandInDriver.failAt("cuEventRecord", 1, UNKNOWN);
            Thread.currentThread().interrupt();
            Throwable refusal = catchThrowable(() -> file.readAsync(stream, memory, 0, 0, SIZE));
            assertThat(Thread.interrupted()).isTrue();
            assertThat(refusal).isInstanceOf(CudaException.class).hasMessageContaining("cuEventRecord");
            ValueLayout.JAVA_INT.varHandle().setRelease(word.segment(), 0L, 1);
            assertThat(stream.await(LIMIT)).isTrue();
            file.close();
        }
        storage.close();
    }

    /** The transfer follows a stream that is closed before it is over. */
    @Test
    void partlyQueuedTransferClosesTheStream() throws IOException {
        GpuStorage storage = storage(StoragePath.COMPATIBLE);
        GpuFile file = storage.open(file(bytes(SIZE)));
        HostMemory word = context.allocateHost(8);
        DeviceMemory memory = context.allocate(SIZE);
        word.segment().fill((byte) 0);
        CudaStream stream = context.createStream();
        stream.waitForValue(word, 0, 1, WaitCondition.EQUAL);
        StandInDriver.failAt("cuEventRecord", 1, UNKNOWN);
        StandInDriver.failAt("cuEventRecord", 2, UNKNOWN);
        try {
            assertThatThrownBy(() -> file.readAsync(stream, memory, 0, 0, SIZE)).isInstanceOf(CudaException.class);
            assertThatThrownBy(stream::close)
                    .isInstanceOf(CudaCloseTimeoutException.class)
                    .hasMessageContaining("only the stream shows when it has ended")
                    .satisfies(
                            e -> assertThat(e.getSuppressed()).singleElement().isInstanceOf(CudaException.class));
            assertThat(stream.isOpen()).isTrue();
            stream.close();
            assertThat(stream.isOpen()).isFalse();
            assertThatThrownBy(file::close).isInstanceOf(CudaCloseTimeoutException.class);
        } finally {
            ValueLayout.JAVA_INT.varHandle().setRelease(word.segment(), 0L, 1);
        }
        memory.close();
        file.close();
        storage.close();
        assertThat(StandInCuFile.open()).isEmpty();
        word.close();
    }

    private StreamTransfer blockedWrite(GpuFile file, CudaStream stream, DeviceMemory memory, FaultyFiles files)
            throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        files.atWrite = () -> {
            inside.countDown();
            await(unblocked);
        };
        StreamTransfer transfer = file.writeAsync(stream, memory, 0, 0, SIZE);
        assertThat(await(inside)).isTrue();
        return transfer;
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** After a close of the file, its descriptor could belong to another file. */
    @Test
    void lostContextDoesNotEndATransferWhoseHostFunctionIsRunning() throws Exception {
        FaultyFiles files = new FaultyFiles();
        GpuStorage storage = storage(StoragePath.STAGED, files);
        GpuFile file = storage.open(file(bytes(SIZE)), READ, WRITE);
        DeviceMemory memory = context.allocate(SIZE);
        StreamTransfer transfer = blockedWrite(file, context.createStream(), memory, files);
        try {
            StandInDriver.faultAt("cuMemsetD8Async", 1, ILLEGAL_ADDRESS);
            context.createStream().fill(memory, 0, SIZE, (byte) 1);
            assertThat(transfer.isDone()).isFalse();
            assertThatThrownBy(file::close).isInstanceOf(CudaCloseTimeoutException.class);
            assertThat(files.open.get()).isPositive();
        } finally {
            unblocked.countDown();
        }
        assertThat(transfer.await(LIMIT)).isTrue();
        assertThatThrownBy(transfer::bytes)
                .isInstanceOfSatisfying(
                        CudaException.class, e -> assertThat(e.isContextLost()).isTrue());
        file.close();
        assertThat(files.open.get()).isZero();
        // Reports the fault once more.
        assertThatThrownBy(context::close).isInstanceOf(CudaException.class);
    }

    @Test
    void transferOutlivesItsStream() throws Exception {
        FaultyFiles files = new FaultyFiles();
        GpuStorage storage = storage(StoragePath.STAGED, files);
        GpuFile file = storage.open(file(bytes(SIZE)), READ, WRITE);
        DeviceMemory memory = context.allocate(SIZE);
        CudaStream stream = context.createStream();
        StreamTransfer transfer = blockedWrite(file, stream, memory, files);
        try {
            stream.close();
            assertThat(transfer.isDone()).isFalse();
        } finally {
            unblocked.countDown();
        }
        assertThat(transfer.await(LIMIT)).isTrue();
        assertThat(transfer.bytes()).isEqualTo(SIZE);
        file.close();
        storage.close();
    }

    /** The next stream uses the memory that one stream had pinned. */
    @Test
    void closedStreamsKeepNoPinnedMemory() throws IOException {
        try (GpuStorage storage = storage(StoragePath.STAGED);
                GpuFile file = storage.open(file(bytes(SIZE)));
                DeviceMemory memory = context.allocate(SIZE)) {
            for (int i = 0; i < 10; i++) {
                try (CudaStream stream = context.createStream()) {
                    StreamTransfer transfer = file.readAsync(stream, memory, 0, 0, SIZE);
                    assertThat(transfer.await(LIMIT)).isTrue();
                    assertThat(transfer.bytes()).isEqualTo(SIZE);
                }
            }
            assertThat(StandInDriver.get("allocations.host")).isLessThanOrEqualTo(2);
        }
    }

    @Test
    void interruptedTransfersKeepNoPinnedMemory() throws IOException {
        try (GpuStorage storage = storage(StoragePath.STAGED);
                GpuFile file = storage.open(file(bytes(SIZE)))) {
            for (int i = 0; i < 10; i++) {
                // Its closing waits for the copy.
                try (DeviceMemory memory = context.allocate(SIZE)) {
                    StandInDriver.holdCopies();
                    Thread.currentThread().interrupt();
                    Throwable end = catchThrowable(() -> file.read(memory, 0, 0, SIZE));
                    StandInDriver.letCopiesGo();
                    assertThat(Thread.interrupted()).isTrue();
                    assertThat(end).isInstanceOf(CudaWaitInterruptedException.class);
                }
            }
            assertThat(StandInDriver.get("allocations.host")).isLessThanOrEqualTo(3);
        }
    }

    /** If cuFile refuses a batch, it takes none of its transfers, and empty transfers are not completed either. */
    @Test
    void refusedBatchLetsTheFilesGo() throws IOException {
        GpuStorage storage = storage(StoragePath.COMPATIBLE);
        GpuFile file = storage.open(file(bytes(SIZE)));
        try (DeviceMemory memory = context.allocate(SIZE);
                GpuFileBatch batch = storage.batch(2)) {
            for (int i = 0; i < 2; i++) {
                batch.read(1, file, memory, 0, 0, 0);
                batch.read(2, file, memory, 0, 0, SIZE);
                StandInCuFile.failAt("cuFileBatchIOSubmit", 1, CuFileStatus.INTERNAL_ERROR.number());
                assertThatThrownBy(batch::submit).isInstanceOf(CuFileException.class);
                assertThat(batch.underWay()).isZero();
            }
            batch.read(1, file, memory, 0, 0, 0);
            batch.read(2, file, memory, 0, 0, SIZE);
            assertThat(batch.submit()).isEqualTo(2);
            assertThat(batch.await(2, LIMIT)).isEqualTo(2);
            file.close();
        }
        storage.close();
    }

    /** Another thread waits for the batch, for longer than a close may. */
    @Test
    void closeKeepsItsLimitWhileABatchIsAwaited() throws Exception {
        StandInCuFile.set("module", 0);
        GpuStorage storage = GpuStorage.on(
                context, config -> config.timeout(Duration.ofMillis(20)).only(StoragePath.COMPATIBLE));
        GpuFile file = storage.open(file(bytes(SIZE)));
        try (DeviceMemory memory = context.allocate(SIZE)) {
            GpuFileBatch batch = storage.batch(1);
            batch.read(1, file, memory, 0, 0, SIZE);
            StandInDriver.holdCopies();
            batch.submit();
            CompletableFuture<Integer> over = CompletableFuture.supplyAsync(() -> batch.await(1, LIMIT));
            while (StandInCuFile.calls("cuFileBatchIOGetStatus") == 0) {
                Thread.onSpinWait();
            }
            assertThatThrownBy(storage::close)
                    .isInstanceOf(CudaCloseTimeoutException.class)
                    .hasMessageContaining("1 transfers are under way for longer than 20 ms");
            StandInDriver.letCopiesGo();
            assertThat(over.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isOne();
        }
        storage.close();
    }

    @Test
    void registrationThatIsClosedTwiceLeavesTheNextOneAlone() {
        try (GpuStorage storage = storage(StoragePath.COMPATIBLE);
                DeviceMemory memory = context.allocate(SIZE)) {
            RegisteredMemory first = storage.register(memory);
            first.close();
            try (RegisteredMemory second = storage.register(memory)) {
                first.close();
                assertThat(StandInCuFile.open()).containsEntry("buffers", 1L);
                assertThat(second.memory()).isSameAs(memory);
            }
            assertThat(StandInCuFile.open()).doesNotContainKey("buffers");
        }
    }

    /** Chunks are counted from the beginning of the file, and the number behind the last one must not overflow. */
    @ParameterizedTest
    @EnumSource(
            value = StoragePath.class,
            names = {"STAGED", "COMPATIBLE"})
    void farthestOffsets(StoragePath path) throws IOException {
        long farthest = 1L << 62;
        try (GpuStorage storage = storage(path);
                GpuFile file = storage.open(file(bytes(SIZE)));
                CudaStream stream = context.createStream();
                DeviceMemory memory = context.allocate(SIZE)) {
            assertThat(file.read(memory, 0, farthest - SIZE, SIZE)).isZero();
            StreamTransfer transfer = file.readAsync(stream, memory, 0, farthest - SIZE, SIZE);
            assertThat(transfer.await(LIMIT)).isTrue();
            assertThat(transfer.bytes()).isZero();
            for (long beyond : new long[] {farthest - SIZE + 1, Long.MAX_VALUE - SIZE - 8192, Long.MAX_VALUE}) {
                assertThatThrownBy(() -> file.read(memory, 0, beyond, SIZE))
                        .as("at %d", beyond)
                        .isInstanceOf(IndexOutOfBoundsException.class)
                        .hasMessageContaining("2^62");
            }
        }
    }
}
