// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.perftest.CommandRun;
import io.github.rdma4j.perftest.options.Tool;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole of it, against the C tools of this machine. */
@Tag("device")
@Timeout(600)
class CompareDeviceTest {
    /** Each costs a pair of JVMs and twenty seconds; with scripts/test --full it is all. */
    private static final String TOOLS = System.getProperty("rdma4j.compare.tools", "ib_read_lat,ib_atomic_bw");

    /** The choice of CompareCommand: with one CPU, a spinning side would keep the CPU from its peer. */
    private static final String TCP_LATENCY =
            Runtime.getRuntime().availableProcessors() > 1 ? "latency: spinning," : "latency: blocking,";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return CompareCommand.run(
                List.of(arguments),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    /** A machine may have C's tools without those for plain TCP. */
    private static boolean isThere(String program) {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    @Test
    void comparesBothToolsAndPlainTcp(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("compare.json");

        int status = run(
                "--no-warm-up",
                "--rounds",
                "1",
                "-n",
                "200",
                "--sizes",
                "ib_write_bw=4096",
                "--out_json",
                file.toString(),
                "--expect",
                "ib_write_lat:2:best<=1000");

        CommandRun run =
                new CommandRun(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .contains("round 1 of 1, Java first")
                .contains("tool              bytes  metric ")
                .contains("expected ib_write_lat:2:best<=1000: ")
                .contains(", met")
                .contains("TCP     10.")
                .contains(TCP_LATENCY + " bandwidth: blocking")
                .contains("CPU/message [usec]")
                .contains("An interval needs 6 rounds.")
                .doesNotContain(" in Java, ");
        List<String> implementations = new ArrayList<>();
        for (String tcpTool : List.of("sockperf", "iperf3")) {
            implementations.addAll(List.of("java", "c", "tcp-java"));
            if (isThere(tcpTool)) {
                implementations.add("tcp-c");
            } else {
                assertThat(out.toString(StandardCharsets.UTF_8)).contains("left out, there is no " + tcpTool);
            }
        }
        JsonNode json = new ObjectMapper().readTree(file.toFile());
        for (JsonNode test : json.at("/tests")) {
            assertThat(test.at("/results")).hasSize(1);
            assertThat(test.at("/results/0/rounds")).hasSize(1);
            boolean latency = test.at("/test_info/tool").asText().endsWith("_lat");
            JsonNode result = test.at("/results/0");
            assertThat(result.at(latency ? "/t_typical" : "/BW_average").asDouble())
                    .isPositive();
            assertThat(result.at(latency ? "/percentile_99.9" : "/MsgRate").asDouble())
                    .isPositive();
        }
        assertThat(json.at("/tests").findValuesAsText("implementation")).containsExactlyElementsOf(implementations);
        assertThat(json.at("/comparison")).hasSize(8);
        assertThat(json.at("/comparison/0/ratio_best").asDouble()).isPositive();
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Test
    void comparesTheToolsAndReportsAMissedExpectation() throws IOException {
        // Sockets are in the other test; so few messages that there is no shorter run.
        int status = run(("--tools " + TOOLS + " --sizes 64 -n 20 -q 2 -t 16 -Q 4 -m 1024 --rounds 1 --no-warm-up"
                        + " --tcp none --out_json - --expect ib_atomic_bw:8:best>=1000")
                .split(" "));

        String text = err.toString(StandardCharsets.UTF_8);
        assertThat(status).describedAs(text).isEqualTo(1);
        assertThat(text)
                .contains("MISSED")
                .contains("compare: not as expected: ib_atomic_bw:8:best>=1000")
                .doesNotContain(" in Java, ");
        JsonNode json = new ObjectMapper().readTree(out.toByteArray());
        assertThat(json.at("/expectations/0/met").asBoolean()).isFalse();
        int tools = TOOLS.equals("all") ? Tool.values().length : TOOLS.split(",").length;
        assertThat(json.at("/tests")).hasSize(2 * tools);
        for (JsonNode test : json.at("/tests")) {
            boolean latency = test.at("/test_info/tool").asText().endsWith("_lat");
            assertThat(test.at(latency ? "/results/0/t_typical" : "/results/0/BW_average")
                            .asDouble())
                    .describedAs(test.at("/test_info").toString())
                    .isPositive();
            if (!latency) {
                assertThat(test.at("/test_info/settings/Number of qps").asText())
                        .isEqualTo("2");
                assertThat(test.at("/test_info/settings/CQ Moderation").asText())
                        .isEqualTo("4");
            }
        }
    }

    @Test
    void unknownDeviceIsNamedWithThosePresent() {
        assertThat(run("-d", "no-such-device")).isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8)).contains("no-such-device");
    }
}
