// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.internal.BlockedWrite;
import io.github.rdma4j.verbs.internal.PageSize;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the pool on a device: transfers between pooled buffers, exhaustion, mistakes and leaks. */
@Tag("device")
@Tag("parallel")
class RegisteredMemoryPoolDeviceTest {
    private static final long CHUNK = 1 << 20;

    private DeviceContext context;
    private ProtectionDomain domain;

    @BeforeEach
    void open() {
        context = DeviceContext.open(TestDevice.first());
        domain = context.allocateProtectionDomain();
    }

    @AfterEach
    void close() {
        context.close();
    }

    private RegisteredMemoryPool pool(Consumer<PoolConfig> configuration) {
        return RegisteredMemoryPool.create(domain, config -> {
            config.chunkSize(CHUNK).leakReporter(text -> {
                throw new AssertionError(text);
            });
            configuration.accept(config);
        });
    }

    private RegisteredMemoryPool pool() {
        return pool(config -> {});
    }

    @Test
    void rdmaWriteGoesFromOnePooledBufferToAnother() {
        try (RegisteredMemoryPool pool = pool();
                CompletionQueue queue = context.createCompletionQueue(16)) {
            PreparedQueuePair mine = prepare(queue);
            PreparedQueuePair theirs = prepare(queue);
            QueuePair queuePair = mine.connect(theirs.endpoint(), config -> config.timeout(19));
            theirs.connect(mine.endpoint(), config -> config.timeout(19));
            WorkCompletions completions = WorkCompletions.allocate(1);
            try (PooledMemory source = pool.allocate(5000);
                    PooledMemory target = pool.allocate(5000)) {
                source.segment().setString(4000, "pooled");
                assertThat(queuePair.tryPostWrite(1, source.slice(), target.remoteMemory(), SendFlags.SIGNALED))
                        .isTrue();
                long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                while (queue.poll(completions) == 0) {
                    assertThat(System.nanoTime()).isLessThan(deadline);
                }
                assertThat(completions.get(0).isSuccess()).isTrue();
                assertThat(target.segment().getString(4000)).isEqualTo("pooled");
            }
        }
    }

    private PreparedQueuePair prepare(CompletionQueue queue) {
        return domain.prepareQueuePair(
                QueuePairType.RC, config -> config.completionQueue(queue).remoteAccess(AccessFlag.REMOTE_WRITE));
    }

    @Test
    void registrationIsAmortised() {
        try (RegisteredMemoryPool pool = pool()) {
            for (int i = 0; i < 1000; i++) {
                pool.allocate(1 + i % 4096).close();
            }
            PoolStatistics statistics = pool.statistics();
            assertThat(statistics.allocations()).isEqualTo(1000);
            assertThat(statistics.registrations()).isEqualTo(1);
            assertThat(statistics.registered()).isEqualTo(CHUNK);
            assertThat(statistics.chunks()).isEqualTo(1);
            assertThat(statistics.inUse()).isZero();
            assertThat(statistics.peak()).isEqualTo(1024);
            assertThat(statistics.outstanding()).isZero();
            assertThat(statistics.pages()).isEqualTo(PageSize.BYTES + "-byte pages");
            assertThat(statistics.lockedMemoryLimit()).isPositive();
        }
    }

