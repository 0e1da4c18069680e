// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.predict.machine.DescribedMachines;
import io.github.rdma4j.perftest.predict.model.Adapter;
import io.github.rdma4j.perftest.predict.model.DataPath;
import io.github.rdma4j.perftest.predict.model.LinkType;
import io.github.rdma4j.perftest.predict.model.MachineModel;
import io.github.rdma4j.perftest.predict.model.NetworkLink;
import io.github.rdma4j.perftest.predict.model.PathKind;
import io.github.rdma4j.perftest.predict.model.Paths;
import io.github.rdma4j.perftest.predict.model.PciExpress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Compares the model with published measurements. The table in docs/predict.md is generated here: {@code
 * -Drdma4j.predict.write=true} writes it, and without that option the test compares it.
 */
class ValidationTest {
    private static final double ENOUGH = 0.1;
    private static final Path PAGE = Path.of("../../docs/predict.md");
    private static final String HEAD = "| measured | predicted | published | error | |";
    private static final double MEBI = (1 << 20) / 1e9;
    private static final String PERFTEST = "https://github.com/linux-rdma/perftest/issues/";
    private static final String UCX = "https://github.com/openucx/ucx/issues/";
    private static final String NCCL_TESTS = "https://github.com/NVIDIA/nccl-tests/issues/";
    private static final String NVBANDWIDTH = "https://github.com/NVIDIA/nvbandwidth/issues/";
    private static final String FORUM =
            "https://forums.developer.nvidia.com/t/theortical-bandwidth-and-latency-of-nic/273376";
    private static final String MOONCAKE =
            "https://github.com/kvcache-ai/Mooncake/blob/main/docs/source/design/transfer-engine/transport/efa_transport.md";
    private static final String MICROWAY =
            "https://www.microway.com/knowledge-center-articles/performance-characteristics-of-common-transports-buses/";

    /**
     * A row.
     *
     * @param what was measured
     * @param predicted in 10⁹ byte/s, or in the unit that it names
     * @param published the same
     * @param unit of both
     * @param source where it is published
     * @param reason why the two differ by more than a tenth, or what else to know; else empty
     */
    private record Row(String what, double predicted, double published, String unit, String source, String reason) {
        double error() {
            return predicted / published - 1;
        }

        @Override
        public String toString() {
            return what;
        }
    }

    private static Row row(String what, double predicted, double published, String source, String reason) {
        return new Row(what, predicted, published, "GB/s", source, reason);
    }

    private static double reaches(MachineModel machine, PathKind kind, long size) {
        return Paths.of(machine, kind).orElseThrow().expect(size, 128).bandwidth() / 1e9;
    }

    private static double reaches(String machine, PathKind kind, long size) {
        return reaches(DescribedMachines.of(machine), kind, size);
    }

    /** A described machine with another network and another slot. */
    private static MachineModel with(String machine, NetworkLink network, PciExpress pci) {
        MachineModel described = DescribedMachines.of(machine);
        Adapter adapter = described.adapter();
        return described.with(new Adapter(
                adapter.name(),
                network,
                Optional.of(pci),
                adapter.latency(),
                adapter.message(),
                adapter.packet(),
                adapter.kibibyte(),
                adapter.processor()));
    }

    private static double ethernet(LinkType type, double gigabits, int mtu, PciExpress pci, long size) {
        return reaches(with("connectx5-pcie3", new NetworkLink(type, gigabits, mtu), pci), PathKind.HOST, size);
    }

    /** Returns the bandwidth at which a device writes over a link. */
    private static double writes(double speed, int width) {
        MachineModel machine = with(
                "connectx5-pcie3",
                new NetworkLink(LinkType.INFINIBAND, 10_000, 4096),
                new PciExpress(speed, width, 256, 512));
        return Paths.of(machine, PathKind.HOST).orElseThrow().limits().entrySet().stream()
                        .filter(limit -> limit.getKey().contains("receiver's adapter"))
                        .findFirst()
                        .orElseThrow()
                        .getValue()
                / 1e9;
    }

    private static double gpuWrites(String machine) {
        DataPath staged =
                Paths.of(DescribedMachines.of(machine), PathKind.STAGED).orElseThrow();
        return staged.limits().entrySet().stream()
                        .filter(limit -> limit.getKey().endsWith("of the sender's GPU, from the GPU"))
                        .findFirst()
                        .orElseThrow()
                        .getValue()
                / 1e9;
    }

    private static final PciExpress PCIE_3_X8 = new PciExpress(8, 8, 256, 512);
    private static final PciExpress PCIE_3_X16 = new PciExpress(8, 16, 256, 512);
    private static final PciExpress PCIE_5_X16 = new PciExpress(32, 16, 256, 512);

