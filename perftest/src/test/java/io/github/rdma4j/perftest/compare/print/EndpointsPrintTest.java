// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.perftest.compare.endpoints.EchoSamples;
import io.github.rdma4j.perftest.compare.endpoints.EndpointsResult;
import io.github.rdma4j.perftest.document.ResultsSchema;
import io.github.rdma4j.perftest.echo.Transport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EndpointsPrintTest {
    private static final EndpointsResult RESULT = EchoSamples.result();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final EndpointsReport report = new EndpointsReport(
            new PrintStream(out, true, StandardCharsets.UTF_8), new Progress(System.err, "compare"));

    @Test
    void aTableOfAllCases() {
        List<String> lines = EndpointsTable.of(RESULT).lines().toList();

        assertThat(lines.get(1)).startsWith("  bytes conns     msg/s").endsWith("user   system");
        assertThat(lines.subList(2, 9))
                .containsExactly(
                        row(
                                        "     64     1      1000  RDMA             999      101.0 100.0 to 102.0",
                                        "600.8 599.8 to 601.9")
                                + "20.0     30.0",
                        row(
                                        "                         failover         999      151.0 150.0 to 152.0",
                                        "651.0 650.0 to 652.0")
                                + "20.0     60.0",
                        row(
                                        "                         TCP             1000      301.0 300.0 to 302.0",
                                        "801.0 800.0 to 802.0")
                                + "20.0    120.0",
                        row(
                                        "                         plain TCP       1000      201.0 200.0 to 202.0",
                                        "701.0 700.0 to 702.0")
                                + "20.0    120.0",
                        row(
                                        "                  ratio  RDMA            1.00       0.50                ",
                                        "0.86               ")
                                + "1.00     0.25",
                        row(
                                        "                  ratio  failover        1.00       0.75                ",
                                        "0.93               ")
                                + "1.00     0.50",
                        row(
                                        "                  ratio  TCP             1.00       1.50                ",
                                        "1.14               ")
                                + "1.00     1.00");
        assertThat(lines.stream().filter(line -> line.contains(" ratio "))).hasSize(36);
        assertThat(String.join("\n", lines))
                .contains("TCP: endpoints over TCP; plain TCP: java.nio")
                .contains("rounds: 3. ratio: the middle one of each round's own figure / plain TCP's")
                .contains("Endpoints with failover have moved 36 times between RDMA and TCP")
                .contains("rxe0 has no hardware: the kernel does the adapter's work")
                .doesNotContain("are chance");
    }

    /** Up to the columns of the server. */
    private static String row(String start, String tail) {
        return start + "          " + tail + "          ";
    }

    @Test
    void theReportAsItGoes() {
        report.begin(RESULT.plan(), RESULT.place());
        report.opened(64, 1, Map.of(Transport.TCP, 4321.4));
        report.opened(64, 64, Map.of());
        report.measured(
                RESULT.results().getFirst().test(),
                2,
                Map.of(
                        Transport.TCP,
                        RESULT.results().getFirst().of(Transport.TCP).getFirst()));
        report.end(RESULT);

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("in turn, both ends on this machine, 3 rounds of 2 s")
                .contains(" device  rxe0 port 1 (a software device), MTU 4096, at 10.99.0.1")
                .contains("64 bytes, 1 connection, without a pause: plain TCP 4321 msg/s")
                .contains("64 bytes, 64 connections\n")
                .contains(" round 2, 1000 msg/s: plain TCP 1000 msg/s, p50 200.0, p99 700.0 usec")
                .contains("180 s in all");
    }

    @Test
    void theDocumentFollowsTheSchema() throws IOException {
        EndpointsJson.write(RESULT, out);

        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(ResultsSchema.faults(text)).isEmpty();
        JsonNode json = new ObjectMapper().readTree(text);
        assertThat(json.at("/tests").findValuesAsText("implementation"))
                .containsExactly(
                        "endpoint",
                        "endpoint-failover",
                        "endpoint-tcp",
                        "tcp-java",
                        "endpoint",
                        "endpoint-failover",
                        "endpoint-tcp",
                        "tcp-java");
        assertThat(json.at("/tests/4/test_info/connections").asInt()).isEqualTo(64);
        JsonNode first = json.at("/tests/0/results/0");
        assertThat(first.at("/latency/loop").asText()).isEqualTo("open");
        assertThat(first.at("/latency/rate").asDouble()).isEqualTo(1000);
        assertThat(first.at("/latency/samples").asInt()).isEqualTo(6000);
        assertThat(first.at("/cpu/server_system_ns_per_message").asDouble()).isEqualTo(30_000);
        assertThat(first.at("/rounds")).hasSize(3);
        assertThat(json.at("/tests/1/results/0/rounds/2/moves").asInt()).isEqualTo(2);
        assertThat(json.at("/comparison")).hasSize(12 * 3 * 8);
        assertThat(json.at("/comparison/9/implementation").asText()).isEqualTo("endpoint-failover");
        assertThat(json.at("/comparison/9/ratio_median").asDouble()).isBetween(0.75, 0.76);
        assertThat(json.at("/comparison/1/ratio_median").asDouble()).isBetween(0.5, 0.51);
    }
}
