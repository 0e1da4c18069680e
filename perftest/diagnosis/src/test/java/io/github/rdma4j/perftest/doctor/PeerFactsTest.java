// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.doctor.check.Doctor;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.pair.MachineFacts;
import io.github.rdma4j.perftest.doctor.pair.PeerMachine;
import io.github.rdma4j.perftest.doctor.pair.PeerPort;
import io.github.rdma4j.perftest.doctor.pair.Transport;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the description that a recorded machine sends to its peer. */
class PeerFactsTest {
    @TempDir
    private Path folder;

    private PeerMachine facts(RecordedHost host, String device, int gidIndex) {
        Machine machine = new Machine(host.sources());
        return MachineFacts.of(
                machine,
                Doctor.examine(machine),
                "1.0",
                Optional.ofNullable(device),
                gidIndex < 0 ? OptionalInt.empty() : OptionalInt.of(gidIndex));
    }

    private RecordedHost host(String name) {
        return RecordedHost.of(name, folder);
    }

    @ParameterizedTest
    @CsvSource({
        "mlx5-roce, ROCE",
        "rxe, ROCE",
        "bnxt, ROCE",
        "h100-infiniband, INFINIBAND",
        "mlx4-infiniband, INFINIBAND",
        "siw, IWARP",
        "i40iw, IWARP",
        "efa, SRD"
    })
    void portsSpeakWhatTheySpeak(String name, Transport transport) {
        PeerMachine machine = facts(host(name), null, -1);
        assertThat(machine.ports()).isNotEmpty().allMatch(port -> port.transport() == transport);
        // The peer can parse the description.
        assertThat(PeerMachine.of(machine.fields())).isEqualTo(machine);
    }

    @Test
    void rocePortReportsItsGidAndWhy() {
        PeerPort port = facts(host("mlx5-roce"), null, -1).ports().getFirst();
        assertThat(port.usable()).isTrue();
        assertThat(port.gidType()).isEqualTo("RoCE v2");
        assertThat(port.gidReason()).isEqualTo("v2 can be routed; IPv4 is preferred");
        assertThat(PeerPort.address(port.gid())).isPresent();
        assertThat(port.gids()).contains(port.gid());
        assertThat(port.vlan()).isZero();
        assertThat(port.mtu()).isPositive();
    }

    @Test
    void gidThatIsAskedForIsTaken() {
        PeerMachine machine = facts(host("mlx5-roce"), "mlx5_0", 0);
        assertThat(machine.ports().getFirst().gidIndex()).isZero();
        assertThat(machine.ports().getFirst().gidReason()).isEqualTo("chosen with --gid-index");
        PeerPort none = facts(host("mlx5-roce"), "mlx5_0", 200).ports().getFirst();
        assertThat(none.gid()).isEmpty();
        assertThat(none.usable()).isFalse();
        assertThat(facts(host("mlx5-roce"), "mlx5_7", -1).ports()).isEmpty();
    }

    @Test
    void vlanIsThatOfTheGidsInterface() {
        PeerPort plain = facts(host("mlx5-roce"), null, -1).ports().getFirst();
        String name = plain.networkInterface();
        assertThat(facts(
                                host("mlx5-roce")
                                        .with("proc/net/vlan/" + name + ": " + name
                                                + "  VID: 42\\t REORDER_HDR: 1  dev->priv_flags: 1001"),
                                null,
                                -1)
                        .ports()
                        .getFirst()
                        .vlan())
                .isEqualTo(42);
    }

    @Test
    void vlanWithoutNumberIsUnknown() {
        PeerPort plain = facts(host("mlx5-roce"), null, -1).ports().getFirst();
        assertThat(facts(
                                host("mlx5-roce")
                                        .with("sys/class/net/" + plain.networkInterface()
                                                + "/uevent: DEVTYPE=vlan\\nIFINDEX=4"),
                                null,
                                -1)
                        .ports()
                        .getFirst()
                        .vlan())
                .isEqualTo(-1);
    }

    @Test
    void partitionKeysAndTrafficClassAreRead() {
        PeerPort port = facts(
                        host("mlx5-roce")
                                .with("sys/class/infiniband/mlx5_0/ports/1/pkeys/0: 0xffff")
                                .with("sys/class/infiniband/mlx5_0/ports/1/pkeys/1: 0x0000")
                                .with("sys/class/infiniband/mlx5_0/ports/1/pkeys/2: 0x8001")
                                .with("sys/class/infiniband/mlx5_0/tc/1/traffic_class: Global tclass=106"),
                        null,
                        -1)
                .ports()
                .getFirst();
        assertThat(port.partitionKeys()).containsExactly("0xffff", "0x8001");
        assertThat(port.trafficClass()).isEqualTo(106);
    }

    /** Failures of a device that is not tested are left out. */
    @Test
    void onlyFailuresAreSent() {
        assertThat(facts(host("mlx5-roce"), null, -1).failures()).isEmpty();
        assertThat(facts(RecordedHost.bothPortsOfIrdma(folder), null, -1).failures())
                .contains("interface of irdma1/1: ens2f1 is switched off, MTU 1500");
    }

    @Test
    void failuresOfAnotherDeviceAreLeftOut() {
        assertThat(facts(RecordedHost.bothPortsOfIrdma(folder), "irdma0", -1).failures())
                .isEmpty();
    }
}
