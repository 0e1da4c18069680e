// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Our tools against the C tools in both roles, and against themselves, over a real device on this machine. */
@Tag("device")
@Timeout(240)
class InteropDeviceTest {
    private static final int BANDWIDTH_COLUMNS = 5;
    /** A virtual CPU can stall for long: 18 is a second per retry. */
    private static final String PATIENT = " -F -u 18 ";

    private static final String OPTIONS = """
        ib_write_lat | -n 200
        ib_write_lat | -s 4096 -n 200
        ib_write_lat | -s 1 -n 300 -x 1 -m 1024 -S 1
        ib_write_lat | -a -n 5
        ib_write_lat | -D 2
        ib_write_bw  | -n 200
        ib_write_bw  | -s 2 -n 1000
        ib_write_bw  | -s 4096 -n 1003 -q 4 -Q 8 -t 16
        ib_write_bw  | -s 4096 -n 500 -b
        ib_write_bw  | -s 64 -n 500 -b -q 3 --report_gbits
        ib_write_bw  | -a -n 5
        ib_write_bw  | -a -n 5 -b
        ib_write_bw  | -s 4096 -D 2
        ib_write_bw  | -s 4096 -D 2 -b
        """;

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @ParameterizedTest(name = "{0} {1}: Java client, C server")
    @CsvSource(delimiter = '|', textBlock = OPTIONS)
    void ourClientWithTheirServer(String tool, String options) throws Exception {
        int port = freePort();
        String command = tool + PATIENT + options + " -p " + port;
        try (PeerProcess server = PeerProcess.ofC(command).awaitListening(port)) {
            CommandRun client = CommandRun.of(command + " localhost");
            assertComplete(client, options, "C server: " + server.output());
            assertThat(server.await(Duration.ofSeconds(60)))
                    .as("C server: %s", server.output())
                    .isZero();
            assertRows(server.output(), serverRows(tool, options));
        }
    }

    @ParameterizedTest(name = "{0} {1}: C client, Java server")
    @CsvSource(delimiter = '|', textBlock = OPTIONS)
    void theirClientWithOurServer(String tool, String options) throws Exception {
        int port = freePort();
        String command = tool + PATIENT + options + " -p " + port;
        CompletableFuture<CommandRun> server = CompletableFuture.supplyAsync(() -> CommandRun.of(command));
        awaitOurs(port);
        try (PeerProcess client = PeerProcess.ofC(command + " localhost")) {
            assertThat(client.await(Duration.ofSeconds(200)))
                    .as("C client: %s", client.output())
                    .isZero();
            assertRows(client.output(), rows(options));
            CommandRun run = server.get();
            assertThat(run.status()).as(run.toString()).isZero();
            assertRows(run.out(), serverRows(tool, options));
        }
    }

    @ParameterizedTest(name = "{0} {1}: Java on both sides")
    @CsvSource(delimiter = '|', textBlock = OPTIONS)
    void oursOnBothSides(String tool, String options) throws Exception {
        int port = freePort();
        String command = tool + PATIENT + options + " -p " + port;
        CompletableFuture<CommandRun> server = CompletableFuture.supplyAsync(() -> CommandRun.of(command));
        awaitOurs(port);
        CommandRun client = CommandRun.of(command + " localhost");
        CommandRun other = server.get();
        assertComplete(client, options, other.toString());
        assertThat(other.status()).as(other.toString()).isZero();
        assertRows(other.out(), serverRows(tool, options));
    }

    @Test
    void theJsonFileHasAllSizes(@TempDir Path folder) throws Exception {
        int port = freePort();
        Path file = folder.resolve("all sizes.json");
        CompletableFuture<CommandRun> server =
                CompletableFuture.supplyAsync(() -> CommandRun.of("ib_write_lat -a -n 5 -u 18 -p " + port));
        awaitOurs(port);
        CommandRun client = CommandRun.of(List.of(
                "ib_write_lat", "-a", "-n", "5", "-u", "18", "-p", "" + port, "--out_json_file=" + file, "localhost"));
        assertThat(client.status()).as(client.toString()).isZero();
        assertThat(server.get().status()).isZero();
        JsonNode json = new ObjectMapper().readTree(Files.readAllBytes(file));
        assertThat(json.get("results")).hasSize(23);
        assertThat(json.at("/results/22/MsgSize").asLong()).isEqualTo(1 << 23);
    }

    private static void awaitOurs(int port) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!PeerProcess.listening(port)) {
            assertThat(System.nanoTime()).as("our server listens").isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    private static int rows(String options) {
        return options.contains("-a") ? 23 : 1;
    }

    /** The server of a one-way bandwidth test knows the client's last result only. */
    private static int serverRows(String tool, String options) {
        return tool.equals("ib_write_bw") && !options.contains("-b") ? 1 : rows(options);
    }

    private static void assertComplete(CommandRun run, String options, String other) {
        assertThat(run.status()).as("%s\nother side: %s", run, other).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("local address:", "remote address:", " GID index       : ");
        assertRows(run.out(), rows(options));
    }

    /** Results are lines of numbers that are all above zero, but for the peak of a timed run and deviations. */
    private static void assertRows(String output, int expected) {
        List<String[]> rows = output.lines()
                .filter(line -> line.matches(" \\d+ .*\\d\\.\\d.*"))
                .map(line -> line.strip().split("\\s+"))
                .toList();
        assertThat(rows).as(output).hasSize(expected);
        for (String[] row : rows) {
            assertThat(Arrays.stream(row).mapToDouble(Double::parseDouble))
                    .as(output)
                    .allMatch(value -> value >= 0 && value < 1e9);
            // Of bandwidth the message rate: two digits of MiB/s are too few for two bytes when the machine pauses.
            assertThat(Double.parseDouble(row[row.length == BANDWIDTH_COLUMNS ? 4 : 3]))
                    .as(output)
                    .isPositive();
        }
    }
}