    @Test
    void sizesAndAlignmentsAreWhatWasAskedFor() {
        try (RegisteredMemoryPool pool = pool()) {
            try (PooledMemory memory = pool.allocate(1000, 65_536)) {
                assertThat(memory.size()).isEqualTo(1000);
                assertThat(memory.segment().byteSize()).isEqualTo(1000);
                assertThat(memory.slice().length()).isEqualTo(1000);
                assertThat(memory.remoteMemory().length()).isEqualTo(1000);
                assertThat(memory.segment().address() % 65_536).isZero();
                assertThat(memory.remoteMemory().address())
                        .isEqualTo(memory.segment().address());
                assertThat(pool.statistics().inUse()).isEqualTo(65_536);
                assertThat(pool.statistics().requested()).isEqualTo(1000);
            }
            try (PooledMemory whole = pool.allocate(100, CHUNK)) {
                assertThat(whole.segment().address() % CHUNK).isZero();
            }
            for (long wrong : new long[] {0, -1, 3, 2 * CHUNK}) {
                assertThatThrownBy(() -> pool.allocate(10, wrong))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("a power of two up to " + CHUNK);
            }
            assertThatThrownBy(() -> pool.allocate(0)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void moreThanAChunkGetsAChunkOfItsOwnWhichIsUsedAgain() {
        try (RegisteredMemoryPool pool = pool()) {
            long size = 3 * CHUNK + 17;
            try (PooledMemory large = pool.allocate(size, 4096)) {
                large.segment().set(ValueLayout.JAVA_BYTE, size - 1, (byte) 1);
                assertThat(pool.statistics().registered()).isEqualTo(3 * CHUNK + 4096);
            }
            pool.allocate(2 * CHUNK).close();
            assertThat(pool.statistics().registrations()).isEqualTo(1);
            assertThat(pool.statistics().peak()).isEqualTo(3 * CHUNK + 4096);
            assertThat(pool.trim()).isEqualTo(3 * CHUNK + 4096);
            assertThat(pool.statistics().chunks()).isZero();
        }
    }

    @Test
    void returnedTwiceIsOnceAndUseAfterReturnIsAnException() {
        try (RegisteredMemoryPool pool = pool()) {
            PooledMemory memory = pool.allocate(100);
            PooledMemory other = pool.allocate(100);
            memory.close();
            memory.close();
            assertThat(memory.isReturned()).isTrue();
            assertThat(pool.statistics().outstanding()).isEqualTo(1);
            assertThat(pool.statistics().inUse()).isEqualTo(256);
            for (Consumer<PooledMemory> use : List.<Consumer<PooledMemory>>of(
                    PooledMemory::slice, PooledMemory::segment, PooledMemory::remoteMemory)) {
                assertThatThrownBy(() -> use.accept(memory))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("was returned to its pool");
            }
            assertThat(memory.size()).isEqualTo(100);
            other.close();
        }
    }

    @Test
    void writeAfterTheReturnIsDetectedIfWanted() {
        try (RegisteredMemoryPool pool = pool(config -> config.detectUseAfterReturn(true))) {
            PooledMemory memory = pool.allocate(100);
            MemorySegment kept = memory.segment();
            kept.fill((byte) 1);
            memory.close();
            pool.allocate(CHUNK).close();
            kept.set(ValueLayout.JAVA_BYTE, 42, (byte) 0);
            assertThatThrownBy(() -> pool.allocate(CHUNK))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("after it was returned: byte 42 of the free block");
            pool.allocate(CHUNK).close();
        }
    }

    @Test
    void exhaustedPoolReportsTheCause() {
        try (RegisteredMemoryPool pool = pool(config -> config.maxBytes(2 * CHUNK))) {
            PooledMemory first = pool.allocate(CHUNK);
            PooledMemory second = pool.allocate(CHUNK / 2);
            assertThatThrownBy(() -> pool.allocate(CHUNK))
                    .isInstanceOf(PoolExhaustedException.class)
                    .hasMessageContaining("allocating " + CHUNK + " bytes from a memory pool failed: ENOMEM")
                    .hasMessageContaining(
                            "%d bytes are in use in 2 allocations (peak %d), %d are registered, and the pool's limit is %d"
                                    .formatted(CHUNK * 3 / 2, CHUNK * 3 / 2, 2 * CHUNK, 2 * CHUNK))
                    .hasMessageContaining("the largest free block has " + CHUNK / 2 + " bytes")
                    .hasMessageContaining("RLIMIT_MEMLOCK is")
                    .hasMessageContaining("Return memory sooner");
            second.close();
            pool.allocate(CHUNK).close();
            // Idle chunks make room for one of another size.
            first.close();
            pool.allocate(2 * CHUNK).close();
            assertThat(pool.statistics().peakRegistered()).isEqualTo(2 * CHUNK);
            assertThatThrownBy(() -> pool.reserve(3 * CHUNK)).isInstanceOf(PoolExhaustedException.class);
            assertThat(pool.statistics().registered()).isEqualTo(2 * CHUNK);
        }
    }

    @Test
    void allocationCanWaitForAReturn() throws Exception {
        try (RegisteredMemoryPool pool =
                pool(config -> config.maxBytes(CHUNK).waitWhenExhausted(Duration.ofMinutes(10)))) {
            PooledMemory all = pool.allocate(CHUNK);
            AtomicReference<Object> got = new AtomicReference<>();
            Thread waiter = Thread.ofVirtual().start(() -> {
                try (PooledMemory memory = pool.allocate(CHUNK)) {
                    got.set(memory.size());
                } catch (RuntimeException e) {
                    got.set(e);
                }
            });
            while (pool.statistics().waits() == 0) {
                Thread.sleep(1);
            }
            assertThat(got.get()).isNull();
            all.close();
            assertThat(waiter.join(Duration.ofSeconds(60))).isTrue();
            assertThat(got.get()).isEqualTo(CHUNK);
        }
    }

    @Test
    void waitEndsWithItsTimeoutAndWithAnInterruption() {
        try (RegisteredMemoryPool pool =
                pool(config -> config.maxBytes(CHUNK).waitWhenExhausted(Duration.ofMillis(30)))) {
            PooledMemory all = pool.allocate(CHUNK);
            assertThatThrownBy(() -> pool.allocate(1))
                    .isInstanceOf(PoolExhaustedException.class)
                    .hasMessageContaining("waited 30 ms");
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> pool.allocate(1)).isInstanceOf(WaitInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
            all.close();
        }
    }

    @Test
    void requestAboveTheLimitDoesNotWait() {
        try (RegisteredMemoryPool pool =
                pool(config -> config.maxBytes(CHUNK).waitWhenExhausted(Duration.ofMillis(30)))) {
            assertThatThrownBy(() -> pool.allocate(CHUNK + 1))
                    .isInstanceOf(PoolExhaustedException.class)
                    .hasMessageContaining("Raise maxBytes, or ask for less at once")
                    .hasMessageNotContaining("waited");
            assertThatThrownBy(() -> pool.reserve(2 * CHUNK))
                    .isInstanceOf(PoolExhaustedException.class)
                    .hasMessageNotContaining("waited");
            assertThat(pool.statistics().waits()).isZero();
            pool.allocate(CHUNK).close();
        }
    }

    @Test
    void closingEndsWaitsAndReportsWhatWasNotReturned() throws Exception {
        AtomicReference<String> report = new AtomicReference<>();
        RegisteredMemoryPool pool = pool(config ->
                config.maxBytes(CHUNK).waitWhenExhausted(Duration.ofMinutes(10)).leakReporter(report::set));
        PooledMemory leaked = pool.allocate(CHUNK / 2 + 5);
        MemorySegment segment = leaked.segment();
        MemorySlice slice = leaked.slice();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiter = Thread.ofPlatform().start(() -> {
            try {
                pool.allocate(CHUNK);
            } catch (RuntimeException e) {
                thrown.set(e);
            }
        });
        while (pool.statistics().waits() == 0) {
            Thread.sleep(1);
        }
        pool.close();
        waiter.join();
        assertThat(thrown.get()).isInstanceOf(IllegalStateException.class).hasMessage("the pool is closed");
        assertThat(report.get())
                .startsWith("a memory pool was closed with %d bytes in 1 allocations not returned: %d bytes at 0x"
                        .formatted(CHUNK / 2 + 5, CHUNK / 2 + 5));
        assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        assertThat(slice.region().isOpen()).isFalse();
        leaked.close();
        report.set(null);
        pool.close();
        assertThat(report.get()).isNull();
        assertThatThrownBy(() -> pool.allocate(1)).isInstanceOf(IllegalStateException.class);
        assertThat(pool.statistics().registered()).isZero();
    }

    @Test
    void domainThatIsClosedFirstDoesNoHarm() {
        RegisteredMemoryPool pool = pool();
        PooledMemory memory = pool.allocate(100);
        domain.close();
        assertThatThrownBy(() -> pool.allocate(100))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("domain is closed");
        memory.segment().fill((byte) 1);
        memory.close();
        pool.close();
    }

    @Test
    void manyThreadsNeverGetTheSameMemory() throws Exception {
        try (RegisteredMemoryPool pool =
                pool(config -> config.maxBytes(4 * CHUNK).waitWhenExhausted(Duration.ofSeconds(60)))) {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            List<Thread> threads = new ArrayList<>();
            for (int t = 1; t <= 4; t++) {
                byte mark = (byte) t;
                threads.add(Thread.ofPlatform().start(() -> {
                    SplittableRandom random = new SplittableRandom(mark);
                    try {
                        for (int i = 0; i < 500; i++) {
                            try (PooledMemory memory = pool.allocate(1 + random.nextInt(100_000))) {
                                memory.segment().fill(mark);
                                long last = memory.size() - 1;
                                Thread.yield();
                                if (memory.segment().get(ValueLayout.JAVA_BYTE, 0) != mark
                                        || memory.segment().get(ValueLayout.JAVA_BYTE, last) != mark) {
                                    throw new AssertionError("somebody else wrote here");
                                }
                            }
                        }
                    } catch (Throwable e) {
                        failure.set(e);
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failure.get()).isNull();
            assertThat(pool.statistics().allocations()).isEqualTo(2000);
            assertThat(pool.statistics().inUse()).isZero();
        }
    }

    @Test
    void poolAloneClosesAndChangesItsRegions() {
        try (RegisteredMemoryPool pool = pool();
                PooledMemory memory = pool.allocate(1)) {
            MemoryRegion region = memory.slice().region();
            assertThat(region.isPooled()).isTrue();
            assertThatThrownBy(region::close)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("belongs to a memory pool, which closes it");
            assertThatThrownBy(() -> region.reregister(config -> config.access(AccessFlag.LOCAL_WRITE)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("belongs to a memory pool");
            assertThat(region.isOpen()).isTrue();
            memory.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            pool.allocate(100).close();
        }
    }

    @Test
    void sliceHasTheBuffersBoundsAndRights() {
        try (RegisteredMemoryPool pool = pool();
                PooledMemory first = pool.allocate(300);
                PooledMemory memory = pool.allocate(1)) {
            assertThat(memory.slice().remoteMemory()).isEqualTo(memory.remoteMemory());
            assertThat(memory.remoteMemory().length()).isEqualTo(1);
            assertThat(memory.remoteMemory().address())
                    .isEqualTo(memory.segment().address());
            assertThat(memory.slice().segment().address())
                    .isEqualTo(memory.segment().address());
            assertThat(memory.slice().segment().byteSize()).isEqualTo(1);
            assertThat(first.slice().region().access())
                    .containsExactlyInAnyOrder(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
        }
    }

    @Test
    void allocationThatCanNeverFitLeavesIdleChunksAlone() {
        try (RegisteredMemoryPool pool = pool(config -> config.maxBytes(4 * CHUNK))) {
            pool.reserve(2 * CHUNK);
            pool.allocate(CHUNK + 4096).close();
            assertThat(pool.statistics().chunks()).isEqualTo(3);
            assertThatThrownBy(() -> pool.allocate(5 * CHUNK)).isInstanceOf(PoolExhaustedException.class);
            assertThat(pool.statistics().chunks()).isEqualTo(3);
            assertThat(pool.statistics().registrations()).isEqualTo(3);
            try (PooledMemory inUse = pool.allocate(CHUNK)) {
                assertThatThrownBy(() -> pool.allocate(4 * CHUNK)).isInstanceOf(PoolExhaustedException.class);
                assertThat(pool.statistics().chunks()).isEqualTo(3);
            }
            pool.allocate(4 * CHUNK).close();
        }
    }

    @Test
    void allocationCanWaitForEver() throws Exception {
        try (RegisteredMemoryPool pool =
                pool(config -> config.maxBytes(CHUNK).waitWhenExhausted(Duration.ofSeconds(Long.MAX_VALUE)))) {
            PooledMemory all = pool.allocate(CHUNK);
            AtomicReference<Object> got = new AtomicReference<>();
            Thread waiter = Thread.ofPlatform().start(() -> {
                try (PooledMemory memory = pool.allocate(1)) {
                    got.set(memory.size());
                } catch (RuntimeException e) {
                    got.set(e);
                }
            });
            while (pool.statistics().waits() == 0 && waiter.isAlive()) {
                Thread.onSpinWait();
            }
            all.close();
            assertThat(waiter.join(Duration.ofSeconds(60))).isTrue();
            assertThat(got.get()).isEqualTo(1L);
        }
    }

    @Test
    void chunkThatAThreadStillUsesIsFreedByALaterClose() throws Exception {
        RegisteredMemoryPool pool = pool();
        MemorySegment memory;
        BlockedWrite write;
        try (PooledMemory whole = pool.allocate(CHUNK)) {
            memory = whole.segment();
            write = new BlockedWrite(memory);
        }
        for (Runnable attempt : List.<Runnable>of(pool::trim, pool::trim, pool::close, pool::close)) {
            assertThatThrownBy(attempt::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("a native call of another thread");
            assertThat(memory.scope().isAlive()).isTrue();
        }
        write.end();
        pool.close();
        assertThat(memory.scope().isAlive()).isFalse();
        domain.close();
    }

    @Test
    void configurationsThatCannotBeAreRefused() {
        assertThatThrownBy(() -> pool(config -> config.chunkSize(3 << 20)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chunkSize 3145728: must be a power of two");
        assertThatThrownBy(() -> pool(config -> config.minBlockSize(2 * CHUNK)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("minBlockSize");
        assertThatThrownBy(() -> pool(config -> config.maxBytes(CHUNK - 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("less than chunkSize");
        assertThatThrownBy(() ->
                        pool(config -> config.access(AccessFlag.REMOTE_WRITE)).allocate(1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs LOCAL_WRITE");
        assertThatThrownBy(() -> pool(config -> config.hugePages(HugePages.EXPLICIT)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chunkSize 1048576: a huge page has");
    }
}
