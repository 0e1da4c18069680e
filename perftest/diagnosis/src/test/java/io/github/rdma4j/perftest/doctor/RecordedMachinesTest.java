// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.gpudirect.topology.Topology;
import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Diagnosis;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import io.github.rdma4j.perftest.doctor.check.Outcome;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.predict.machine.MachineFileException;
import io.github.rdma4j.perftest.predict.machine.MachineReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The doctor reports exactly the expected findings that are not ok, for machines that other people have described. */
class RecordedMachinesTest {
    @TempDir
    private Path root;

    private Diagnosis diagnosis(String name) {
        return RecordedHost.of(name, root).diagnosis();
    }

    /** Such as "FAIL port mlx5_0/1"; that a machine has no GPU is left out. */
    private static List<String> notOk(Diagnosis diagnosis) {
        return diagnosis.findings().stream()
                .filter(finding -> finding.state() != FindingState.OK && finding.check() != Check.GPUDIRECT)
                .map(finding -> (finding.state() + " " + finding.check().key() + " " + finding.subject()).strip())
                .toList();
    }

    private static Finding finding(Diagnosis diagnosis, Check check) {
        return diagnosis.findings().stream()
                .filter(finding -> finding.check() == check)
                .findFirst()
                .orElseThrow();
    }

    private static List<String> counters(Diagnosis diagnosis) {
        return diagnosis.findings().stream()
                .filter(finding -> finding.check() == Check.COUNTERS)
                .map(finding -> finding.state() + " " + finding.seen())
                .toList();
    }

