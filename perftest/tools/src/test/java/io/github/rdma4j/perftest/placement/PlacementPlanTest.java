// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlacementPlanTest {
    @TempDir
    private Path root;

    private static PlacementRequest cores(String list) {
        return new PlacementRequest(CpuList.parse(list), -1, true);
    }

    private static PlacementRequest node(int node) {
        return new PlacementRequest(null, node, true);
    }

    private static PlacementPlan plan(PlacementRequest request, RecordedMachine machine, String device) {
        return PlacementPlan.of(request, machine.topology(), device);
    }

    private static void refused(PlacementRequest request, RecordedMachine machine, String message) {
        assertThatThrownBy(() -> plan(request, machine, "mlx5_0"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void byDefaultTheDevicesNode() {
        PlacementPlan plan = plan(PlacementRequest.AUTOMATIC, RecordedMachine.twoSockets(root), "mlx5_0");
        assertThat(plan.measuring()).hasToString("4-7");
        assertThat(plan.others()).isEqualTo(CpuList.NONE);
        assertThat(plan.memoryNode()).isEqualTo(1);
        assertThat(plan.deviceNode()).hasValue(1);
        assertThat(plan.describe()).isEqualTo("NUMA node 1 (the device's), CPUs 4-7");
    }

    @Test
    void disabledNothingIsBoundButTheDevicesNodeIsKnown() {
        PlacementPlan plan = plan(PlacementRequest.NONE, RecordedMachine.twoSockets(root), "mlx5_0");
        assertThat(plan.measuring()).isEqualTo(CpuList.NONE);
        assertThat(plan.memoryNode()).isEqualTo(-1);
        assertThat(plan.deviceNode()).hasValue(1);
        assertThat(plan.describe()).isEqualTo("the kernel's choice (--disable_numa)");
    }

    @Test
    void deviceOfSoftwareBindsNothing() {
        PlacementPlan plan = plan(PlacementRequest.AUTOMATIC, RecordedMachine.twoSockets(root), "rxe0");
        assertThat(plan.measuring()).isEqualTo(CpuList.NONE);
        assertThat(plan.deviceNode()).isEmpty();
        assertThat(plan.describe()).isEqualTo("the kernel's choice, rxe0 names no NUMA node");
        assertThat(plan(PlacementRequest.AUTOMATIC, RecordedMachine.small(root), "irdma0")
                        .deviceNode())
                .isEmpty();
    }

    @Test
    void affinityOfTasksetIsKept() {
        RecordedMachine machine = RecordedMachine.twoSockets(root).allowing("2-5", "0-1");
        PlacementPlan plan = plan(PlacementRequest.AUTOMATIC, machine, "mlx5_0");
        assertThat(plan.measuring()).isEqualTo(CpuList.NONE);
        assertThat(plan.describe()).isEqualTo("CPUs 2-5, as this process was started");
    }

    @Test
    void onlyNodeNeedsNoBinding() {
        PlacementPlan plan = plan(PlacementRequest.AUTOMATIC, RecordedMachine.small(root), "mlx5_0");
        assertThat(plan.measuring()).isEqualTo(CpuList.NONE);
        assertThat(plan.describe()).isEqualTo("NUMA node 0, the only one");
    }

    @Test
    void deviceOnANodeWithoutMemoryOrCpusBindsNothing() {
        RecordedMachine machine = RecordedMachine.unusual(root);
        assertThat(plan(PlacementRequest.AUTOMATIC, machine, "mlx5_0").describe())
                .isEqualTo("the kernel's choice, the device's NUMA node 1 has no CPUs or no memory for this process");
        assertThat(plan(PlacementRequest.AUTOMATIC, machine, "mlx5_2").measuring())
                .isEqualTo(CpuList.NONE);
        assertThat(plan(PlacementRequest.AUTOMATIC, machine, "bnxt_re0").measuring())
                .hasToString("0,2,4,8");
    }

    @Test
    void oneCoreIsForTheMeasuringThreadAlone() {
        PlacementPlan plan = plan(cores("5"), RecordedMachine.twoSockets(root), "mlx5_0");
        assertThat(plan.measuring()).hasToString("5");
        assertThat(plan.others()).hasToString("0-4,6-7");
        assertThat(plan.memoryNode()).isEqualTo(-1);
        assertThat(plan.describe())
                .isEqualTo("CPU 5 (--pin_cores), other threads on 0-4,6-7; the device is on NUMA node 1");
    }

    @Test
    void ofSeveralCoresTheFirstIsForTheMeasuringThread() {
        PlacementPlan plan = plan(cores("4-6,2"), RecordedMachine.twoSockets(root), "rxe0");
        assertThat(plan.measuring()).hasToString("2");
        assertThat(plan.others()).hasToString("4-6");
        assertThat(plan.describe()).isEqualTo("CPU 2 (--pin_cores), other threads on 4-6");
    }

    @Test
    void onlyCoreIsShared() {
        PlacementPlan plan = plan(cores("0"), RecordedMachine.withoutNuma(root), "rxe0");
        assertThat(plan.measuring()).hasToString("0");
        assertThat(plan.others()).isEqualTo(CpuList.NONE);
        assertThat(plan.describe()).isEqualTo("CPU 0 (--pin_cores), other threads on the same, it is the only one");
    }

    @Test
    void coreMustExistAndBeAllowed() {
        refused(
                cores("6-9"),
                RecordedMachine.twoSockets(root),
                "--pin_cores: 8-9 is not there; this machine's CPUs are 0-7");
        refused(
                cores("5-8"),
                RecordedMachine.unusual(root),
                "--pin_cores: 6-7 is not there; this machine's CPUs are 0-5,8-9");
        refused(
                cores("3-5"),
                RecordedMachine.twoSockets(root).allowing("4-7", "1"),
                "--pin_cores: 3 is not allowed; taskset, numactl or a cgroup leaves this process 4-7");
    }

    @Test
    void nodeIsBoundWithItsCpusAndItsMemory() {
        PlacementPlan plan = plan(node(0), RecordedMachine.twoSockets(root), "mlx5_0");
        assertThat(plan.measuring()).hasToString("0-3");
        assertThat(plan.memoryNode()).isZero();
        assertThat(plan.describe()).isEqualTo("NUMA node 0 (--numa_node), CPUs 0-3; the device is on NUMA node 1");
        assertThat(plan(node(1), RecordedMachine.twoSockets(root).allowing("0-5", "0-1"), "mlx5_0")
                        .measuring())
                .hasToString("4-5");
    }

    @Test
    void nodeMustExistAndHaveMemoryAndCpusForThisProcess() {
        refused(node(2), RecordedMachine.twoSockets(root), "--numa_node: 2 is not there; this machine's nodes are 0-1");
        refused(
                node(0),
                RecordedMachine.withoutNuma(root.resolve("w")),
                "--numa_node: 0 is not there; this kernel knows no NUMA nodes");
        RecordedMachine unusual = RecordedMachine.unusual(root.resolve("u"));
        refused(node(1), unusual, "--numa_node: 1 has no memory; nodes with memory are 0,2");
        refused(node(2), unusual, "--numa_node: 2 has no CPUs; the test runs on the CPUs of its node");
        refused(
                node(1),
                RecordedMachine.twoSockets(root).allowing("0-7", "0"),
                "--numa_node: memory of 1 is not allowed; numactl or a cgroup leaves this process 0");
        refused(
                node(1),
                RecordedMachine.twoSockets(root).allowing("0-3", "0-1"),
                "--numa_node: the CPUs of 1, 4-7, are not allowed; taskset, numactl or a cgroup leaves this process"
                        + " 0-3");
    }

    @Test
    void unreadableFilesGiveAnEmptyPlan() {
        NumaTopology nothing = NumaTopology.recorded(root.resolve("no such folder"));
        assertThat(nothing.onlineCpus()).isEqualTo(CpuList.NONE);
        assertThat(nothing.allowedCpus()).isEqualTo(CpuList.NONE);
        assertThat(nothing.threads()).isEmpty();
        NumaTopology garbage = RecordedMachine.small(root)
                .with("sys/devices/system/node/online", "garbage")
                .with("sys/class/infiniband/mlx5_0/device/numa_node", "")
                .topology();
        assertThat(garbage.nodes()).isEqualTo(CpuList.NONE);
        assertThat(garbage.nodeOfDevice("mlx5_0")).isEmpty();
    }

    @Test
    void findsTheGovernorOfACpu() {
        NumaTopology topology = RecordedMachine.unusual(root)
                .with("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave")
                .topology();
        assertThat(topology.frequencyGovernor(3)).hasValue("powersave");
        assertThat(topology.frequencyGovernor(2)).isEmpty();
    }
}
