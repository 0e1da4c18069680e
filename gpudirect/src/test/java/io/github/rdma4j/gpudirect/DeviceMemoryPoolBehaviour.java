// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.gpudirect.GpuSide.Where;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.WaitInterruptedException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The pool of registered device memory: loans, waits and ends. */
@Timeout(600)
abstract class DeviceMemoryPoolBehaviour {
    static final int SLAB = 1 << 20;

    static final int PIECE = 256 << 10;

    static final int ROUNDS = 8;

    static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    GpuSide side;

    @AfterEach
    void close() {
        if (side != null) {
            side.close();
        }
    }

    DeviceMemoryPool pool(Where where, Consumer<DevicePoolConfig> configuration) {
        side = new GpuSide(where, folder, config -> {});
        return DeviceMemoryPool.create(side.gpu, config -> configuration.accept(config.slabSize(SLAB)));
    }

    /** Both ways of a buffer in the midst of a slab, on both kinds of path. */
    @Test
    void bufferIsSentAndReceivedOnEachPath() {
        for (Where where : List.of(Where.STAGED, Where.PEER_MEMORY)) {
            try (DeviceMemoryPool pool = pool(where, config -> {})) {
                PooledDeviceMemory before = pool.lend(1000);
                PooledDeviceMemory buffer = pool.lend(5000);
                MemoryRegion far = side.domain.allocateMemory(5000, LOCAL_WRITE);
                CudaStream stream = side.context.createStream();
                before.memory().memory().fill(0, SLAB, (byte) 1);
                buffer.memory().memory().fill(buffer.offset(), 5000, (byte) 7);
                try (PreparedChannel mine = side.gpu.prepareChannel();
                        PreparedChannel theirs = side.gpu.prepareChannel();
                        DeviceChannel peer = theirs.connect(mine.endpoint());
                        DeviceChannel self = mine.connect(theirs.endpoint())) {
                    Transfer in = peer.receive(far.slice());
                    Transfer out = self.send(buffer.region(), buffer.offset(), buffer.size());
                    while (!in.isEnded() || !out.isEnded()) {
                        self.progress();
                        peer.progress();
                    }
                    assertThat(in.failure()).isEmpty();
                    assertThat(far.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(7);
                    buffer.publish(0, 5000, stream);
                    assertThat(stream.await(PATIENCE)).isTrue();
                    buffer.absorb(10, 20, stream);
                    assertThat(stream.await(PATIENCE)).isTrue();
                }
                assertThatExceptionOfType(IndexOutOfBoundsException.class)
                        .isThrownBy(() -> buffer.publish(1, 5000, stream));
            }
            side.close();
            side = null;
        }
    }

    @Test
    void threadWaitsForWhatComesBack() throws Exception {
        try (DeviceMemoryPool pool =
                        pool(Where.PEER_MEMORY, config -> config.maxBytes(SLAB).waitWhenExhausted(PATIENCE));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            PooledDeviceMemory all = pool.lend(SLAB);
            Future<PooledDeviceMemory> waiting = threads.submit(() -> pool.lend(PIECE));
            assertThat(waiting.isDone()).isFalse();
            all.close();
            assertThat(waiting.get().size()).isEqualTo(PIECE);
            // An interrupt ends a wait, and so does the pool's end.
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(WaitInterruptedException.class).isThrownBy(() -> pool.lend(SLAB));
            assertThat(Thread.interrupted()).isTrue();
            Future<PooledDeviceMemory> late = threads.submit(() -> pool.lend(SLAB));
            pool.close();
            assertThatExceptionOfType(java.util.concurrent.ExecutionException.class)
                    .isThrownBy(late::get)
                    .withMessageContaining("the pool is closed");
        }
    }

    @Test
    void unreturnedBuffersAreReportedAndReleased() {
        List<String> leaks = new ArrayList<>();
        DeviceMemoryPool pool = pool(Where.PEER_MEMORY, config -> config.leakReporter(leaks::add));
        PooledDeviceMemory lost = pool.lend(3000);
        pool.close();
        pool.close();
        assertThat(leaks)
                .containsExactly("a pool of registered device memory is closed with 1 buffers lent, of sizes [3000]");
        assertThat(lost.isReturned()).isTrue();
        lost.close();
        assertThatIllegalStateException().isThrownBy(() -> pool.lend(1)).withMessage("the pool is closed");
        assertThatIllegalStateException().isThrownBy(() -> pool.reserve(SLAB));
    }

    @Test
    void contextThatIsClosedFirstTakesTheMemoryAlong() {
        DeviceMemoryPool pool = pool(Where.PEER_MEMORY, config -> {});
        PooledDeviceMemory buffer = pool.lend(10);
        side.context.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> pool.lend(1))
                .withMessageContaining("CUDA context or protection domain is closed");
        buffer.close();
        pool.close();
    }

    @Test
    void manyThreadsNeverHaveTheSameBytes() throws Exception {
        int threadCount = 4;
        try (DeviceMemoryPool pool = pool(
                        Where.PEER_MEMORY,
                        config -> config.slabSize(PIECE).maxBytes(3 * PIECE).waitWhenExhausted(PATIENCE));
                ExecutorService threads = Executors.newFixedThreadPool(threadCount)) {
            List<Future<?>> all = new ArrayList<>();
            for (int t = 0; t < threadCount; t++) {
                byte mark = (byte) (t + 1);
                Random random = new Random(t);
                all.add(threads.submit(() -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        int size = 1 + random.nextInt(PIECE);
                        try (PooledDeviceMemory buffer = pool.lend(size)) {
                            buffer.memory().memory().fill(buffer.offset(), size, mark);
                            byte[] there = new byte[1];
                            try (var arena = java.lang.foreign.Arena.ofConfined()) {
                                var copy = arena.allocate(size);
                                buffer.memory().memory().copyTo(buffer.offset(), copy);
                                assertThat(copy.toArray(ValueLayout.JAVA_BYTE)).containsOnly(mark);
                            }
                        }
                        if (i % 4 == 0) {
                            pool.trim();
                        }
                    }
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
            DevicePoolStatistics end = pool.statistics();
            assertThat(end.lent()).isZero();
            assertThat(end.loans()).isEqualTo(threadCount * ROUNDS);
            assertThat(end.registered()).isBetween(0L, 3L * PIECE);
            pool.trim();
            assertThat(pool.statistics().registered()).isZero();
        }
    }
}
