// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.DevicePoolExhaustedException.Limit;
import io.github.rdma4j.gpudirect.GpuSide.Where;
import io.github.rdma4j.gpudirect.machines.RecordedMachine;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The pool of registered device memory on the stand-in: also its limits, the GPU's window, a driver that refuses. */
@Tag("device")
@ExtendWith({StandInDriver.class, StandInNvml.class})
class DeviceMemoryPoolDeviceTest extends DeviceMemoryPoolBehaviour {
    private static final int UNKNOWN = 999;

    private static final int OUT_OF_MEMORY = 2;

    private static final String GPU = "0000:17:00.0";

    /** A GPU whose window is of so many bytes, as sysfs has it. */
    private void window(long bytes) {
        StandInDriver.pciAddress(0, GPU);
        RecordedMachine.empty(folder).with("""
            sys/devices/pci0000:00/%1$s/
              class: 0x030200
              vendor: 0x10de
              device: 0x20b5
              resource: 0x00000000a0000000 0x00000000a0ffffff 0x0000000000040200\\n0x0000000100000000 0x%2$016x 0x000000000014220c
            sys/bus/pci/devices/%1$s -> ../../../devices/pci0000:00/%1$s
            """.formatted(GPU, 0x100000000L + bytes - 1));
    }

    @Test
    void buffersComeFromSlabsThatAreRegisteredOnce() {
        try (DeviceMemoryPool pool = pool(Where.PEER_MEMORY, config -> {})) {
            PooledDeviceMemory one = pool.lend(100);
            PooledDeviceMemory other = pool.lend(PIECE);
            assertThat(one.region()).isSameAs(other.region());
            assertThat(other.offset()).isEqualTo(256);
            assertThat(other.memory().address()).isEqualTo(one.memory().address() + 256);
            assertThat(other.remoteMemory().address()).isEqualTo(other.memory().address());
            assertThat(other.remoteMemory().length()).isEqualTo(PIECE);
            assertThat(other.slice().length()).isEqualTo(PIECE);
            DevicePoolStatistics now = pool.statistics();
            assertThat(now.lent()).isEqualTo(256 + PIECE);
            assertThat(now.registered()).isEqualTo(SLAB);
            assertThat(now.decision().orElseThrow().path()).isEqualTo(GpuPath.PEER_MEMORY);
            assertThat(now.bar1().registered()).isEqualTo(SLAB);
            assertThat(now.bar1().size()).isEmpty();
            one.close();
            one.close();
            assertThat(one.isReturned()).isTrue();
            assertThatIllegalStateException().isThrownBy(one::slice).withMessageContaining("was returned");
            assertThat(pool.lend(256).offset()).isZero();
            // An allocation larger than a slab gets its own slab, which others use after it is freed.
            PooledDeviceMemory large = pool.lend(2 * SLAB + 1);
            assertThat(large.region().length()).isEqualTo(2 * SLAB + (64 << 10));
            large.close();
            assertThat(pool.lend(2 * SLAB).region()).isSameAs(large.slab.region());
            assertThat(StandInDriver.get("allocations")).isEqualTo(2);
            assertThat(pool.statistics().loans()).isEqualTo(5);
            assertThatIllegalArgumentException().isThrownBy(() -> pool.lend(0));
        }
        assertThat(side.gpu.bar1().registered()).isZero();
        assertThat(StandInDriver.get("allocations")).isZero();
    }

    @Test
    void limitInBytesIsNamed() {
        try (DeviceMemoryPool pool = pool(Where.PEER_MEMORY, config -> config.maxBytes(2 * SLAB + 5))) {
            pool.reserve(SLAB + 1);
            assertThat(pool.statistics().registered()).isEqualTo(2 * SLAB);
            PooledDeviceMemory first = pool.lend(SLAB);
            PooledDeviceMemory second = pool.lend(SLAB);
            assertThatExceptionOfType(DevicePoolExhaustedException.class)
                    .isThrownBy(() -> pool.lend(1))
                    .matches(e -> e.limit() == Limit.MAX_BYTES)
                    .withMessage("a slab of 1048576 bytes would exceed maxBytes, 2097157; 2097152 bytes are registered"
                            + " in 2 slabs, 2097152 lent in 2 buffers, 0 in slabs that are unused. Return"
                            + " buffers, trim() slabs that are unused, or raise maxBytes");
            assertThatExceptionOfType(DevicePoolExhaustedException.class).isThrownBy(() -> pool.reserve(3 * SLAB));
            first.close();
            assertThat(pool.trim()).isEqualTo(SLAB);
            assertThat(pool.trim()).isZero();
            assertThat(StandInDriver.get("allocations")).isEqualTo(1);
            second.close();
            assertThat(pool.lend(SLAB).region().isOpen()).isTrue();
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceMemoryPool.create(side.gpu, config -> config.maxBytes(1)))
                .withMessageContaining("maxBytes 1 is less than slabSize");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceMemoryPool.create(side.gpu, config -> config.slabSize(1000)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceMemoryPool.create(side.gpu, config -> config.alignment(24)));
    }

