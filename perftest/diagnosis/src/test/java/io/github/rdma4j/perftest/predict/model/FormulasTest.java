// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.rdma4j.perftest.predict.machine.DescribedMachines;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The formulas of docs/predict.md, calculated by hand. */
class FormulasTest {
    @ParameterizedTest
    @CsvSource({
        // 8 of 10 bits, 128 of 130, 236 of 256; and 0.91858 for the data link layer.
        "2.5, 16, 1, 3.6743",
        "5, 8, 2, 3.6743",
        "8, 16, 3, 14.4712",
        "16, 16, 4, 28.9424",
        "32, 16, 5, 57.8847",
        "64, 16, 6, 108.3926",
    })
    void pciLinkCarriesWhatIsLeftOfItsSignals(double speed, int width, int generation, double gigabytes) {
        PciExpress pci = new PciExpress(speed, width, 256, 512);
        assertThat(pci.capacity() / 1e9).isCloseTo(gigabytes, within(0.0001));
        assertThat(pci.generation()).isEqualTo(generation);
        assertThat(pci.title()).isEqualTo("PCIe " + generation + " x" + width);
    }

    @Test
    void pciPacketsTakeTheirPart() {
        PciExpress pci = new PciExpress(8, 16, 256, 512);
        assertThat(pci.writes("a", "b").bytes(256)).isEqualTo(280);
        assertThat(pci.writes("a", "b").bytes(257)).isEqualTo(257 + 48);
        assertThat(pci.completions("a", "b").bytes(512)).isEqualTo(552);
        assertThat(pci.readRequests("a", "b").bytes(1024)).isEqualTo(48);
        assertThat(pci.writes("a", "b").perByte()).isEqualTo(280.0 / 256);
    }

    @ParameterizedTest
    @CsvSource({
        // Per packet 26, 94, 82 bytes; iWARP and TCP have 60 and 52 of their headers within the MTU.
        "INFINIBAND, 4096, 4096, 0.99369",
        "ROCE_V1, 1024, 1024, 0.91592",
        "ROCE_V2, 1024, 1024, 0.92586",
        "ROCE_V2, 4096, 4096, 0.98037",
        "IWARP, 1500, 1440, 0.93628",
        "TCP, 1500, 1448, 0.94148",
        "TCP, 9000, 8948, 0.99004",
    })
    void packetsLeaveAShareOfTheNetwork(LinkType type, int mtu, int data, double share) {
        NetworkLink link = new NetworkLink(type, 100, mtu);
        assertThat(link.data()).isEqualTo(data);
        assertThat(1 / link.writes().perByte()).isCloseTo(share, within(0.00001));
    }

    @Test
    void firstPacketOfAWriteHasItsAddress() {
        NetworkLink link = new NetworkLink(LinkType.ROCE_V2, 100, 1024);
        assertThat(link.writes().bytes(1)).isEqualTo(1 + 82 + 16);
        assertThat(link.writes().bytes(2048)).isEqualTo(2048 + 2 * 82 + 16);
        assertThat(link.acknowledgements().bytes(2048)).isEqualTo(86);
    }

    private static DataPath path(int latency, double message) {
        return new DataPath(
                PathKind.HOST,
                List.of(),
                List.of(Load.plain("wire", "out", 1e9, 1)),
                latency,
                new DataPath.ServiceTime(message, 0, 1, 0),
                new DataPath.ProcessorTime(0.5, 0.25));
    }

    @Test
    void manyMessagesAreAsFastAsTheSlowestPart() {
        DataPath path = path(2, 1);
        assertThat(path.limit()).isCloseTo(1e9, within(1.0));
        // 100 bytes take 0.1 µs on the wire, and 1 µs to send.
        assertThat(path.expect(100, 128).bandwidth()).isCloseTo(100e6, within(1.0));
        assertThat(path.expect(100, 128).bound()).isEqualTo(DataPath.MESSAGES);
        assertThat(path.expect(100_000, 128).bandwidth()).isCloseTo(1e9, within(1.0));
        assertThat(path.expect(100_000, 128).bound()).isEqualTo("wire, out");
    }

