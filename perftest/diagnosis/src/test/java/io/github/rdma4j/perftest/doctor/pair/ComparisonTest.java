// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import static io.github.rdma4j.perftest.doctor.check.FindingState.FAIL;
import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.OK;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the comparison of two machines. */
class ComparisonTest {
    private static final String V4 = "0000:0000:0000:0000:0000:ffff:0a63:000";
    private static final String LINK_LOCAL = "fe80:0000:0000:0000:0000:0000:0000:0009";
    private static final String V6 = "2001:0db8:0000:0000:0000:0000:0000:0001";

    private static List<Finding> ports(PeerPort here, PeerPort there) {
        return new Comparison(Machines.with(here), Machines.with(there), "beta").ports(new PortPair(here, there));
    }

    private static Finding only(List<Finding> findings, Check check) {
        return findings.stream()
                .filter(finding -> finding.check() == check)
                .reduce((_, other) -> other)
                .orElseThrow();
    }

    private static void expect(Finding finding, FindingState state, String seen) {
        assertThat(finding.state()).as(finding.toString()).isEqualTo(state);
        assertThat(finding.seen()).contains(seen);
        if (state == FAIL || state == WARNING) {
            assertThat(finding.meaning()).isNotEmpty();
            assertThat(finding.remedy()).isNotEmpty();
        }
    }

    private static PeerPort roce(int mtu, String gid, String type, int vlan, int trafficClass) {
        return Machines.roce("mlx5_0", mtu, 3, gid, type, vlan, trafficClass);
    }

    private static PeerPort roce(String gid) {
        return roce(4096, gid, PeerPort.ROCE_V2, 0, -1);
    }

    @Test
    void likePortsAreOnlyOk() {
        assertThat(ports(roce(V4 + 1), roce(V4 + 2))).allMatch(finding -> finding.state() == OK);
        assertThat(ports(roce(V4 + 1), roce(V4 + 2)))
                .extracting(Finding::check)
                .contains(Check.PAIR_GID, Check.PAIR_VLAN, Check.PAIR_CLASS)
                .doesNotContain(Check.PAIR_PARTITION, Check.PAIR_SUBNET);
        PeerPort infiniBand = Machines.infiniBand(LINK_LOCAL, "0xffff");
        assertThat(ports(infiniBand, infiniBand)).allMatch(finding -> finding.state() == OK);
        assertThat(ports(Machines.iwarp(), Machines.iwarp())).allMatch(finding -> finding.state() == OK);
    }

    @Test
    void smallerMtuIsTheOneToFix() {
        Finding mtu = only(ports(roce(1024, V4 + 1, PeerPort.ROCE_V2, 0, -1), roce(V4 + 2)), Check.PAIR_MTU);
        expect(mtu, WARNING, "1024 bytes here, 4096 bytes at beta (interfaces: 1128 here, 4200 there)");
        assertThat(mtu.remedy()).startsWith("here: ip link set eth0 mtu 4200");
        mtu = only(ports(roce(V4 + 1), roce(1024, V4 + 2, PeerPort.ROCE_V2, 0, -1)), Check.PAIR_MTU);
        assertThat(mtu.remedy()).startsWith("at beta: ip link set eth0 mtu 4200");
    }

    @Test
    void portThatIsDownIsNamedWithItsSide() {
        List<Finding> findings = ports(roce(V4 + 1), Machines.down(roce(V4 + 2)));
        Finding port = only(findings, Check.PAIR_PORT);
        expect(port, FAIL, "DOWN");
        assertThat(port.subject()).isEqualTo("beta: mlx5_0/1");
        assertThat(port.remedy()).contains("ip link set eth0 up");
        expect(only(findings, Check.PAIR_MTU), UNKNOWN, "4096 bytes here, not reported at beta");
    }

    @Test
    void transportsThatDifferEndTheComparison() {
        List<Finding> findings = ports(roce(V4 + 1), Machines.infiniBand(LINK_LOCAL, "0xffff"));
        expect(findings.getLast(), FAIL, "RoCE here, InfiniBand at beta");
        assertThat(findings.getLast().check()).isEqualTo(Check.PAIR_TRANSPORT);
    }