    private static final List<Row> ROWS = List.of(
            row(
                    "`ib_write_bw`, EDR, MTU 4096, 8 MiB",
                    reaches("connectx5-pcie3", PathKind.HOST, 8 << 20),
                    96.6 / 8,
                    FORUM,
                    ""),
            row(
                    "`ib_write_bw`, InfiniBand 100 Gbit/s",
                    reaches("connectx5-pcie3", PathKind.HOST, 65_536),
                    11_728.47 * MEBI,
                    PERFTEST + 225,
                    ""),
            row(
                    "`ib_send_bw`, 100 Gbit/s Ethernet, 64 KiB, ConnectX-4",
                    ethernet(LinkType.ROCE_V2, 100, 4096, PCIE_3_X16, 65_536),
                    97.0 / 8,
                    "https://mellanox37.rssing.com/chan-11689808/article3279.html",
                    "the MTU is not published; 4096"),
            row(
                    "`ib_send_bw`, RoCE v1, 40 Gbit/s, MTU 1024, ConnectX-3",
                    ethernet(LinkType.ROCE_V1, 40, 1024, PCIE_3_X8, 65_536),
                    36.07 / 8,
                    UCX + 9430,
                    ""),
            row(
                    "`ib_write_bw`, RoCE v2, 25 Gbit/s, BlueField-2",
                    ethernet(LinkType.ROCE_V2, 25, 1024, PCIE_3_X8, 65_536),
                    23.0 / 8,
                    PERFTEST + 219,
                    "“about 23”; the MTU is not published; 1024"),
            row(
                    "`ib_write_bw`, HDR, A100 server",
                    reaches("dgx-a100", PathKind.HOST, 65_536),
                    194.0 / 8,
                    "https://github.com/Azure/azurehpc-health-checks/issues/46",
                    ""),
            row(
                    "`ib_write_bw`, HDR, 32 MiB",
                    reaches("connectx6-pcie4", PathKind.HOST, 32 << 20),
                    23_000 * MEBI,
                    PERFTEST + 241,
                    "“around 23000 MB/s”"),
            row(
                    "`ib_write_bw` between A30s, two sockets apart, HDR",
                    reaches("dgx-a100", PathKind.GPUDIRECT, 32 << 20),
                    11_000 * MEBI,
                    PERFTEST + 241,
                    "the root complex of that processor passes less from device to device than PCIe carries; a"
                            + " description says so with `peer_gigabytes`"),
            row(
                    "`ib_write_bw` with GPU memory, NDR, H100 server: least that is accepted",
                    reaches("dgx-h100", PathKind.GPUDIRECT, 65_536),
                    380.0 / 8,
                    "https://github.com/Azure/azurehpc-health-checks/pull/38",
                    "a threshold, not a measurement"),
            row(
                    "ConnectX-7 at 400 Gbit/s, what SimAI takes",
                    reaches("connectx7-pcie5", PathKind.HOST, 1 << 20),
                    48.5,
                    "https://github.com/aliyun/SimAI",
                    "`CX7_BW` in calbusbw.h"),
            row(
                    "32 EFAs of a p5 instance, writes of 1 MiB",
                    32 * ethernet(LinkType.SRD, 100, 8928, PCIE_5_X16, 1 << 20),
                    388.9,
                    MOONCAKE,
                    "SRD's header is not published, and counts as 0 bytes"),
            row(
                    "16 EFAs of a p5en instance, writes of 1 MiB",
                    16 * ethernet(LinkType.SRD, 200, 8928, PCIE_5_X16, 1 << 20),
                    365.66,
                    MOONCAKE,
                    "as above"),
            row(
                    "16 EFAs of a p6-b300 instance, writes of 1 MiB",
                    16 * ethernet(LinkType.SRD, 400, 8928, PCIE_5_X16, 1 << 20),
                    780.33,
                    MOONCAKE,
                    "as above"),
            row(
                    "16 EFAs of a p5en instance, writes of 64 KiB",
                    16 * ethernet(LinkType.SRD, 200, 8928, PCIE_5_X16, 1 << 16),
                    97.11,
                    MOONCAKE,
                    "the time that a write takes in libfabric and EFA is not published: 0.38 µs, as for ConnectX-5"),
            row(
                    "`ib_read_bw`, HDR, 64 bytes",
                    reaches("connectx6-pcie4", PathKind.HOST, 64),
                    155.39 * MEBI,
                    UCX + 8852,
                    ""),
            row(
                    "`ib_read_bw`, HDR, 128 bytes",
                    reaches("connectx6-pcie4", PathKind.HOST, 128),
                    310.05 * MEBI,
                    UCX + 8852,
                    ""),
            row(
                    "`ib_send_bw -a`, 1024 bytes, ARM server",
                    reaches("connectx5-pcie3", PathKind.HOST, 1024),
                    5544.28 * MEBI,
                    PERFTEST + 65,
                    "messages per second are the processor's: the same machine had 920 MB/s without `-a`"),
            new Row(
                    "`ib_write_lat`, EDR, 2 MiB",
                    Paths.of(DescribedMachines.of("connectx5-pcie3"), PathKind.HOST)
                            .orElseThrow()
                            .oneWay(2 << 20),
                    176,
                    "µs",
                    FORUM,
                    ""),
            row("PCIe 1 x16, in practice", writes(2.5, 16), 3.52, MICROWAY, ""),
            row("PCIe 2 x16, in practice", writes(5, 16), 6.4, MICROWAY, ""),
            row("PCIe 3 x16, in practice", writes(8, 16), 12.1, MICROWAY, ""),
            row(
                    "PCIe 3 x8, in practice",
                    writes(8, 8),
                    5.6,
                    MICROWAY,
                    "less than half of the same table's x16: what hangs on such slots, not the link"),
            row("PCIe 4 x16, in practice", writes(16, 16), 26.2, MICROWAY, ""),
            row("A6000 to A6000 over PCIe 4 x16, nvbandwidth", writes(16, 16), 26.34, NVBANDWIDTH + 50, ""),
            row(
                    "host to A100 over PCIe 4 x16, nvbandwidth",
                    reaches("dgx-a100", PathKind.COPY, 512 << 20),
                    25.13,
                    NVBANDWIDTH + 42,
                    ""),
            row("H100 to host over PCIe 5 x16, nvbandwidth", gpuWrites("dgx-h100"), 52.77, NVBANDWIDTH + 24, ""),
            row(
                    "host to H100 over PCIe 5 x16",
                    reaches("dgx-h100", PathKind.COPY, 512 << 20),
                    54.8,
                    "https://github.com/ZiyanIshani/vpbenchmarking",
                    ""),
            row(
                    "H100 to host over PCIe 5 x16, the same report",
                    gpuWrites("dgx-h100"),
                    46.8,
                    "https://github.com/ZiyanIshani/vpbenchmarking",
                    "others have 52.77 with that GPU, two rows above: that host's memory, not the link"),
            row(
                    "RTX PRO 6000 to another over PCIe 5 x16 and a switch",
                    writes(32, 16),
                    54,
                    "https://github.com/voipmonitor/rtx6kpro/blob/master/hardware/pcie-bandwidth.md",
                    ""),
            row(
                    "host to GH200's GPU over NVLink-C2C, nvbandwidth",
                    reaches("grace-hopper", PathKind.COPY, 4L << 30),
                    346,
                    NVBANDWIDTH + 23,
                    ""),
            row(
                    "NVLink, 8 H100, NCCL's bus bandwidth with rings",
                    reaches("dgx-h100", PathKind.NVLINK, 4L << 30),
                    370,
                    NCCL_TESTS + 212,
                    "the figure of a link is NCCL's own"),
            row(
                    "NVLink, 8 H100, NCCL's bus bandwidth with NVLink SHARP",
                    reaches("dgx-h100", PathKind.NVLINK, 4L << 30),
                    480,
                    NCCL_TESTS + 212,
                    "switches add up: this is not the bandwidth of one link"),
            row(
                    "NVLink, 8 A100, `all_reduce_perf`: least that is accepted",
                    reaches("dgx-a100", PathKind.NVLINK, 4L << 30),
                    228,
                    "https://github.com/Azure/azurehpc-health-checks/pull/38",
                    "a threshold, not a measurement"),
            row(
                    "NVLink, 2 A100 without a switch, `all_reduce_perf`",
                    reaches("dgx-a100", PathKind.NVLINK, 4L << 30),
                    208,
                    NCCL_TESTS + 178,
                    "a collective of two GPUs, which also add up; not explained further"));