    @Test
    void messageAloneTakesAllInTurn() {
        DataPath path = path(2, 1);
        // 2 + 1 + 1 µs
        assertThat(path.expect(1000, 1).bandwidth()).isCloseTo(250e6, within(1.0));
        assertThat(path.expect(1000, 1).bound()).isEqualTo(DataPath.DEPTH);
        assertThat(path.expect(1000, 2).bandwidth()).isCloseTo(500e6, within(1.0));
        assertThat(path.oneWay(1000)).isCloseTo(3, within(1e-9));
    }

    @Test
    void processorTimeIsOfMessagesAndBytes() {
        assertThat(path(0, 0).expect(1 << 20, 1).processor()).isCloseTo(0.25 + 1024 * 0.5e-6, within(1e-9));
    }

    @Test
    void trafficThatCrossesALinkTwiceHasHalfOfIt() {
        DataPath path = new DataPath(
                PathKind.HOST,
                List.of(),
                List.of(
                        Load.plain("bus", "up", 1e9, 1),
                        Load.plain("bus", "up", 1e9, 1),
                        Load.plain("bus", "down", 1e9, 1)),
                0,
                new DataPath.ServiceTime(0, 0, 1, 0),
                new DataPath.ProcessorTime(0, 0));
        assertThat(path.limits()).containsOnlyKeys("bus, up", "bus, down");
        assertThat(path.limits().get("bus, up")).isCloseTo(5e8, within(1.0));
        assertThat(path.limits().get("bus, down")).isCloseTo(1e9, within(1.0));
        assertThat(path.bottleneck()).isEqualTo("bus, up");
    }

    @Test
    void withoutALimitOfItsOwnANetworkIsLeftOut() {
        Adapter software =
                new Adapter("rxe0", new NetworkLink(LinkType.ROCE_V2, 0, 1024), Optional.empty(), 1, 10, 2, 0.5, 1);
        MachineModel machine = new MachineModel(
                "m",
                List.of(),
                List.of(),
                software,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        DataPath path = Paths.of(machine, PathKind.HOST).orElseThrow();
        assertThat(path.loads()).isEmpty();
        // 2 µs a packet and 0.5 µs for its 1024 bytes.
        assertThat(path.limit()).isCloseTo(1024 / 2.5e-6, within(1.0));
        assertThat(path.bottleneck()).isEqualTo(DataPath.PROCESSOR);
        assertThat(Paths.of(machine)).extracting(DataPath::kind).containsExactly(PathKind.HOST);
    }

    @Test
    void numaHopAndTheRootComplexAreLinks() {
        MachineModel h100 = DescribedMachines.of("dgx-h100");
        Gpu gpu = h100.gpu().orElseThrow();
        Gpu far = new Gpu(gpu.name(), "", gpu.pci(), Gpu.Attachment.SOCKET, 12, 0, 0, 0, 10);
        MachineModel machine = new MachineModel(
                "far",
                List.of(),
                List.of(),
                h100.adapter(),
                Optional.of(far),
                Optional.of(new HostMemory(8, 4800, 0.8, 1, 40)),
                h100.disk(),
                Optional.empty());
        DataPath direct = Paths.of(machine, PathKind.GPUDIRECT).orElseThrow();
        assertThat(direct.limit()).isCloseTo(12e9, within(1.0));
        assertThat(direct.bottleneck()).startsWith("root complex");
        DataPath host = Paths.of(machine, PathKind.HOST).orElseThrow();
        assertThat(host.limit()).isCloseTo(40e9, within(1.0));
        assertThat(host.bottleneck()).startsWith("link between processors");
    }

    @ParameterizedTest
    @CsvSource({"8, 16, 100, 512", "0, 16, 256, 512", "8, 0, 256, 512", "8, 16, 256, 8192"})
    void impossibleLinkIsRefused(double speed, int width, int payload, int request) {
        assertThatThrownBy(() -> new PciExpress(speed, width, payload, request))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
