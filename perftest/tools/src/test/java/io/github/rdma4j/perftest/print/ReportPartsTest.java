// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.figures.SampleTimes;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.result.Pace;
import io.github.rdma4j.perftest.result.Results;
import io.github.rdma4j.perftest.result.SizeResult;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The parts of a report that stand beside C's table. */
class ReportPartsTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "9.5, 9.5",
        "10, 10",
        "1234.5678, 1234.57",
        "0.00012345678, 0.000123457",
        "0.00001, 1e-05",
        "999999.4, 999999",
        "999999.6, 1e+06",
        "1234567, 1.23457e+06",
        "100000, 100000",
        "9.9999999, 10"
    })
    void numbersAreAsPrintfWritesThem(double value, String text) {
        assertThat(TimeList.shortest(value)).isEqualTo(text);
    }

    @Test
    void timesAreListedAsInC() {
        SampleTimes times = SampleTimes.between(new long[] {0, 20_000, 39_000}, 3, 2);
        assertThat(TimeList.of(times, 0)).isEqualTo("#, usec\n1, 10\n2, 9.5\n");
        assertThat(TimeList.of(times.sorted(), 0)).isEqualTo("#, usec\n1, 9.5\n2, 10\n");
        assertThat(TimeList.of(times, 2000)).isEqualTo("#, cycles\n1, 20000\n2, 19000\n");
    }

    @Test
    void roundsAreShownWhereThereAreSome() {
        assertThat(RoundLines.spread(Results.latency(2, 100))).isEmpty();
        assertThat(RoundLines.spread(Results.timed(2, 100, null))).isEmpty();
        assertThat(RoundLines.spread(Results.bandwidth(4096, 1, false))).isEmpty();
        assertThat(RoundLines.spread(Results.latency(2, 100, 3, null)).lines())
                .hasSize(5)
                .startsWith(" rounds of 2 bytes: 3")
                .contains("   max[usec]           min 97.07  median 97.07  max 97.07  (max - min = 0.0 % of median)");
        assertThat(RoundLines.spread(Results.bandwidth(1 << 20, 2, false)))
                .contains(
                        "BW average[MiB/sec] min 1000.00  median 1000.00  max 1000.00",
                        "MsgRate[Mpps]       min 0.001000");
    }

    @Test
    void paceThatIsNotKeptIsNoPartOfTheReport() {
        assertThat(RoundLines.pace(Results.latency(2, 100))).isEmpty();
        assertThat(RoundLines.pace(Results.bandwidth(2, 1, false))).isEmpty();
        assertThat(RoundLines.pace(Results.timed(2, 100, new Pace(2000, 1999))))
                .isEqualTo(" open loop of 2 bytes: 2000.00 messages per second due, 1999.00 posted;"
                        + " latency counts from when each was due\n");
        assertThat(RoundLines.pace(Results.latency(2, 100, 1, new Pace(2000, 1000))))
                .hasLineCount(1);
        assertThat(new Pace(2000, 1000).shortfall()).startsWith("the pace was not kept");
        assertThat(new Pace(2000, 1999).shortfall()).isEmpty();
    }

    @Test
    void limits() {
        List<SizeResult> results = List.of(Results.bandwidth(2, 1, false), Results.bandwidth(1 << 20, 1, false));
        assertThat(Limits.missed(results, options())).isEmpty();
        assertThat(Limits.missed(results, options("-w", "1000", "-y", "0.001", "host")))
                .isEmpty();
        assertThat(Limits.missed(results, options("-w", "1000.5", "host")))
                .as("the best size counts")
                .isEqualTo("BW result is below bw limit: 1000.00 MiB/sec, -w/--limit_bw 1000.5");
        assertThat(Limits.missed(results, options("-y", "0.002", "host")))
                .isEqualTo("Msg rate is below msg_rate limit: 0.001000 Mpps, -y/--limit_msgrate 0.002");
        assertThat(Limits.missed(results, options("-w", "1e9")))
                .as("the server only serves")
                .isEmpty();
        for (RunParameters server : List.of(
                options("-w", "1e9", "-b"),
                options("-w", "1e9", "--reversed"),
                RunParameters.parse(Tool.SEND_BANDWIDTH, "-w", "1e9"))) {
            assertThat(Limits.missed(results, server)).isNotEmpty();
        }
    }

    private static RunParameters options(String... arguments) {
        return RunParameters.parse(Tool.WRITE_BANDWIDTH, arguments);
    }

    @Test
    void oneNumberIsAllThereIs() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        RunParameters parameters = RunParameters.parse(Tool.WRITE_BANDWIDTH, "x", "--output", "message_rate");
        ConsoleReport report = new ConsoleReport(
                new PrintStream(printed, true, StandardCharsets.UTF_8),
                null,
                parameters.figures().output());
        report.waiting(1);
        report.agreed(Results.info(parameters));
        report.begin(Results.info(parameters));
        report.result(Results.bandwidth(4096, 1, false));
        report.end();
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("0.001000\n");
    }

    @Test
    void rowThatIsInNoFileIsNotPrinted() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        ConsoleReport report = new ConsoleReport(new PrintStream(printed, true, StandardCharsets.UTF_8), null, null);
        report.begin(Results.info(RunParameters.parse(Tool.WRITE_BANDWIDTH, "x")));
        report.result(Results.bandwidth(4096, 1, false));
        String before = printed.toString(StandardCharsets.UTF_8);
        assertThat(before).contains("\n 4096 ");
        report.silence();
        report.result(Results.bandwidth(8192, 1, false));
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo(before);
    }
}
