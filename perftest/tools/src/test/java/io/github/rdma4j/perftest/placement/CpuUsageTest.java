// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuUsageTest {
    @TempDir
    private Path folder;

    private double between(String before, String after) throws IOException {
        Path file = folder.resolve("stat");
        CpuUsage usage = new CpuUsage(file);
        Files.writeString(file, before);
        usage.begin();
        Files.writeString(file, after);
        usage.end();
        return usage.percent();
    }

    @Test
    void allThatIsNotIdleCounts() throws IOException {
        // 10 user, 30 system, 5 + 5 interrupts of 100; guest time, the last two, is in user time already.
        String before = "cpu  1000 10 500 9000 100 20 30 0 7 7\ncpu0 1 1 1 1\n";
        String after = "cpu  1010 10 530 9045 105 25 35 0 9 9\ncpu0 2 2 2 2\n";
        assertThat(between(before, after)).isCloseTo(50.0, within(1e-9));
    }

    /** All the time was busy, and the time of waiting for I/O went back by one. */
    @Test
    void noMoreThanAllIsBusy() throws IOException {
        assertThat(between("cpu 100 0 0 50 9 0 0 0", "cpu 200 0 0 50 8 0 0 0")).isEqualTo(100);
    }

    @Test
    void unknownUsageStaysUnknown() throws IOException {
        assertThat(between("", "")).isNaN();
        assertThat(between("cpu x y", "cpu x y")).isNaN();
        assertThat(between("cpu 1 2 3 4", "cpu 1 2 3 4")).isNaN();
        assertThat(new CpuUsage(folder.resolve("absent")).percent()).isNaN();
    }

    @Test
    void thisMachineHasUsage() {
        CpuUsage usage = new CpuUsage();
        usage.begin();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long end = threads.getCurrentThreadCpuTime() + 60_000_000;
        while (threads.getCurrentThreadCpuTime() < end) {
            Thread.onSpinWait();
        }
        usage.end();
        assertThat(usage.percent()).isBetween(0.1, 100.0);
    }
}
