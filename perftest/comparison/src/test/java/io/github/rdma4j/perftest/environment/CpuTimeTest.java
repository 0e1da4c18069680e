// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.compare.result.CpuUse;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.junit.jupiter.api.Test;

class CpuTimeTest {
    @Test
    void thisProcessUsesTime() {
        long before = CpuTime.ofThisProcess();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = threads.getCurrentThreadCpuTime();
        while (threads.getCurrentThreadCpuTime() - begin < 50_000_000) {
            Thread.onSpinWait();
        }

        long used = CpuTime.between(before, CpuTime.ofThisProcess());

        // Other threads of the JVM may also have used CPU time.
        assertThat(used).isBetween(30_000_000L, 60_000_000_000L);
    }

    @Test
    void childIsCountedWhenItHasEnded() throws IOException, InterruptedException {
        long before = CpuTime.ofEndedChildren();

        new ProcessBuilder("sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
                .start()
                .waitFor();

        assertThat(CpuTime.between(before, CpuTime.ofEndedChildren())).isBetween(1_000_000L, 60_000_000_000L);
    }

    @Test
    void machineIsBusy() {
        assertThat(CpuTime.ofTheMachine()).isPositive();
        // user, nice and system, not idle and the wait for disks, both kinds of interrupts; what was stolen is
        // nobody's.
        assertThat(CpuTime.busy("cpu  100 20 3 5000 700 11 13 17 0 0")).isEqualTo(1_470_000_000);
        assertThat(CpuTime.busy("cpu 1 2")).isEqualTo(CpuTime.UNKNOWN);
        assertThat(CpuTime.busy("")).isEqualTo(CpuTime.UNKNOWN);
        assertThat(CpuTime.busy("\t")).isEqualTo(CpuTime.UNKNOWN);
        assertThat(CpuTime.busy("cpu 1 2 3 4 5 6 many")).isEqualTo(CpuTime.UNKNOWN);
    }

    @Test
    void unknownValueStaysUnknown() {
        assertThat(CpuTime.between(CpuTime.UNKNOWN, 5)).isEqualTo(CpuTime.UNKNOWN);
        assertThat(CpuTime.sum(5, CpuTime.UNKNOWN)).isEqualTo(CpuTime.UNKNOWN);
        assertThat(CpuTime.sum(5, 6)).isEqualTo(11);
        assertThat(CpuUse.of(CpuTime.UNKNOWN, 7).processes()).isNaN();
        assertThat(new CpuUse(900, 100).perMessage(new CpuUse(100, 200), 8)).satisfies(each -> {
            assertThat(each.processes()).isEqualTo(100);
            assertThat(each.machine()).isNaN();
        });
    }
}