    @Test
    void mlx5WithRoce() {
        Diagnosis diagnosis = diagnosis("mlx5-roce");
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.OK);
        assertThat(notOk(diagnosis))
                .containsExactly(
                        "UNKNOWN flow-control mlx5_0/1",
                        "UNKNOWN ecn mlx5_0/1",
                        "UNKNOWN traffic-class mlx5_0/1",
                        "NOTE counters mlx5_0/1",
                        "NOTE counters mlx5_0/1",
                        "NOTE counters mlx5_0/1",
                        "NOTE counters mlx5_0/1",
                        "NOTE counters mlx5_0/1",
                        "NOTE counters mlx5_0/1",
                        "NOTE counters mlx5_0/1");
        assertThat(finding(diagnosis, Check.GID).seen())
                .isEqualTo("use index 5, 0000:0000:0000:0000:0000:ffff:ac13:003c (172.19.0.60), RoCE v2 on ens1f0: v2"
                        + " can be routed, and an IPv4 address is preferred");
        assertThat(finding(diagnosis, Check.DEVICE).seen())
                .isEqualTo("can be opened, node type CA, driver mlx5_core, firmware 14.28.2006");
        assertThat(finding(diagnosis, Check.FLOW_CONTROL).source()).contains("ens1f0");
        assertThat(counters(diagnosis))
                .contains(
                        "NOTE local_ack_timeout_err 131, in 11,449,811,940 packets",
                        "NOTE out_of_sequence 1, in 11,449,811,940 packets",
                        "NOTE roce_slow_restart_cnps 131, in 11,449,811,940 packets");
        assertThat(finding(diagnosis, Check.PCI_LINK).seen()).isEqualTo("8.0 GT/s x8: 63 Gbit/s");
    }

    @Test
    void mlx4WithInfiniBand() {
        Diagnosis diagnosis = diagnosis("mlx4-infiniband");
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.OK);
        assertThat(diagnosis.usablePorts()).containsExactly("mlx4_0/1", "mlx4_0/2");
        assertThat(notOk(diagnosis)).containsExactly("NOTE counters mlx4_0/1", "NOTE counters mlx4_0/2");
        assertThat(finding(diagnosis, Check.PORT).seen()).isEqualTo("ACTIVE, LinkUp, InfiniBand, 56 Gb/sec (4X FDR)");
        assertThat(finding(diagnosis, Check.GID).seen()).endsWith("the port's own; within a subnet the LID is enough");
        assertThat(counters(diagnosis)).containsExactly("NOTE port_xmit_wait 3,599", "NOTE port_xmit_wait 3,846");
    }

    /** The same report after ibportstate has disabled port 1. */
    @Test
    void mlx4WithADisabledPort() {
        Diagnosis diagnosis = RecordedHost.of("mlx4-infiniband", root)
                .with("sys/class/infiniband/mlx4_0/ports/1/state: 1: DOWN\n"
                        + "sys/class/infiniband/mlx4_0/ports/1/phys_state: 2: Polling")
                .diagnosis();
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.OK);
        assertThat(diagnosis.usablePorts()).containsExactly("mlx4_0/2");
        assertThat(notOk(diagnosis)).contains("NOTE port mlx4_0/1");
        assertThat(finding(diagnosis, Check.PORT).seen()).isEqualTo("DOWN, Polling, InfiniBand: not in use");
    }

    @Test
    void irdma() {
        Diagnosis diagnosis = diagnosis("irdma");
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.OK);
        assertThat(notOk(diagnosis)).startsWith("NOTE port irdma1/1", "NOTE mtu irdma0/1");
    }

    /** A port that has an address is meant to be used. */
    @Test
    void irdmaWithAnAddressOnThePortThatIsDown() {
        Diagnosis diagnosis = RecordedHost.bothPortsOfIrdma(root).diagnosis();
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.TROUBLE);
        assertThat(notOk(diagnosis))
                .containsExactly(
                        "FAIL interface irdma1/1",
                        "FAIL port irdma1/1",
                        "NOTE mtu irdma0/1",
                        "NOTE numa irdma0",
                        "NOTE numa irdma1",
                        "NOTE interrupts irdma0",
                        "NOTE interrupts irdma1",
                        "UNKNOWN flow-control irdma0/1",
                        "UNKNOWN ecn irdma0/1",
                        "UNKNOWN traffic-class irdma0/1",
                        "NOTE counters irdma0/1",
                        "NOTE counters irdma0/1",
                        "NOTE counters irdma0/1");
        assertThat(diagnosis.trouble())
                .extracting(Finding::remedy)
                .containsExactly(
                        "ip link set ens2f1 up",
                        "ip link set ens2f1 up; if it is already up, check cable and switch; the link's state: ethtool ens2f1");
        assertThat(finding(diagnosis, Check.MTU).remedy()).startsWith("ip link set ens2f0 mtu 4200");
    }

    /** Drivers have these settings at the interfaces in the bond, and none at the bond's own. */
    @Test
    void settingsAgainstLossBelongToTheMembersOfABond() {
        Diagnosis diagnosis = RecordedHost.of("bond", root).with("""
                sys/class/net/ens1f0/ecn/roce_np/enable/3: 1
                sys/class/net/ens1f0/ecn/roce_rp/enable/3: 1
                sys/class/net/ens1f1/ecn/roce_np/enable/3: 0
                sys/class/net/ens1f1/ecn/roce_rp/enable/3: 0
                """).diagnosis();
        assertThat(diagnosis.findings())
                .filteredOn(finding -> finding.check() == Check.ECN || finding.check() == Check.FLOW_CONTROL)
                .extracting(finding -> finding.state() + " " + finding.subject() + ", " + finding.source())
                .containsExactly(
                        "UNKNOWN mlx5_bond_0/1 (ens1f0), netlink (dcbnl, ethtool) of ens1f0",
                        "UNKNOWN mlx5_bond_0/1 (ens1f1), netlink (dcbnl, ethtool) of ens1f1",
                        "OK mlx5_bond_0/1 (ens1f0), /sys/class/net/ens1f0/ecn",
                        "WARNING mlx5_bond_0/1 (ens1f1), /sys/class/net/ens1f1/ecn");
    }

    @Test
    void iwarp() {
        Diagnosis diagnosis = diagnosis("i40iw");
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.OK);
        assertThat(notOk(diagnosis)).containsExactly("NOTE device i40iw0", "UNKNOWN counters i40iw0/1");
        assertThat(finding(diagnosis, Check.DEVICE).meaning()).contains("connects only by rdma_cm");
        assertThat(finding(diagnosis, Check.INTERFACE).seen()).isEqualTo("ens785f0 is up, MTU 1500");
    }

    @Test
    void efa() {
        Diagnosis diagnosis = diagnosis("efa");
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.TROUBLE);
        assertThat(notOk(diagnosis)).containsExactly("NOTE rdma-cm", "NOTE device efa_0", "WARNING efa efa_0");
        assertThat(finding(diagnosis, Check.DEVICE).meaning()).contains("no reliable connections (RC)");
        assertThat(finding(diagnosis, Check.GID).seen())
                .startsWith("use index 0, fe80:")
                .endsWith("the port's own");
    }

    @Test
    void bnxt() {
        Diagnosis diagnosis = diagnosis("bnxt");
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.OK);
        assertThat(diagnosis.usablePorts()).containsExactly("bnxt_re0/1");
        assertThat(notOk(diagnosis))
                .containsExactly(
                        "NOTE port bnxt_re1/1",
                        "UNKNOWN flow-control bnxt_re0/1",
                        "UNKNOWN ecn bnxt_re0/1",
                        "UNKNOWN traffic-class bnxt_re0/1");
        assertThat(finding(diagnosis, Check.GID).seen())
                .startsWith("use index 3, fd93:")
                .endsWith("v2 can be routed, and without an IPv4 address, a global IPv6 address is preferred");
    }

    @Test
    void softIwarp() {
        Diagnosis diagnosis = diagnosis("siw");
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.OK);
        assertThat(notOk(diagnosis))
                .containsExactly("NOTE device siw0", "UNKNOWN interface siw0/1", "UNKNOWN counters siw0/1");
    }

    @Test
    void softRoce() {
        Diagnosis diagnosis = diagnosis("rxe");
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.OK);
        assertThat(notOk(diagnosis)).containsExactly("NOTE device rxe0");
        assertThat(finding(diagnosis, Check.GID).seen())
                .startsWith("use index 1, ")
                .contains("(10.99.0.1)");
        assertThat(counters(diagnosis)).containsExactly("OK none of 15 counters shows loss, congestion or a bad cable");
    }

    @Test
    void hnsOnAnotherNode() {
        Diagnosis diagnosis = diagnosis("hns");
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.TROUBLE);
        assertThat(notOk(diagnosis))
                .containsExactly(
                        "WARNING roce-mode hns_0/1",
                        "WARNING numa hns_0",
                        "WARNING governor",
                        "UNKNOWN flow-control hns_0/1",
                        "UNKNOWN ecn hns_0/1",
                        "UNKNOWN traffic-class hns_0/1",
                        "NOTE counters hns_0/1");
        assertThat(diagnosis.trouble())
                .extracting(Finding::remedy)
                .containsExactly(
                        "switch to v2: echo 'RoCE v2' > /sys/kernel/config/rdma_cm/hns_0/ports/1/default_roce_mode",
                        "bind the process to the node: numactl --cpunodebind=0 --membind=0 java ...",
                        "run cpupower frequency-set -g performance");
    }

    @Test
    void infiniBandWithCountersAtTheirEnds() {
        Diagnosis diagnosis = diagnosis("h100-infiniband");
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.TROUBLE);
        assertThat(diagnosis.usablePorts()).containsExactly("mlx5_1/1");
        assertThat(notOk(diagnosis))
                .containsExactly(
                        "FAIL port mlx5_0/1",
                        "WARNING counters mlx5_1/1",
                        "WARNING counters mlx5_1/1",
                        "WARNING counters mlx5_1/1",
                        "NOTE counters mlx5_1/1");
        assertThat(counters(diagnosis))
                .containsExactly(
                        "OK none of 2 counters shows loss, congestion or a bad cable",
                        "WARNING excessive_buffer_overrun_errors 15, the counter's maximum, in 482,109,068,547 packets",
                        "WARNING link_downed 255, the counter's maximum",
                        "WARNING port_xmit_discards 65,535, the counter's maximum, in 482,109,068,547 packets",
                        "NOTE port_xmit_wait 4,294,967,295, the counter's maximum");
    }

    @Test
    void podWithoutGids() {
        Diagnosis diagnosis = diagnosis("pod-without-gids");
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.BROKEN);
        assertThat(notOk(diagnosis))
                .startsWith("FAIL interface mlx5_0/1", "NOTE mtu mlx5_0/1", "FAIL gid mlx5_0/1")
                .contains("WARNING locked-memory", "NOTE container");
        assertThat(finding(diagnosis, Check.INTERFACE).seen())
                .isEqualTo("its network interface enp59s0f0 is not in this network namespace");
        assertThat(finding(diagnosis, Check.GID).remedy()).contains("--network host");
    }

    @Test
    void narrowLinkAndRoceV1() {
        Diagnosis diagnosis = diagnosis("narrow-link");
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.TROUBLE);
        assertThat(notOk(diagnosis))
                .containsExactly(
                        "NOTE mtu mlx4_0/1",
                        "WARNING gid mlx4_0/1",
                        "WARNING pci-link mlx4_0",
                        "UNKNOWN flow-control mlx4_0/1",
                        "UNKNOWN ecn mlx4_0/1",
                        "UNKNOWN traffic-class mlx4_0/1");
        assertThat(finding(diagnosis, Check.PCI_LINK).seen()).isEqualTo("5.0 GT/s x1 of 8.0 GT/s x4: 4 Gbit/s");
        assertThat(finding(diagnosis, Check.GID).meaning()).contains("the port has no RoCE v2 GID");
        assertThat(finding(diagnosis, Check.GID).remedy())
                .isEqualTo("modprobe mlx4_core roce_mode=2, if the adapter supports it");
    }

    @Test
    void moduleThatIsNotLoaded() {
        Diagnosis diagnosis = diagnosis("module-missing");
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.BROKEN);
        assertThat(notOk(diagnosis)).containsExactly("FAIL rdma-devices");
        assertThat(finding(diagnosis, Check.RDMA_DEVICES).seen())
                .isEqualTo("/sys/class/infiniband lists no device; the adapter 0000:17:00.0 has the driver mlx5_core");
        assertThat(finding(diagnosis, Check.RDMA_DEVICES).remedy()).startsWith("modprobe mlx5_ib;");
    }

    /** openucx/ucx issue 8229: ulimit -a prints 64 and 1024, and ibv_create_cq fails with ENOMEM. */
    @Test
    void littleLockedMemory() {
        Diagnosis diagnosis = RecordedHost.of("mlx4-infiniband", root)
                .with("proc/self/limits: Limit  Soft Limit  Hard Limit  Units\\nMax open files   1024   1024   files"
                        + "\\nMax locked memory    65536    65536    bytes")
                .diagnosis();
        assertThat(notOk(diagnosis)).startsWith("FAIL locked-memory", "NOTE open-files");
        assertThat(finding(diagnosis, Check.LOCKED_MEMORY).seen()).isEqualTo("RLIMIT_MEMLOCK is 64 KiB");
        assertThat(finding(diagnosis, Check.LOCKED_MEMORY).remedy())
                .startsWith("raise the limit: ulimit -l unlimited (raise the hard limit in limits.conf first)");
        // Its ports are active, and no program of this process can use them.
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.BROKEN);
        assertThat(diagnosis.usablePorts()).isEmpty();
    }

    @Test
    void deviceOfWhichTheControlGroupMayHaveNoMore() {
        Diagnosis diagnosis = RecordedHost.of("mlx5-roce", root)
                .with("proc/self/cgroup: 0::/job\nsys/fs/cgroup/job/rdma.max: mlx5_0 hca_handle=2 hca_object=max\n"
                        + "sys/fs/cgroup/job/rdma.current: mlx5_0 hca_handle=2 hca_object=20")
                .diagnosis();
        assertThat(notOk(diagnosis)).contains("FAIL rdma-cgroup mlx5_0");
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.BROKEN);
        assertThat(diagnosis.usablePorts()).isEmpty();
    }

    /**
     * The verdict stands in the comments of each file and was written before the program ran: {@code Verdict} and
     * {@code Usable}, each {@code Trouble} (and no other), and some of what else must be found. {@code Predict} names a
     * device, a port or {@code any} and its rate in Gbit/s, or {@code none}; {@code Nearest} a GPU and the adapter to
     * use.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "xdr-smi",
                "bond",
                "bonds-hgx",
                "multiplane-roce",
                "h100-rails",
                "sriov-host",
                "switchdev",
                "sriov-pod-down",
                "container-one-device",
                "azure-hb",
                "mana",
                "erdma",
                "vpi",
                "vpi-unused-port",
                "efa-p5",
                "ionic-mi300x",
                "gb200",
                "bluefield3",
                "qedr",
                "cxgb4",
                "rxe-bond",
                "vm-vf",
                "omni-path",
                "mthca-ddr",
                "usnic",
                "azure-nd",
                "bluefield2-switchdev",
                "bond-backup",
                "bond-two-cards",
                "pod-all-gids",
                "pod-macvlan",
                "slingshot"
            })
    void machineGetsTheVerdictWrittenForIt(String name) throws IOException {
        RecordedHost host = RecordedHost.of(name, root);
        Diagnosis diagnosis = host.diagnosis();
        List<String> findings = diagnosis.findings().stream()
                .map(finding -> (finding.state() + " " + finding.check().key() + " " + finding.subject()).strip())
                .toList();
        for (Finding finding : diagnosis.findings()) {
            assertThat(finding.remedy()).as(finding.toString()).doesNotMatch(FindingsTest.PLACEHOLDER);
        }
        List<String> expected = new ArrayList<>();
        List<String> found = new ArrayList<>();
        for (String[] line : RecordedHost.verdict(name)) {
            expected.add(line[0] + ": " + line[1]);
            found.add(line[0] + ": "
                    + switch (line[0]) {
                        case "Verdict" -> diagnosis.outcome();
                        case "Usable" -> String.join(", ", diagnosis.usablePorts());
                        case "Trouble", "Note" -> findings.contains(line[1]) ? line[1] : "missing in " + findings;
                        case "Gid" -> gid(diagnosis, line[1]);
                        case "Remedy" -> remedy(diagnosis, line[1]);
                        case "Nearest" -> nearest(line[1]);
                        default -> predicted(host, line[1]);
                    });
        }
        diagnosis.trouble().stream()
                .map(finding -> (finding.state() + " " + finding.check().key() + " " + finding.subject()).strip())
                .filter(trouble -> !expected.contains("Trouble: " + trouble))
                .forEach(trouble -> found.add("Trouble: " + trouble));
        assertThat(found).containsExactlyElementsOf(expected);
    }

    /** A port's name and the index of the GID to use. */
    private static String gid(Diagnosis diagnosis, String expected) {
        String port = expected.split(" ")[0];
        return diagnosis.findings().stream()
                .filter(finding ->
                        finding.check() == Check.GID && finding.subject().equals(port))
                .map(Finding::seen)
                .map(Pattern.compile("use index (\\d+)")::matcher)
                .filter(Matcher::find)
                .map(matcher -> port + " " + matcher.group(1))
                .findFirst()
                .orElse("none");
    }

    /** A check's key and words of its remedy. */
    private static String remedy(Diagnosis diagnosis, String expected) {
        String[] words = expected.split(" ", 2);
        List<String> remedies = diagnosis.trouble().stream()
                .filter(finding -> finding.check().key().equals(words[0]))
                .map(Finding::remedy)
                .toList();
        return remedies.stream().anyMatch(remedy -> remedy.contains(words[1])) ? expected : remedies.toString();
    }

    private String nearest(String expected) {
        Topology topology = Topology.read(root.resolve("sys"));
        PciAddress gpu = PciAddress.parse(expected.split(" ")[0]);
        return gpu + " "
                + topology.adaptersFor(topology.function(gpu).orElseThrow())
                        .getFirst()
                        .adapter()
                        .name();
    }

    private static String predicted(RecordedHost host, String expected) {
        String name = expected.split(" ")[0];
        try {
            double rate = MachineReader.read(
                            new Machine(host.sources()), Optional.of(name).filter(found -> !found.equals("any")))
                    .adapter()
                    .network()
                    .gigabits();
            return name + " " + (rate == Math.rint(rate) ? Long.toString((long) rate) : Double.toString(rate));
        } catch (MachineFileException refusal) {
            return name + " none";
        }
    }
}