    @Test
    void windowIsWatched() {
        window(4 * SLAB);
        try (DeviceMemoryPool pool = pool(Where.PEER_MEMORY, config -> {})) {
            DeviceRegion other = side.gpu.register(side.context.allocate(2 * SLAB), LOCAL_WRITE);
            pool.reserve(2 * SLAB);
            assertThat(pool.statistics().bar1())
                    .hasToString("BAR1 of 4194304 bytes, 4194304 registered by this process");
            long asked = StandInDriver.calls("cuMemAlloc");
            assertThatExceptionOfType(DevicePoolExhaustedException.class)
                    .isThrownBy(() -> pool.reserve(3 * SLAB))
                    .matches(e -> e.limit() == Limit.BAR1)
                    .withMessageContaining("BAR1 of 4194304 bytes, 4194304 registered by this process; what others use"
                            + " of it is not known: /no/such/libnvidia-ml.so.1: cannot open shared object file")
                    .withMessageContaining("resizable BAR");
            assertThat(StandInDriver.calls("cuMemAlloc")).isEqualTo(asked);
            other.close();
            pool.reserve(3 * SLAB);
        }
        // Where adapters do not reach the memory, the window limits nothing.
        side.close();
        try (DeviceMemoryPool pool = pool(Where.STAGED, config -> {})) {
            pool.reserve(6 * SLAB);
            assertThat(side.gpu.bar1().registered()).isZero();
        }
    }

    /** Another process has three quarters of it. */
    @Test
    void windowUseOfOtherProcessesCounts() {
        window(8 * SLAB);
        StandInNvml.window(GPU, 8 * SLAB, 6 * SLAB);
        try (DeviceMemoryPool pool = pool(Where.PEER_MEMORY, config -> {})) {
            pool.reserve(SLAB);
            StandInNvml.used(8 * SLAB - 1);
            assertThatExceptionOfType(DevicePoolExhaustedException.class)
                    .isThrownBy(() -> pool.reserve(2 * SLAB))
                    .matches(e -> e.limit() == Limit.BAR1)
                    .withMessageContaining(
                            "BAR1 of 8388608 bytes, 1048576 registered by this process, 8388607 in use by"
                                    + " all and 1 free")
                    .withMessageContaining("also in other processes");
            StandInNvml.used(7 * SLAB);
            pool.reserve(2 * SLAB);
        }
    }

    @Test
    void windowAsLargeAsTheMemoryIsNoLimit() {
        window(1L << 40);
        try (DeviceMemoryPool pool = pool(Where.PEER_MEMORY, config -> {})) {
            pool.reserve(1);
            assertThat(pool.statistics().bar1().room()).isEmpty();
            assertThat(pool.statistics().bar1()).asString().contains("(no limit)");
        }
    }

    /** As when the kernel has no room for another mapping: the earlier slabs stay what they are. */
    @Test
    void slabThatTheAdapterReachesOtherwiseIsGivenBack() {
        side = new GpuSide(Where.STAGED, folder, config -> config.order(GpuPath.PEER_MEMORY, GpuPath.STAGED));
        try (DeviceMemoryPool pool = DeviceMemoryPool.create(side.gpu, config -> config.slabSize(SLAB))) {
            PooledDeviceMemory buffer = pool.lend(SLAB);
            StandInDriver.peerMemory(false);
            assertThatExceptionOfType(DevicePoolExhaustedException.class)
                    .isThrownBy(() -> pool.lend(SLAB))
                    .matches(e -> e.limit() == Limit.REGISTRATION)
                    .withMessageContaining("could only be staged; not by peer memory: ");
            assertThat(StandInDriver.get("allocations")).isEqualTo(1);
            assertThat(pool.statistics().registered()).isEqualTo(SLAB);
            buffer.close();
            assertThat(pool.lend(1).region().path()).isEqualTo(GpuPath.PEER_MEMORY);
        }
    }