    @Test
    void gidsMustUnderstandEachOther() {
        expect(
                only(ports(roce(4096, V4 + 1, "RoCE v1", 0, -1), roce(V4 + 2)), Check.PAIR_GID),
                FAIL,
                "index 3, RoCE v1, 10.99.0.1");
        expect(only(ports(roce(V4 + 1), roce(V6)), Check.PAIR_GID), FAIL, "2001:db8:0:0:0:0:0:1");
        expect(only(ports(roce(V6), roce(LINK_LOCAL)), Check.PAIR_GID), WARNING, "fe80:0:0:0:0:0:0:9");
        expect(only(ports(roce(V4 + 1), roce("")), Check.PAIR_GID), FAIL, "none");
    }

    @Test
    void vlansAndTrafficClassesMayDiffer() {
        PeerPort other = roce(4096, V4 + 2, PeerPort.ROCE_V2, 100, 106);
        expect(only(ports(roce(V4 + 1), other), Check.PAIR_VLAN), WARNING, "none here, 100 at beta");
        expect(only(ports(roce(V4 + 1), other), Check.PAIR_CLASS), WARNING, "not reported here, 106 at beta");
        expect(only(ports(other, other), Check.PAIR_CLASS), OK, "106 here, 106 at beta");
        PeerPort unknown = roce(4096, V4 + 2, PeerPort.ROCE_V2, -1, -1);
        expect(only(ports(roce(V4 + 1), unknown), Check.PAIR_VLAN), UNKNOWN, "not reported at beta");
    }

    @Test
    void partitionsMustHaveAFullMember() {
        PeerPort full = Machines.infiniBand(LINK_LOCAL, "0xffff", "0x8001");
        PeerPort limited = Machines.infiniBand(LINK_LOCAL, "0x7fff", "0x0002");
        expect(only(ports(full, limited), Check.PAIR_PARTITION), OK, "0xffff 0x8001 here, 0x7fff 0x0002 at beta");
        expect(only(ports(limited, limited), Check.PAIR_PARTITION), FAIL, "0x7fff");
        PeerPort other = Machines.infiniBand(LINK_LOCAL, "0x8002", "nonsense");
        expect(only(ports(full, other), Check.PAIR_PARTITION), FAIL, "0x8002");
        PeerPort unreported = Machines.infiniBand(LINK_LOCAL);
        expect(
                only(ports(full, unreported), Check.PAIR_PARTITION),
                UNKNOWN,
                "0xffff 0x8001 here, not reported at beta");
    }

    @Test
    void subnetPrefixesMustBeTheSame() {
        PeerPort one = Machines.infiniBand("fe80:0000:0000:0000:0000:0000:0000:0001", "0xffff");
        PeerPort other = Machines.infiniBand("fec0:0000:0000:0001:0000:0000:0000:0001", "0xffff");
        expect(only(ports(one, one), Check.PAIR_SUBNET), OK, "fe80:0000:0000:0000 here");
        expect(only(ports(one, other), Check.PAIR_SUBNET), FAIL, "fec0:0000:0000:0001 at beta");
        PeerPort unreported = Machines.infiniBand("", "0xffff");
        expect(
                only(ports(unreported, unreported), Check.PAIR_SUBNET),
                UNKNOWN,
                "not reported here, not reported at beta");
    }

    @Test
    void machinesAreCompared() {
        PeerMachine here = Machines.with(roce(V4 + 1));
        PeerMachine there =
                new PeerMachine("2.0", "b", "6", List.of(), List.of("port of mlx5_1/1: DOWN", "uverbs: no right"));
        List<Finding> findings = new Comparison(here, there, "beta").machines();
        expect(findings.get(0), WARNING, "1.0 here, 2.0 at beta");
        expect(findings.get(1), OK, "nothing broken");
        expect(findings.get(2), WARNING, "port of mlx5_1/1: DOWN, and 1 more");
        assertThat(findings.get(2).subject()).isEqualTo("beta");
    }

