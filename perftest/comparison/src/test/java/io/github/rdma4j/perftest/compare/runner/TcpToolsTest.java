// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.rdma4j.perftest.compare.Samples;
import io.github.rdma4j.perftest.compare.plan.TcpPath;
import io.github.rdma4j.perftest.compare.plan.TcpSetting;
import io.github.rdma4j.perftest.compare.print.TableRow;
import io.github.rdma4j.perftest.exit.CompareException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TcpToolsTest {
    @Test
    void readsSockperf() {
        Map<String, Double> figures = SockperfRunner.figures(Samples.output("sockperf-3.7.txt"), 14);

        assertThat(figures)
                .containsEntry("bytes", 14.0)
                .containsEntry("iterations", 13650.0)
                .containsEntry("t_min", 2.234)
                .containsEntry("t_max", 24914.879)
                .containsEntry("t_typical", 2.680)
                .containsEntry("t_avg", 20.086)
                .containsEntry("t_stdev", 293.005)
                .containsEntry("percentile_99", 81.021)
                .containsEntry("percentile_99.9", 3360.450);
    }

    @Test
    void ofWholeRoundTripsTheMeanHasAnotherName() throws Exception {
        Map<String, Double> figures = SockperfRunner.figures(Samples.output("sockperf-3.7-full-rtt.txt"), 14);
        assertThat(figures)
                .containsEntry("t_min", 17.786)
                .containsEntry("t_typical", 50.875)
                .containsEntry("t_avg", 50.626)
                .containsEntry("t_stdev", 26.568);
    }

    @Test
    void refusesWhatSockperfDidNotPrint() {
        assertThatThrownBy(() -> SockperfRunner.figures("sockperf: ERROR", 14))
                .isInstanceOf(CompareException.class)
                .hasMessageStartingWith("sockperf printed no ");
    }

    @Test
    void readsWhatIperfReceived() {
        assertThat(IperfRunner.bytesPerSecond(Samples.output("iperf-3.12.json")))
                .isCloseTo(321081080.80268335 / 8, within(1e-3));
    }

    @Test
    void refusesWhatIperfDidNotPrint() {
        assertThatThrownBy(() -> IperfRunner.bytesPerSecond("{\"end\": {\"sum_sent\": {\"bits_per_second\": 1}}}"))
                .isInstanceOf(CompareException.class)
                .hasMessage("iperf3 printed no /end/sum_received/bits_per_second");
        assertThatThrownBy(() -> IperfRunner.bytesPerSecond("iperf3: error"))
                .isInstanceOf(CompareException.class)
                .hasMessageStartingWith("iperf3 printed no JSON");
    }

    @Test
    void saysWhatIsLeftOut(@TempDir Path folder) throws IOException {
        Path sockperf = Files.createFile(
                folder.resolve("sockperf"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));

        TcpTools tools = TcpTools.find(List.of(Path.of("/no/such/folder"), folder));

        assertThat(tools.describe(null))
                .isEqualTo("latency: " + sockperf
                        + "; bandwidth: left out, there is no iperf3 on the PATH (apt-get install iperf3)");
        TcpSetting setting = new TcpSetting(new TcpPath("127.0.0.1", "lo"), true);
        List<Runner> runners = tools.runners(setting, null);
        assertThat(runners).hasSize(1);
        assertThat(runners.getFirst().canRun(Samples.order(Samples.LATENCY))).isTrue();
        assertThat(runners.getFirst().canRun(Samples.order(Samples.BANDWIDTH))).isFalse();
    }

    @Test
    void sockperfForIpv4IsLeftOutOverIpv6(@TempDir Path folder) throws IOException {
        Path sockperf = folder.resolve("sockperf");
        TcpPath ipv6 = new TcpPath("fe80:0:0:0:0:0:0:1%eth0", "eth0");
        try (ChildProcesses children = new ChildProcesses()) {
            for (String answer : List.of("sockperf: '-i' Invalid address: ::1", "sockperf: Connection refused")) {
                Files.writeString(sockperf, "#!/bin/sh\necho \"" + answer + "\"; exit 1\n");
                Files.setPosixFilePermissions(sockperf, PosixFilePermissions.fromString("rwxr-xr-x"));
                TcpTools tools = TcpTools.find(List.of(folder));
                assertThat(tools.fitFor(new TcpPath("10.0.0.1", "eth0"), children))
                        .isEqualTo(tools);
                String expected = answer.contains("Invalid")
                        ? "latency: left out, there is no sockperf that takes IPv6 addresses on the PATH; "
                        : "latency: " + sockperf + "; ";
                assertThat(tools.fitFor(ipv6, children).describe(null)).startsWith(expected);
            }
        }
    }

    @Test
    void deviceWithoutANetworkInterfaceGetsTheLoopback() {
        assertThat(TcpPath.of("no-such-device", 1, -1)).isEqualTo(new TcpPath("127.0.0.1", "lo"));
    }

    @Test
    void rowsOfOthersStandUnderTheHeading() {
        String heading = CToolOutput.parse(Samples.output("c-4.5-lat.txt")).heading();

        String row = TableRow.of(
                heading, Map.of("bytes", 2.0, "iterations", 500.0, "t_typical", 12.345, "percentile_99.9", 20.0));

        assertThat(row.strip().split(" +")).containsExactly("2", "500", "-", "-", "12.35", "-", "-", "-", "20.00");
        assertThat(row.indexOf("12.35")).isEqualTo(heading.indexOf("t_typical"));
    }

    @Test
    void rowsOfOthersHaveABandwidthToo() {
        String heading = CToolOutput.parse(Samples.output("c-4.5-bw64k.txt")).heading();

        String row = TableRow.of(heading, TcpFigures.bandwidth(65536, 1000, 65536e3));

        assertThat(row.strip().split(" +")).containsExactly("65536", "1000", "-", "62.50", "0.001000");
    }
}