    @ParameterizedTest
    @FieldSource("ROWS")
    void errorsAreSmallOrExplained(Row row) {
        if (row.reason.isEmpty()) {
            assertThat(row.error()).as(row.what).isBetween(-ENOUGH, ENOUGH);
        }
    }

    @Test
    void mostRowsNeedNoExplanation() {
        assertThat(ROWS)
                .filteredOn(row -> Math.abs(row.error()) <= ENOUGH)
                .hasSizeGreaterThanOrEqualTo(ROWS.size() * 3 / 4);
    }

    private static String table() {
        List<String> lines = new ArrayList<>();
        lines.add(HEAD);
        lines.add("|---|---|---|---|---|");
        for (Row row : ROWS) {
            lines.add(String.format(
                    Locale.ROOT,
                    "| %s | %s %s | [%s](%s) | %+.1f %% | %s |",
                    row.what,
                    number(row.predicted),
                    row.unit,
                    number(row.published),
                    row.source,
                    row.error() * 100,
                    row.reason));
        }
        return String.join("\n", lines);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f", value);
    }

    @Test
    void pageHasTheseFigures() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(HEAD);
        assertThat(begin).as("the line " + HEAD).isNotNegative();
        int end = page.indexOf("\n\n", begin);
        if (Boolean.getBoolean("rdma4j.predict.write")) {
            Files.writeString(PAGE, page.substring(0, begin) + table() + page.substring(end));
            return;
        }
        assertThat(page.substring(begin, end))
                .as("docs/predict.md; -Drdma4j.predict.write=true writes the table")
                .isEqualTo(table());
    }
}
