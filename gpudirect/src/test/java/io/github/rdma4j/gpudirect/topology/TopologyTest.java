// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.gpudirect.machines.RecordedMachine;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopologyTest {
    @TempDir
    private Path root;

    private Topology machine(String name) {
        return Topology.read(RecordedMachine.of(name, root).root().resolve("sys"));
    }

    private static List<String> order(Topology topology, int gpu) {
        return topology.adaptersFor(topology.gpus().get(gpu)).stream()
                .map(placement -> placement.adapter().name() + " " + placement.distance())
                .toList();
    }

    @Test
    void eightGpusBelowNestedSwitchesSeeTwoAdaptersEachWithoutTheHostBridge() {
        Topology topology = machine("dgx-a100");
        assertThat(topology.gpus().stream().map(gpu -> gpu.address().toString()))
                .containsExactly(
                        "0000:07:00.0",
                        "0000:0f:00.0",
                        "0000:47:00.0",
                        "0000:4e:00.0",
                        "0000:87:00.0",
                        "0000:90:00.0",
                        "0000:b7:00.0",
                        "0000:bd:00.0");
        assertThat(topology.gpus().stream().map(PciFunction::numaNode)).containsExactly(3, 3, 1, 1, 7, 7, 5, 5);
        assertThat(topology.adapters()).hasSize(12);
        // As nvidia-smi topo -m has it: PXB to the two of the same quarter, SYS to all others.
        for (int gpu = 0; gpu < 8; gpu++) {
            assertThat(order(topology, gpu).subList(0, 2)).allMatch(text -> text.endsWith(" PXB"));
            assertThat(order(topology, gpu).subList(2, 12)).allMatch(text -> text.endsWith(" SYS"));
        }
        assertThat(order(topology, 2)).startsWith("mlx5_2 PXB", "mlx5_3 PXB");
    }

    @Test
    void amongTheFarAdaptersThoseOfTheSameSocketComeFirstThenTheFaster() {
        Topology topology = machine("dgx-a100");
        // GPU0 is in node 3: nodes 0 to 2 are of its socket, 4 to 7 of the other; mlx5_5 has 100 Gbit/s only.
        assertThat(order(topology, 0))
                .containsExactly(
                        "mlx5_0 PXB",
                        "mlx5_1 PXB",
                        "mlx5_2 SYS",
                        "mlx5_3 SYS",
                        "mlx5_4 SYS",
                        "mlx5_5 SYS",
                        "mlx5_6 SYS",
                        "mlx5_7 SYS",
                        "mlx5_8 SYS",
                        "mlx5_9 SYS",
                        "mlx5_10 SYS",
                        "mlx5_11 SYS");
        AdapterPlacement near = topology.adaptersFor(topology.gpus().getFirst()).getFirst();
        assertThat(near.warning()).isEmpty();
        assertThat(near.numaDistance()).isEqualTo(10);
        AdapterPlacement far = topology.adaptersFor(topology.gpus().getFirst()).getLast();
        assertThat(far.numaDistance()).isEqualTo(32);
        assertThat(far.warning())
                .hasValueSatisfying(text -> assertThat(text)
                        .startsWith("GPU 0000:07:00.0 and mlx5_11 are SYS apart: ")
                        .contains("from NUMA node 3 to 4"));
    }

    @Test
    void bridgesOfPairsWithASwitchInCommonAreThoseBelowIt() {
        Topology topology = machine("dgx-a100");
        PciFunction gpu = topology.function(PciAddress.parse("0f:00.0")).orElseThrow();
        PciFunction adapter = topology.function(PciAddress.parse("0c:00.0")).orElseThrow();
        assertThat(topology.bridgesBetween(gpu, adapter).stream()
                        .map(bridge -> bridge.address().toString()))
                .containsExactly("0000:0a:00.0", "0000:0b:10.0", "0000:0d:00.0", "0000:0e:00.0", "0000:0b:00.0");
        PciFunction far = topology.function(PciAddress.parse("4b:00.0")).orElseThrow();
        assertThat(topology.bridgesBetween(gpu, far)).isEmpty();
    }

    @Test
    void switchPerGpuGivesAnAdapterAtOneSwitchOthersOfTheNodeAndOfTheOtherSocket() {
        Topology topology = machine("hgx-h100");
        assertThat(topology.gpus()).hasSize(8);
        assertThat(order(topology, 0))
                .containsExactly(
                        "mlx5_0 PIX",
                        "mlx5_1 NODE",
                        "mlx5_4 NODE",
                        "mlx5_5 NODE",
                        "mlx5_2 NODE",
                        "mlx5_3 NODE",
                        "mlx5_6 SYS",
                        "mlx5_7 SYS",
                        "mlx5_8 SYS",
                        "mlx5_9 SYS");
        assertThat(order(topology, 7).getFirst()).isEqualTo("mlx5_9 PIX");
        assertThat(topology.placement(
                                topology.gpus().getFirst(),
                                topology.adapter("mlx5_1").orElseThrow())
                        .warning())
                .hasValueSatisfying(
                        text -> assertThat(text).contains("NODE").contains("two host bridges of NUMA node 0"));
        assertThat(topology.gpus().getFirst().link().bandwidth()).isEqualTo(32 * 16 * 128 / 130.0);
        assertThat(topology.adapter("mlx5_0").orElseThrow().bandwidth()).isEqualTo(400);
    }

    @Test
    void workstationHasTheHostBridgeBetweenAndSoftwareLast() {
        Topology topology = machine("workstation");
        // The GPU's audio function is none.
        assertThat(topology.gpus()).hasSize(1);
        assertThat(order(topology, 0)).containsExactly("mlx5_0 PHB", "mlx5_1 PHB", "mlx5_2 NODE", "rxe0 none");
        List<AdapterPlacement> placements = topology.adaptersFor(topology.gpus().getFirst());
        assertThat(placements.getFirst().warning())
                .hasValueSatisfying(text -> assertThat(text).contains("go through the host bridge"));
        assertThat(placements.get(2).warning())
                .hasValueSatisfying(text -> assertThat(text).contains("NUMA node unknown"));
        assertThat(placements.getLast().warning()).isEmpty();
        assertThat(placements.getLast().adapter().isSoftware()).isTrue();
        PciLink gpu = topology.gpus().getFirst().link();
        assertThat(gpu.isSlowed()).isTrue();
        assertThat(gpu.isNarrowed()).isFalse();
        assertThat(gpu).hasToString("2.5 GT/s x16 of 16.0 GT/s x16");
        PciLink adapter = topology.adapter("mlx5_0")
                .orElseThrow()
                .function()
                .orElseThrow()
                .link();
        assertThat(adapter.isNarrowed()).isTrue();
        assertThat(topology.adapter("mlx5_0").orElseThrow().bandwidth()).isEqualTo(8 * 8 * 128 / 130.0);
        // Both ports of a card are below one root port, and nothing else is.
        assertThat(topology.distance(
                        topology.function(PciAddress.parse("02:00.0")).orElseThrow(),
                        topology.function(PciAddress.parse("02:00.1")).orElseThrow()))
                .isEqualTo(PciDistance.PIX);
    }

    @Test
    void virtualMachineHasAFlatBusAndNoNodes() {
        Topology topology = machine("virtual-machine");
        assertThat(order(topology, 0)).containsExactly("mlx5_0 PHB");
        PciFunction gpu = topology.gpus().getFirst();
        assertThat(gpu.numaNode()).isEqualTo(-1);
        assertThat(gpu.bridges()).isEmpty();
        assertThat(gpu.driver()).contains("nvidia");
        RdmaAdapter adapter = topology.adapter("mlx5_0").orElseThrow();
        assertThat(adapter.function().orElseThrow().link()).hasToString("unknown, at most 16.0 GT/s x16");
        assertThat(adapter.bandwidth()).isEqualTo(100);
        assertThat(topology.adaptersFor(gpu).getFirst().numaDistance()).isEqualTo(10);
    }

    @Test
    void virtualFunctionIsWhereItsCardIsAndHasItsLink() {
        Topology topology = machine("switch-with-acs");
        assertThat(order(topology, 3)).containsExactly("mlx5_0 PIX", "mlx5_1 PIX", "mlx5_2 PIX", "mlx5_3 PIX");
        PciFunction virtual =
                topology.adapter("mlx5_2").orElseThrow().function().orElseThrow();
        assertThat(virtual.isVirtual()).isTrue();
        assertThat(virtual.physicalFunction()).contains(PciAddress.parse("0000:9a:00.0"));
        assertThat(virtual.link()).hasToString("16.0 GT/s x16");
        assertThat(virtual)
                .hasToString(
                        "0000:9a:00.2 [15b3:101e] (virtual function of 0000:9a:00.0), NUMA node 1, link 16.0 GT/s x16");
    }

    @Test
    void nothingThereIsATopologyOfNothing() {
        Topology topology = Topology.read(root.resolve("sys"));
        assertThat(topology.gpus()).isEmpty();
        assertThat(topology.adapters()).isEmpty();
        assertThat(topology.functions()).isEmpty();
        assertThat(topology.matrix()).isEqualTo("  NUMA  PCI address\n");
        assertThat(topology).hasToString("0 GPUs, 0 RDMA devices, 0 PCI functions");
    }

    @Test
    void unreadableValuesAreUnknown() {
        RecordedMachine.empty(root).with("""
            sys/devices/LNXSYSTM:00/VMBUS:00/4fa/pci0001:00/0001:00:00.0/
              class: 0x030200
              vendor: 0x10de
              numa_node: many
              current_link_width: 255
              current_link_speed: Unknown speed
            sys/devices/pci0000:00/0000:00:09.0/mlx5_core.sf.4/infiniband/mlx5_7/
              device -> ../../../mlx5_core.sf.4
            sys/bus/pci/devices/0001:00:00.0 -> ../../../devices/LNXSYSTM:00/VMBUS:00/4fa/pci0001:00/0001:00:00.0
            sys/bus/pci/devices/0000:00:0a.0 -> ../../../devices/pci0000:00/0000:00:0a.0
            sys/bus/pci/devices/0000:00:09.0 -> ../../../devices/pci0000:00/0000:00:09.0
            sys/bus/pci/devices/odd -> ../../../devices/pci0000:00/0000:00:09.0
            sys/class/infiniband/mlx5_7 -> ../../devices/pci0000:00/0000:00:09.0/mlx5_core.sf.4/infiniband/mlx5_7
            """);
        Topology topology = Topology.read(root.resolve("sys"));
        // A link to nothing and a name that is no address are left out.
        assertThat(topology.functions()).hasSize(2);
        PciFunction gpu = topology.gpus().getFirst();
        assertThat(gpu.rootComplex()).isEqualTo("pci0001:00");
        assertThat(gpu.numaNode()).isEqualTo(-1);
        assertThat(gpu.link()).isEqualTo(PciLink.UNKNOWN);
        assertThat(gpu.driver()).isEmpty();
        // A scalable function is a part of the PCI function above it.
        assertThat(topology.adapter("mlx5_7")
                        .orElseThrow()
                        .function()
                        .orElseThrow()
                        .address())
                .isEqualTo(PciAddress.parse("0000:00:09.0"));
        assertThat(order(topology, 0)).containsExactly("mlx5_7 NODE");
    }

    @Test
    void ofSeveralNodesAnUnknownOneIsAnother() {
        RecordedMachine.of("hgx-h100", root).with("sys/devices/pci0000:27/0000:27:01.0/0000:28:00.0/numa_node: -1\n");
        Topology topology = Topology.read(root.resolve("sys"));
        assertThat(order(topology, 0)).contains("mlx5_2 SYS", "mlx5_3 NODE");
        assertThat(topology.placement(
                                topology.gpus().getFirst(),
                                topology.adapter("mlx5_2").orElseThrow())
                        .numaDistance())
                .isEqualTo(AdapterPlacement.UNKNOWN_NUMA_DISTANCE);
    }

    @Test
    void linkToTheRootNamesNothing() {
        RecordedMachine.of("workstation", root).with("""
                sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/driver -> /.
                sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/physfn -> /.
                """);
        PciFunction gpu = Topology.read(root.resolve("sys")).gpus().getFirst();
        assertThat(gpu.driver()).isEmpty();
        assertThat(gpu.physicalFunction()).isEmpty();
    }

    @Test
    void tableIsAsNvidiaSmiPrintsIt() {
        assertThat(machine("workstation").matrix()).isEqualTo("""
            __        GPU0  mlx5_0  mlx5_1  mlx5_2  rxe0  NUMA  PCI address
            GPU0    X     PHB     PHB     NODE    none  -     0000:01:00.0
            mlx5_0  PHB   X       PIX     NODE    none  -     0000:02:00.0
            mlx5_1  PHB   PIX     X       NODE    none  -     0000:02:00.1
            mlx5_2  NODE  NODE    NODE    X       none  -     0000:41:00.0
            rxe0    none  none    none    none    X     -     -
            """.replace("__", ""));
    }
}
