// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompareReportTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final CompareReport report = new CompareReport(new PrintStream(printed, true, StandardCharsets.UTF_8));

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
                .contains("warning: with fewer than 5 rounds the figures mean little");
    }

    @Test
    void enoughRoundsNeedNoWarning() {
        report.begin(Samples.plan(List.of(Samples.LATENCY), 5), Samples.conditions(), null, null);

        assertThat(text()).doesNotContain("warning");
    }

    @Test
    void endsWithTheTableAndTheExpectations() {
        List<TestCase> cases = List.of(Samples.LATENCY);
        Expectation met = Expectation.parse("ib_write_lat:2:best<=1.10", cases);
        Expectation missed = Expectation.parse("ib_write_lat:2:best<=1.05", cases);
        CompareResult result = Samples.result(
                Samples.plan(cases, 1, met, missed), Samples.latencyResult(new double[] {11}, new double[] {10}));

        report.end(result);

        assertThat(text())
                .contains("Java best       C best   ratio")
                .contains("only the ratios mean anything")
                .contains("expected ib_write_lat:2:best<=1.10: 1.100, met")
                .contains("expected ib_write_lat:2:best<=1.05: 1.100, MISSED")
                .contains("13 s in all");
        assertThat(result.missed()).containsExactly(missed);
    }
}
