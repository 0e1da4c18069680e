// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.PerftestException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlacementTest {
    private static final NumaTopology HERE = NumaTopology.ofThisMachine();

    /** Records the calls and returns configured answers. */
    private static final class FakeScheduler implements Scheduler {
        private final List<String> calls = new ArrayList<>();
        private int threadAnswer;
        private int memoryAnswer;

        @Override
        public int bindThread(int thread, CpuList cpus) {
            calls.add(thread + " on " + cpus);
            return threadAnswer;
        }

        @Override
        public int bindMemory(int node) {
            calls.add("memory of " + node);
            return memoryAnswer;
        }

        @Override
        public int unbindMemory() {
            calls.add("memory of any");
            return 0;
        }
    }

    @TempDir
    private Path root;

    private final FakeScheduler scheduler = new FakeScheduler();

    private Placement enter(PlacementRequest request) {
        NumaTopology topology = RecordedMachine.twoSockets(root)
                .with("proc/self/task/100/comm", "java")
                .with("proc/self/task/101/comm", "C2")
                .topology();
        return Placement.enter(PlacementPlan.of(request, topology, "mlx5_0"), topology, scheduler);
    }

    private static CpuList cpusOfThisThread() {
        return HERE.allowedCpus();
    }

    @Test
    void bindsTheThreadAndTheMemoryToANodeAndLetsThemGo() {
        try (Placement placement = enter(PlacementRequest.AUTOMATIC)) {
            assertThat(placement.describe()).isEqualTo("NUMA node 1 (the device's), CPUs 4-7, memory bound to it");
            assertThat(placement.memoryBound()).isTrue();
        }
        assertThat(scheduler.calls).containsExactly("0 on 4-7", "memory of 1", "memory of any", "0 on 0-7");
    }

    @Test
    void whereMemoryCannotBeBoundTheFirstTouchDecides() {
        scheduler.memoryAnswer = 1;
        try (Placement placement = enter(PlacementRequest.AUTOMATIC)) {
            assertThat(placement.describe())
                    .endsWith("memory by first touch (set_mempolicy is not allowed here, errno 1)");
            assertThat(placement.memoryBound()).isFalse();
        }
        assertThat(scheduler.calls).containsExactly("0 on 4-7", "memory of 1", "0 on 0-7");
    }

    @Test
    void movesTheOtherThreadsOffTheCore() {
        try (Placement _ = enter(new PlacementRequest(CpuList.of(2), -1, true))) {
            assertThat(scheduler.calls)
                    .containsExactlyInAnyOrder("100 on 0-1,3-7", "101 on 0-1,3-7", "0 on 2")
                    .endsWith("0 on 2");
            Placement.leaveMeasuringCpus();
            assertThat(scheduler.calls).endsWith("0 on 0-1,3-7");
        }
        assertThat(scheduler.calls).contains("0 on 0-7", "100 on 0-7", "101 on 0-7");
    }

    @Test
    void refusalIsReportedAndUndone() {
        scheduler.threadAnswer = 22;
        assertThatThrownBy(() -> enter(new PlacementRequest(CpuList.of(2), -1, true)))
                .isInstanceOf(PerftestException.class)
                .hasMessageContaining("CPUs 2")
                .hasMessageContaining("errno 22");
        assertThat(scheduler.calls)
                .as("the measuring thread is not bound where the others could not be moved")
                .contains("0 on 0-7")
                .doesNotContain("0 on 2");
    }

    @Test
    void kernelDoesIt() throws Exception {
        CpuList all = cpusOfThisThread();
        PlacementPlan plan =
                PlacementPlan.of(new PlacementRequest(CpuList.of(all.first()), -1, true), HERE, "no device");
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<CpuList> older = new CompletableFuture<>();
        CountDownLatch bound = new CountDownLatch(1);
        Thread.ofPlatform().daemon().start(() -> {
            try {
                bound.await();
                older.complete(cpusOfThisThread());
                end.await();
            } catch (InterruptedException failure) {
                older.completeExceptionally(failure);
            }
        });
        CpuList others = all.size() == 1 ? all : all.without(CpuList.of(all.first()));
        try (Placement placement = Placement.enter(plan, HERE)) {
            assertThat(cpusOfThisThread()).isEqualTo(CpuList.of(all.first()));
            bound.countDown();
            assertThat(older.get()).isEqualTo(others);
            CompletableFuture<CpuList> younger = new CompletableFuture<>();
            Thread.ofPlatform().start(() -> {
                Placement.leaveMeasuringCpus();
                younger.complete(cpusOfThisThread());
            });
            assertThat(younger.get()).isEqualTo(others);
            assertThat(placement.describe()).startsWith("CPU " + all.first() + " (--pin_cores)");
        } finally {
            end.countDown();
        }
        assertThat(cpusOfThisThread()).isEqualTo(all);
    }

    @Test
    void kernelHasTheSystemCall() {
        CpuList nodes = HERE.allowedMemoryNodes();
        LinuxScheduler kernel = new LinuxScheduler();
        int bound = kernel.bindMemory(nodes.first());
        try {
            // EPERM in a container that forbids it, ENOSYS in a kernel without NUMA, nothing else.
            assertThat(bound).isIn(0, 1, 38);
            assertThat(kernel.bindMemory(1023)).isNotZero();
        } finally {
            assertThat(kernel.unbindMemory()).isIn(0, 1, 38);
        }
    }
}
