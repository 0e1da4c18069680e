// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.compare.Samples;
import io.github.rdma4j.perftest.compare.plan.CompareCase;
import io.github.rdma4j.perftest.compare.plan.Expectation;
import io.github.rdma4j.perftest.compare.plan.TcpPath;
import io.github.rdma4j.perftest.compare.plan.TcpSetting;
import io.github.rdma4j.perftest.compare.result.CompareResult;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompareReportTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final CompareReport report = new CompareReport(
            new PrintStream(printed, true, StandardCharsets.UTF_8), new Progress(System.err, "compare"));

    private String text() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void beginsWithTheConditions() {
        report.begin(Samples.plan(List.of(Samples.LATENCY), 4), Samples.conditions(), null, null);

        assertThat(text())
                .contains("4 rounds")
                .contains("rxe0 port 1 (a software device), GID index 1, MTU 4096")
                .contains("Linux 6.1, amd64, 2 CPUs")
                .contains("A VM 25, -Xmx1g")
                .contains("wire version 6.06, in /usr/bin")
                .contains("clock source tsc")
                .contains("warning: with fewer than 6 rounds nothing says how far chance moves the ratios");
    }

    @Test
    void ofTwoMachinesBothAreNamed() {
        TcpSetting tcp = new TcpSetting(new TcpPath("10.0.0.1", "e0"), true);
        report.begin(
                Samples.plan(List.of(Samples.LATENCY), 6), Samples.conditionsOfTwoMachines("6.06"), tcp, "programs");

        assertThat(text())
                .contains("Java and C in turn, clients here, servers on 10.0.0.1 (alpha), 6 rounds")
                .contains(" here    mlx5_0 port 1 (firmware null), GID index 1, MTU 4096; Linux 6.1, amd64, 2 CPUs")
                .contains(" there   mlx5_3 port 1 (firmware null), GID index 1, MTU 4096; Linux 6.1, amd64, 2 CPUs")
                .contains(" C there perftest, wire version 6.06, in /opt/perftest")
                .contains(" TCP     to 10.0.0.1 by e0, one connection")
                .doesNotContain("warning");
    }

    @Test
    void differentRemoteCVersionIsInTheHeader() {
        report.begin(Samples.plan(List.of(Samples.LATENCY), 6), Samples.conditionsOfTwoMachines("5.9"), null, null);

        assertThat(text())
                .contains("warning: C's tools are of wire version 6.06 here and 5.9 there: another C on either end");
    }

    @Test
    void enoughRoundsNeedNoWarning() {
        report.begin(Samples.plan(List.of(Samples.LATENCY), 6), Samples.conditions(), null, null);

        assertThat(text()).doesNotContain("warning");
    }

    @Test
    void endsWithTheTableAndTheExpectations() {
        List<CompareCase> cases = List.of(Samples.LATENCY);
        Expectation met = Expectation.parse("ib_write_lat:2:best<=1.10", cases);
        Expectation missed = Expectation.parse("ib_write_lat:2:best<=1.05", cases);
        CompareResult result = Samples.result(
                Samples.plan(cases, 1, met, missed), Samples.latencyResult(new double[] {11}, new double[] {10}));

        report.end(result);

        assertThat(text())
                .contains("Java median     C median   ratio  95 % interval")
                .contains("rxe0 is a software device: only Java's ratios to C mean anything, not the figures.")
                .contains("expected ib_write_lat:2:best<=1.10: 1.100, met")
                .contains("expected ib_write_lat:2:best<=1.05: 1.100, MISSED")
                .contains("13 s in all");
        assertThat(result.missed()).containsExactly(missed);
    }

    @Test
    void expectationOfTheMedianComesWithItsInterval() {
        List<CompareCase> cases = List.of(Samples.LATENCY);
        Expectation median = Expectation.parse("ib_write_lat:2:median<=1.10", cases);
        CompareResult result = Samples.result(
                Samples.plan(cases, 7, median),
                Samples.latencyResult(
                        new double[] {11, 10.5, 11.2, 10.9, 11, 11.1, 11}, new double[] {10, 10, 10, 10, 10, 10, 10}));

        report.end(result);

        assertThat(text()).contains("expected ib_write_lat:2:median<=1.10: 1.100 (1.050 to 1.120), met");
    }

    @Test
    void interruptedRunReportsItsRounds() {
        report.broken(Samples.result(
                Samples.plan(List.of(Samples.LATENCY), 15),
                Samples.latencyResult(new double[] {11, 11}, new double[] {10, 10})));

        assertThat(text()).contains("of 2 rounds.").doesNotContain("15");
    }
}
