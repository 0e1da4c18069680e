// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.options.Output;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.options.Verb;
import io.github.rdma4j.perftest.placement.CpuFrequency;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.GpuInfo;
import io.github.rdma4j.perftest.result.LatencyResult;
import io.github.rdma4j.perftest.result.Observation;
import io.github.rdma4j.perftest.result.Results;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.wire.BandwidthReport;
import io.github.rdma4j.perftest.wire.PeerKeys;
import io.github.rdma4j.verbs.device.Gid;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The texts, compared with what the C tools print, and the JSON, read back. */
class ReportTest {
    private static RunInfo info(Tool tool, String... arguments) {
        return Results.info(RunParameters.parse(tool, arguments));
    }

    @Test
    void bannerHasTheLinesOfCAlone() {
        String banner = Banner.of(info(Tool.WRITE_LATENCY, "localhost"));
        String line = "-".repeat(87) + "\n";
        assertThat(banner)
                .isEqualTo(line
                        + "                    RDMA_Write Latency Test\n"
                        + " Dual-port       : OFF\t\tDevice         : rxe0\n"
                        + " Number of qps   : 1\t\tTransport type : IB\n"
                        + " Connection type : RC\t\tUsing SRQ      : OFF\n"
                        + " PCIe relax order: OFF\n"
                        + " ibv_wr* API     : OFF\n"
                        + " TX depth        : 1\n"
                        + " Mtu             : 4096[B]\n"
                        + " Link type       : Ethernet\n"
                        + " GID index       : 1\n"
                        + " Max inline data : 0[B]\n"
                        + " rdma_cm QPs\t : OFF\n"
                        + " Data ex. method : Ethernet\n"
                        + line);
        String detailed = Banner.of(info(Tool.WRITE_LATENCY, "--details", "localhost"));
        assertThat(detailed)
                .startsWith(banner.substring(0, banner.length() - line.length()) + " Implementation  : rdma4j ")
                .endsWith(" Placement       : NUMA node 0, the only one\n Warm-up         : 20000 messages\n" + line);
        assertThat(detailed).doesNotContain("${");
    }

    @Test
    void reportOfALatencyEndsWithTheRowAndALine() {
        String plain = report(info(Tool.WRITE_LATENCY, "localhost"), Results.latency(2, 1000), null);
        assertThat(plain).endsWith(ResultTable.row(Results.latency(2, 1000)) + Banner.LINE + "\n");
        String detailed = report(info(Tool.WRITE_LATENCY, "--details", "localhost"), Results.latency(2, 1000), null);
        assertThat(detailed)
                .contains(ResultTable.row(Results.latency(2, 1000)), "\n latency [usec] ", "samples beyond");
    }