    /** The only permitted path takes no more memory: a buffer that is returned ends the wait. */
    @Test
    void laterSlabWithoutAPathIsWaitedFor() throws Exception {
        try (DeviceMemoryPool pool = pool(Where.PEER_MEMORY, config -> config.waitWhenExhausted(PATIENCE));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            PooledDeviceMemory buffer = pool.lend(SLAB);
            StandInDriver.peerMemory(false);
            assertThatExceptionOfType(DevicePoolExhaustedException.class)
                    .isThrownBy(() -> pool.reserve(2 * SLAB))
                    .matches(e -> e.limit() == Limit.REGISTRATION)
                    .withCauseInstanceOf(GpuPathUnavailableException.class)
                    .withMessageContaining("cannot be registered as the earlier slabs were");
            assertThat(pool.statistics().registered()).isEqualTo(SLAB);
            Future<PooledDeviceMemory> waiting = threads.submit(() -> pool.lend(SLAB));
            buffer.close();
            assertThat(waiting.get().region()).isSameAs(buffer.slab.region());
        }
    }

    @Test
    void gpuWithoutMemoryIsNamed() {
        try (DeviceMemoryPool pool = pool(Where.PEER_MEMORY, config -> {})) {
            StandInDriver.failAt("cuMemAlloc", 1, OUT_OF_MEMORY);
            assertThatExceptionOfType(DevicePoolExhaustedException.class)
                    .isThrownBy(() -> pool.lend(1))
                    .matches(e -> e.limit() == Limit.DEVICE_MEMORY)
                    .withMessageContaining("the GPU has no memory for a slab of 1048576 bytes");
            assertThat(pool.statistics().registered()).isZero();
            assertThat(pool.lend(1).size()).isEqualTo(1);
        }
    }

    @Test
    void refusedSlabIsReportedAlsoIfItCannotBeFreed() {
        side = new GpuSide(Where.PEER_MEMORY, folder, config -> config.order(GpuPath.DMA_BUF));
        try (DeviceMemoryPool pool = DeviceMemoryPool.create(side.gpu, config -> config.slabSize(SLAB))) {
            StandInDriver.failAt("cuMemFree", 1, UNKNOWN);
            assertThatExceptionOfType(GpuPathUnavailableException.class)
                    .isThrownBy(() -> pool.lend(1))
                    .satisfies(e -> assertThat(e.getSuppressed())
                            .singleElement()
                            .isInstanceOfSatisfying(
                                    CudaException.class,
                                    second -> assertThat(second.resultName()).isEqualTo("CUDA_ERROR_UNKNOWN")));
            assertThat(pool.statistics().registered()).isZero();
            assertThat(StandInDriver.isPending()).isFalse();
        }
    }

    /**
     * Each call of the driver fails in turn: the operation reports it, the next attempt works, and nothing is left.
     * Memory that the driver refuses to free stays until the context ends.
     */
    @Test
    void eachCallThatFailsLeavesNothing() {
        eachCallFails(Where.PEER_MEMORY);
    }

    /** The same with mirrors. */
    @Test
    @Tag("full")
    void eachCallThatFailsLeavesNothingStaged() {
        eachCallFails(Where.STAGED);
    }

    private void eachCallFails(Where where) {
        side = new GpuSide(where, folder, config -> {});
        int failures = 0;
        int n = 0;
        long calls;
        long kept = 0;
        do {
            n++;
            DeviceMemoryPool pool = DeviceMemoryPool.create(
                    side.gpu, config -> config.slabSize(SLAB).leakReporter(text -> {}));
            long callsBefore = StandInDriver.get("calls");
            StandInDriver.failAt("*", n, UNKNOWN);
            List<Runnable> steps = List.of(
                    () -> pool.lend(100),
                    () -> pool.lend(SLAB).remoteMemory(),
                    () -> pool.lend(SLAB).close(),
                    pool::trim,
                    pool::close);
            boolean freeing = false;
            for (Runnable step : steps) {
                try {
                    step.run();
                } catch (CudaException | DevicePoolExhaustedException e) {
                    failures++;
                    freeing = steps.indexOf(step) >= steps.size() - 2;
                    step.run();
                }
            }
            calls = StandInDriver.get("calls") - callsBefore;
            StandInDriver.noFailures();
            assertThat(side.gpu.bar1().registered()).as("after call %d", n).isZero();
            assertThat(pool.statistics().registered()).as("after call %d", n).isZero();
            long allocations = StandInDriver.get("allocations") + StandInDriver.get("allocations.host");
            if (freeing && allocations > kept) {
                kept++;
            }
            assertThat(allocations).as("after call %d", n).isEqualTo(kept);
            assertThat(StandInDriver.open().keySet())
                    .as("after call %d", n)
                    .isSubsetOf("contexts", "allocations", "allocations.host", "streams");
        } while (n <= calls);
        System.out.printf("faults of a pool, %s: %d calls, %d failures reported%n", where, n - 1, failures);
        assertThat(failures).isGreaterThan(5);
    }

    @Override
    @AfterEach
    void close() {
        super.close();
        assertThat(StandInDriver.open()).isEmpty();
    }
}
