// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the number of CPUs that a process can keep busy, and the warning if its spinning ends need more. */
class UsableCpusTest {
    @TempDir
    private Path root;

    private RecordedMachine machine() {
        return RecordedMachine.twoSockets(root);
    }

    @Test
    void affinityMaskLimits() {
        assertThat(machine().topology().usableCpus()).isEqualTo(8);
        assertThat(machine().allowing("2,5-6", "0-1").topology().usableCpus()).isEqualTo(3);
    }

    @Test
    void tightestQuotaOfTheSecondVersionLimits() {
        RecordedMachine machine = machine()
                .with("proc/self/cgroup", "0::/pods/one/java")
                .with("sys/fs/cgroup/pods/one/java/cpu.max", "max 100000")
                .with("sys/fs/cgroup/pods/one/cpu.max", "150000 100000")
                .with("sys/fs/cgroup/pods/cpu.max", "400000 100000");

        assertThat(machine.topology().usableCpus()).isEqualTo(1.5);
        assertThat(machine.allowing("3", "0").topology().usableCpus()).isEqualTo(1);
    }

    @Test
    void quotaOfAContainerStandsAtTheMount() {
        assertThat(machine()
                        .with("proc/self/cgroup", "0::/")
                        .with("sys/fs/cgroup/cpu.max", "50000 100000")
                        .topology()
                        .usableCpus())
                .isEqualTo(0.5);
    }

    @Test
    void quotaOfTheFirstVersionLimits() {
        RecordedMachine machine = machine()
                .with("proc/self/cgroup", "4:memory:/docker/a\n3:cpuset:/\n2:cpu,cpuacct:/docker/a")
                .with("sys/fs/cgroup/cpu/docker/a/cpu.cfs_quota_us", "250000")
                .with("sys/fs/cgroup/cpu/docker/a/cpu.cfs_period_us", "100000");

        assertThat(machine.topology().usableCpus()).isEqualTo(2.5);
        assertThat(machine.with("sys/fs/cgroup/cpu/docker/a/cpu.cfs_quota_us", "-1")
                        .topology()
                        .usableCpus())
                .isEqualTo(8);
    }

    @Test
    void unreadableQuotaDoesNotLimit() {
        assertThat(machine()
                        .with("proc/self/cgroup", "broken\n0::/a")
                        .with("sys/fs/cgroup/a/cpu.max", "many")
                        .topology()
                        .usableCpus())
                .isEqualTo(8);
    }

    @Test
    void shortageNamesEndsAndCpus() {
        assertThat(SpinningEnds.shortage(2, 2)).isEmpty();
        assertThat(SpinningEnds.shortage(1, 1.5)).isEmpty();
        assertThat(SpinningEnds.shortage(2, 1)).startsWith("2 ends spin on this machine, with 1 CPU for them: ");
        assertThat(SpinningEnds.shortage(2, 1.5)).startsWith("2 ends spin on this machine, with 1.5 CPUs for them: ");
        assertThat(SpinningEnds.shortage(1, 0.5))
                .startsWith("1 end spins on this machine, with 0.5 CPUs for it: ")
                .endsWith("Allow this process 1 CPU (taskset, the CPU limit of the container).");
    }
}