    private static String report(RunInfo info, SizeResult result, Observation observation) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        ConsoleReport report = new ConsoleReport(new PrintStream(printed, true, StandardCharsets.UTF_8), null, null);
        report.agreed(info);
        report.begin(info);
        if (observation != null) {
            report.observed(observation);
        }
        report.result(result);
        report.end();
        return printed.toString(StandardCharsets.UTF_8);
    }

    /** As in C (compare/c-4.5-*.txt), where only the tool that waits for the last byte of a message leaves it out. */
    @Test
    void relaxedOrderingIsAskedForAsInC() {
        for (Tool tool : Tool.values()) {
            boolean off = tool == Tool.WRITE_LATENCY;
            assertThat(RunParameters.parse(tool, "localhost").relaxedOrdering())
                    .as(tool.name())
                    .isEqualTo(!off);
            assertThat(RunParameters.parse(tool, "localhost", "--disable_pcie_relaxed")
                            .relaxedOrdering())
                    .isFalse();
        }
    }

    @Test
    void bannerOfABidirectionalTestShowsIt() {
        String banner = Banner.of(info(Tool.WRITE_BANDWIDTH, "-b", "-q", "4"));
        assertThat(banner)
                .contains(
                        "                    RDMA_Write Bidirectional BW Test\n",
                        " Number of qps   : 4\t\t",
                        " PCIe relax order: ON\n",
                        " TX depth        : 128\n CQ Moderation   : 1\n Mtu");
        String server = Banner.of(info(Tool.WRITE_BANDWIDTH));
        assertThat(server).contains("                    RDMA_Write BW Test\n").doesNotContain("TX depth");
    }

    @Test
    void bannerNamesGpuAndPathAndWhyNoneIsBetter() {
        assertThat(Banner.of(gpu(Results.STAGED)))
                .endsWith(" GPU             : CUDA device 0, NVIDIA H200, 0000:17:00.0; device memory\n"
                        + " GPU path        : staged: each message is copied\n"
                        + "   not dmabuf    : the adapter cannot\n"
                        + "   not peermem   : no module (modprobe nvidia_peermem)\n"
                        + Banner.LINE + "\n");
        assertThat(Banner.of(gpu(null))).doesNotContain("GPU");
    }

    private static RunInfo gpu(GpuInfo gpu) {
        return Results.info(RunParameters.parse(Tool.WRITE_BANDWIDTH, "--details", "localhost"), gpu);
    }

    @Test
    void addressesLookAsThoseOfC() {
        Gid gid = Gid.of(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 99, 0, 1});
        assertThat(Banner.address(Verb.WRITE, true, new PeerKeys(0, 1, 0x12, 0x12da17, 0x239, 0x55fb0bd81000L, gid)))
                .isEqualTo(" local address: LID 0000 QPN 0x0012 PSN 0x12da17 RKey 0x000239 VAddr 0x0055fb0bd81000\n"
                        + " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:99:00:01\n");
        assertThat(Banner.address(
                        Verb.WRITE, false, new PeerKeys(0x11, 1, 0x11, 0xabf519, 0x80001234, 0x5577ca00c000L, null)))
                .isEqualTo(
                        " remote address: LID 0x11 QPN 0x0011 PSN 0xabf519 RKey 0x80001234 VAddr 0x005577ca00c000\n");
    }

    @Test
    void rowsStandUnderTheHeadingsOfC() {
        assertThat(ResultTable.heading(RunParameters.parse(Tool.WRITE_LATENCY)))
                .isEqualTo(" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
                        + "    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n");
        assertThat(ResultTable.row(Results.latency(2, 1000)))
                .isEqualTo(" 2       1000          9.53           97.07        9.53     \t       9.62        \t"
                        + "2.77   \t\t9.53    \t\t97.07  \n");
        assertThat(ResultTable.heading(RunParameters.parse(Tool.WRITE_LATENCY, "-D", "4")))
                .isEqualTo(" #bytes        #iterations       t_avg[usec]    tps average\n");
        assertThat(ResultTable.row(Results.timed(2, 80_284, null)))
                .isEqualTo(" 2             80284            9.62           40142.00\n");
        assertThat(ResultTable.heading(RunParameters.parse(Tool.WRITE_BANDWIDTH)))
                .isEqualTo(" #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]\n");
        assertThat(ResultTable.row(new BandwidthResult(65536, 5000, 72.48, 43.3, 0.000693, false)))
                .isEqualTo(" 65536      5000             72.48              43.30  \t\t     0.000693\n");
        assertThat(ResultTable.heading(RunParameters.parse(Tool.WRITE_BANDWIDTH, "--report_gbits")))
                .contains("BW peak[Gb/sec]    BW average[Gb/sec]");
        assertThat(ResultTable.row(new BandwidthResult(2, 5000, 0.0012, 0.0011, 0.07, true)))
                .isEqualTo(" 2          5000           0.001200            0.001100            0.070000\n");
        // The figures of both directions are shown, and this side's decide.
        assertThat(ResultTable.row(
                        new BandwidthResult(2, 5000, 0, 0.08, 5, true).plus(new BandwidthReport(2, 5000, 0, 0.07, 4))))
                .isEqualTo(" 2          5000           0.000000            0.150000            9.000000\n");
    }

    @Test
    void cyclesTakeThePlaceOfMicroseconds() {
        LatencyResult result = Results.latency(2, 1000);
        assertThat(ResultTable.row(result, 1000).strip().split("\\s+"))
                .containsExactly(Stream.concat(
                                Stream.of("2", "1000"),
                                DoubleStream.of(
                                                result.minimum(),
                                                result.maximum(),
                                                result.typical(),
                                                result.average(),
                                                result.deviation(),
                                                result.percentile99(),
                                                result.percentile999())
                                        .mapToObj(value -> String.format(Locale.ROOT, "%.2f", value * 1000)))
                        .toArray(String[]::new));
        assertThat(ResultTable.number(result, Output.LATENCY, 1000)).isEqualTo(result.average() * 1000);
        if (CpuFrequency.megahertz().isPresent()) {
            assertThat(ResultTable.heading(RunParameters.parse(Tool.WRITE_LATENCY, "-C")))
                    .startsWith(" #bytes #iterations    t_min[cycles]    t_max[cycles]  t_typical[cycles] ")
                    .doesNotContain("usec");
        }
    }

    @Test
    void numbersDoNotDependOnTheLocale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.GERMANY);
            assertThat(ResultTable.row(Results.timed(2, 80_284, null))).contains("9.62", "40142.00");
            // Its digits are others.
            Locale.setDefault(Locale.forLanguageTag("ar-EG"));
            assertThat(ResultTable.row(Results.timed(2, 80_284, null))).contains("9.62", "40142.00");
            addressesLookAsThoseOfC();
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void progressIsOneLineThatGoesAwayAndNothingWithoutTerminal() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream terminal = new ByteArrayOutputStream();
        ConsoleReport report = new ConsoleReport(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(terminal, true, StandardCharsets.UTF_8),
                null);
        report.begin(info(Tool.WRITE_BANDWIDTH, "-D", "8"));
        out.reset();
        report.progress(65536, 250, 1000, 2_000_000_000L);
        report.progress(65536, 0, 1000, 2_000_000_000L);
        report.progress(65536, 600, 0, 3_000_000_000L);
        report.result(new BandwidthResult(65536, 1000, 1, 1, 1, false));
        assertThat(terminal.toString(StandardCharsets.UTF_8))
                .isEqualTo("\r\u001b[K 65536 bytes: 250 of 1000 messages (25 %), 125 messages/s, 2 s, 6 s left"
                        + "\r\u001b[K 65536 bytes: 0 of 1000 messages (0 %), 0 messages/s, 2 s"
                        + "\r\u001b[K 65536 bytes: 600 messages, 200 messages/s, 3 s of 8 s"
                        + "\r\u001b[K");
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith(" 65536");

        ConsoleReport quiet = new ConsoleReport(new PrintStream(out, true, StandardCharsets.UTF_8), null, null);
        out.reset();
        quiet.progress(65536, 500, 1000, 2_000_000_000L);
        quiet.interrupted();
        assertThat(out.size()).isZero();
    }

    @Test
    void cpusUtilisationIsTheLastColumnAndCountersStandBelowAsInC() {
        assertThat(ResultTable.heading(RunParameters.parse(Tool.WRITE_BANDWIDTH, "-D", "4", "--cpu_util")))
                .endsWith("MsgRate[Mpps]    CPU_Util[%]\n");
        BandwidthResult result = new BandwidthResult(65536, 5000, 0, 43.3, 0.000693, false);
        assertThat(ResultTable.row(result, 1, new Observation(12.345, Map.of()), true))
                .isEqualTo(ResultTable.row(result).stripTrailing() + "\t    12.35\n");
        // Of a side that only serves.
        assertThat(ResultTable.row(result, 1, new Observation(Double.NaN, Map.of()), true))
                .isEqualTo(ResultTable.row(result).stripTrailing() + "\t    0.00\n");
        String both = report(
                info(Tool.WRITE_BANDWIDTH, "-b", "-D", "4", "--cpu_util", "--report-both", "localhost"),
                result.plus(result.toReport()),
                new Observation(12.345, Map.of()));
        assertThat(both.lines().filter(line -> line.startsWith(" 65536")))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).endsWith("\t    12.35"));
        Map<String, Long> counters = new LinkedHashMap<>();
        counters.put("hw_counters/sent_pkts", 5000L);
        counters.put("counters/port_xmit_data", 0L);
        assertThat(ResultTable.row(result, 1, new Observation(Double.NaN, counters), false))
                .isEqualTo(ResultTable.row(result) + "\thw_counters/sent_pkts=5000\n\tcounters/port_xmit_data=0\n\n");
    }
}
