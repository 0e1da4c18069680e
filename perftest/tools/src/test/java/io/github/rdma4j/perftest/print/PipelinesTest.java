// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.print;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.perftest.document.JsonReport;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.Results;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.SizeResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads what the tools print with the shell pipelines that are in use for the C tools. */
class PipelinesTest {
    private static final String LAST_ROW = "tail -n 2 | head -n 1 | awk '{print $4}'";

    @TempDir
    private Path folder;

    private static RunInfo info(Tool tool, String... arguments) {
        return Results.info(RunParameters.parse(tool, arguments));
    }

    private static String printed(RunInfo info, SizeResult... results) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        ConsoleReport report = new ConsoleReport(
                new PrintStream(printed, true, StandardCharsets.UTF_8),
                null,
                info.parameters().figures().output());
        report.agreed(info);
        report.begin(info);
        Arrays.asList(results).forEach(report::result);
        report.end();
        return printed.toString(StandardCharsets.UTF_8);
    }

    /** The lines that a pipeline prints of a text. */
    private List<String> piped(String text, String pipeline) throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("printed"), text);
        Process shell = new ProcessBuilder("sh", "-c", pipeline)
                .redirectInput(file.toFile())
                .redirectErrorStream(true)
                .start();
        List<String> lines = shell.inputReader().lines().map(String::strip).toList();
        assertThat(shell.waitFor()).as(pipeline + ": " + lines).isZero();
        return lines;
    }

    private static BandwidthResult bandwidth(long size) {
        return new BandwidthResult(size, 5000, 72.48, 43.3, 0.000693, false);
    }

    @Test
    void lastRowHasTheFigureInTheFourthColumn() throws IOException, InterruptedException {
        assertThat(piped(printed(info(Tool.WRITE_LATENCY, "host"), Results.latency(2, 1000)), LAST_ROW))
                .containsExactly("97.07");
        assertThat(piped(
                        printed(info(Tool.WRITE_LATENCY, "-D", "4", "host"), Results.timed(2, 80_284, null)), LAST_ROW))
                .containsExactly("40142.00");
        assertThat(piped(printed(info(Tool.WRITE_BANDWIDTH, "host"), bandwidth(65536)), LAST_ROW))
                .containsExactly("43.30");
        assertThat(piped(printed(info(Tool.WRITE_BANDWIDTH, "-D", "4", "host"), bandwidth(65536)), LAST_ROW))
                .containsExactly("43.30");
        assertThat(piped(printed(info(Tool.WRITE_BANDWIDTH, "-b", "host"), bandwidth(65536)), LAST_ROW))
                .containsExactly("43.30");
        assertThat(piped(
                        printed(
                                info(Tool.WRITE_BANDWIDTH, "--report_gbits", "host"),
                                new BandwidthResult(65536, 5000, 0.6, 0.36, 0.000693, true)),
                        LAST_ROW))
                .containsExactly("0.36");
    }

    @Test
    void rowFollowsTheHeading() throws IOException, InterruptedException {
        String pipeline = "grep -A1 '#bytes' | tail -n 1 | awk '{print $1, $2}'";
        for (String sorted : List.of("-H", "-U")) {
            String text = printed(info(Tool.WRITE_LATENCY, sorted, "host"), Results.latency(2, 1000));
            assertThat(piped(text, pipeline)).containsExactly("2 1000");
        }
        assertThat(piped(printed(info(Tool.SEND_BANDWIDTH, "host"), bandwidth(65536)), pipeline))
                .containsExactly("65536 5000");
    }

    @Test
    void rowsOfAllSizesBeginWithANumber() throws IOException, InterruptedException {
        String rows = "awk '/^ *[0-9]+/ {print $1}'";
        assertThat(piped(
                        printed(
                                info(Tool.WRITE_LATENCY, "-a", "host"),
                                Results.latency(2, 1000),
                                Results.latency(4, 1000),
                                Results.latency(8_388_608, 1000)),
                        rows))
                .containsExactly("2", "4", "8388608");
        assertThat(piped(printed(info(Tool.READ_BANDWIDTH, "-a", "host"), bandwidth(2), bandwidth(8_388_608)), rows))
                .containsExactly("2", "8388608");
    }

    @Test
    void headingAndRowsBecomeCsvWithEquallyManyFields() throws IOException, InterruptedException {
        String csv =
                "grep -A1 '#bytes' | sed 's/BW /BW_/g; s/% /%_/g; s/tps /tps_/' | tr -s ' \t' , | sed 's/^,//; s/,$//'"
                        + " | awk -F, '{print NF}'";
        assertThat(piped(printed(info(Tool.WRITE_LATENCY, "host"), Results.latency(2, 1000)), csv))
                .containsExactly("9", "9");
        assertThat(piped(printed(info(Tool.WRITE_LATENCY, "-D", "4", "host"), Results.timed(2, 80_284, null)), csv))
                .containsExactly("4", "4");
        assertThat(piped(printed(info(Tool.WRITE_BANDWIDTH, "host"), bandwidth(65536)), csv))
                .containsExactly("5", "5");
    }

    @Test
    void outputOptionPrintsOneNumber() throws IOException, InterruptedException {
        assertThat(piped(printed(info(Tool.WRITE_BANDWIDTH, "--output=bandwidth", "host"), bandwidth(65536)), "cat"))
                .containsExactly("43.300000");
        assertThat(piped(printed(info(Tool.WRITE_BANDWIDTH, "--output=message_rate", "host"), bandwidth(65536)), "cat"))
                .containsExactly("0.000693");
        assertThat(piped(
                        printed(info(Tool.WRITE_LATENCY, "--output=latency", "host"), Results.latency(2, 1000)),
                        "awk '{printf \"%.2f %d\\n\", $1, NF}'"))
                .containsExactly("9.62 1");
    }

    @Test
    void jsonHasTheFigureOfOneResult() throws IOException, InterruptedException {
        for (List<String> arguments : List.of(List.of("host"), List.of("-b", "host"))) {
            RunInfo info = info(Tool.WRITE_BANDWIDTH, arguments.toArray(String[]::new));
            ByteArrayOutputStream document = new ByteArrayOutputStream();
            JsonReport.write(
                    Results.outcome(info, List.of(Results.bandwidth(65536, 1, arguments.contains("-b")))), document);
            String json = document.toString(StandardCharsets.UTF_8);

            assertThat(new ObjectMapper()
                            .readTree(json)
                            .at("/results/BW_average")
                            .isNumber())
                    .isTrue();
            assertThat(piped(json, "grep -c '\"BW_average\"'")).containsExactly("1");
            assertThat(piped(json, "sed -n 's/.*\"BW_average\" *: *\\([0-9.]*\\).*/\\1/p'"))
                    .singleElement()
                    .satisfies(number -> assertThat(Double.parseDouble(number)).isPositive());
            assertThat(piped(json, "tr -d ' \\n' | grep -o '\"results\":{' | wc -l"))
                    .containsExactly("1");
        }
    }
}