    @Test
    void clocksMayBeASecondApart() {
        ClockOffset close = ClockOffset.of(1_000_000_000, 1_000_250_000, 400_000);
        assertThat(close).isEqualTo(new ClockOffset(50_000, 200_000, 400_000));
        expect(Comparison.clock(close), OK, "the clocks agree within 200 µs");
        expect(
                Comparison.clock(ClockOffset.best(
                        List.of(close, ClockOffset.of(0, 4_000_000_000L, 2_000), ClockOffset.of(0, 9, 3_000_000)))),
                NOTE,
                "the other end's clock is 4.0 s ahead, give or take 1 µs");
        expect(Comparison.clock(ClockOffset.of(9_000_000_000L, 8_900_000_000L, 2_000_000)), OK, "101.0 ms behind");
        // After a slow answer the offset of the clocks is too uncertain for a warning.
        expect(
                Comparison.clock(ClockOffset.of(0, 3_000_000_000L, 5_000_000_000L)),
                OK,
                "the clocks agree within 2.5 s");
    }

    @Test
    void growingCountersMeanLoss() {
        Map<String, Long> before = Map.of("out_of_sequence", 5L, "duplicate_request", 1L, "gone", 1L);
        Map<String, Long> growth = CounterGrowth.between(
                before, Map.of("out_of_sequence", 25L, "duplicate_request", 1L, "packet_seq_err", 9L));
        assertThat(growth).isEqualTo(Map.of("out_of_sequence", 20L));
        Finding loss = CounterGrowth.finding("here", 3, growth, 1000);
        expect(loss, WARNING, "out_of_sequence +20, in 1,000 messages");
        expect(CounterGrowth.finding("here", 3, growth, 20_000), NOTE, "out_of_sequence +20, in 20,000 messages");
        expect(CounterGrowth.finding("here", 3, Map.of("duplicate_request", 4L), 10), OK, "duplicate_request +4");
        expect(CounterGrowth.finding("here", 3, Map.of(), 10), OK, "none of 3 counters shows loss");
        expect(CounterGrowth.finding("here", 0, Map.of(), 10), UNKNOWN, "no counter that shows loss");
    }

    @Test
    void portsWithTheAddressesAreTested() throws UnknownHostException {
        InetAddress local = InetAddress.getByName("10.99.0.1");
        InetAddress remote = InetAddress.getByName("10.99.0.2");
        PeerPort first = Machines.roce("mlx5_0", "0a63:0101");
        PeerPort second = Machines.roce("mlx5_1", "0a63:0001");
        PeerPort third = Machines.roce("mlx5_2", "0a63:0002");
        PeerMachine here = Machines.with(first, second);
        assertThat(PortPair.choose(here, Machines.with(first, third), local, remote))
                .contains(new PortPair(second, third));
        // A network for management: the first that can be used, of the same transport.
        InetAddress elsewhere = InetAddress.getByName("192.168.0.1");
        assertThat(PortPair.choose(
                        Machines.with(Machines.down(first), Machines.iwarp(), second),
                        Machines.with(Machines.down(first), third, second),
                        elsewhere,
                        elsewhere))
                .contains(new PortPair(second, third));
        assertThat(PortPair.choose(here, Machines.with(), local, remote)).isEmpty();
        assertThat(PortPair.choose(Machines.with(), here, local, remote)).isEmpty();
        PortPair pair = new PortPair(second, third);
        assertThat(pair.addressForConnections(remote)).isEqualTo(remote);
        assertThat(pair.addressForConnections(elsewhere)).isEqualTo(remote);
        assertThat(new PortPair(Machines.iwarp(), Machines.iwarp()).addressForConnections(elsewhere))
                .isEqualTo(elsewhere);
        assertThat(new PortPair(first, Machines.down(third)).isUsable()).isFalse();
    }
}
