// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.perftest.document.ResultsSchema;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the figures of real runs: files, rounds, the open loop and limits. */
@Tag("device")
@Timeout(600)
class FiguresDeviceTest {
    private static final String COMMON = " -u 18 --no-warm-up -p ";

    @TempDir
    private Path folder;

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Our tool on both sides; the client has options of its own. Returns server and client. */
    private static List<CommandRun> both(String tool, String options, String client) throws Exception {
        int port = freePort();
        CompletableFuture<CommandRun> server =
                CompletableFuture.supplyAsync(() -> Program.run(tool + COMMON + port + " " + options));
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!PeerProcess.listening(port)) {
            assertThat(System.nanoTime()).as("our server listens").isLessThan(deadline);
            Thread.sleep(20);
        }
        CommandRun run = Program.run(tool + COMMON + port + " " + options + " " + client + " localhost");
        assertThat(run.err()).as("%s", server.get()).doesNotContain("Exception");
        return List.of(server.get(), run);
    }

    private JsonNode json() throws IOException {
        String text = Files.readString(folder.resolve("x.json"));
        assertThat(ResultsSchema.faults(text)).as(text).isEmpty();
        return new ObjectMapper().readTree(text);
    }

    private String files(String... names) {
        StringBuilder options = new StringBuilder();
        for (String name : names) {
            String option = name.equals("json") ? "--out_json_file" : "--out_" + name;
            options.append(option)
                    .append('=')
                    .append(folder.resolve("x." + name))
                    .append(' ');
        }
        return options.toString();
    }

    @Test
    void allFilesOfALatencyTestInRounds() throws Exception {
        List<CommandRun> runs =
                both("ib_write_lat", "-n 20 --rounds 3", "--details " + files("json", "csv", "hgrm", "hlog"));
        assertThat(runs).allMatch(run -> run.status() == 0);
        assertThat(runs.get(1).out()).contains("rounds of 2 bytes: 3", "samples beyond", "Warning: fewer than 10");
        JsonNode json = json();
        assertThat(json.at("/rdma4j/environment/device").asText()).startsWith("rxe");
        assertThat(json.at("/rdma4j/environment/software_device").asBoolean()).isTrue();
        assertThat(json.at("/rdma4j/environment/kernel").asText()).startsWith("Linux ");
        assertThat(json.at("/results/n_iterations").asInt()).isEqualTo(60);
        assertThat(json.at("/rdma4j/sizes/0/latency/samples").asInt()).isEqualTo(59);
        assertThat(json.at("/rdma4j/sizes/0/rounds")).hasSize(3);
        assertThat(json.at("/rdma4j/sizes/0/rounds/2/samples").asInt()).isEqualTo(19);
        try (Stream<String> rows = Files.lines(folder.resolve("x.csv"))) {
            assertThat(rows).hasSize(5);
        }
        assertThat(Files.readString(folder.resolve("x.hgrm"))).containsPattern("Total count +=? +59]");
        try (InputStream file = Files.newInputStream(folder.resolve("x.hlog"))) {
            HistogramLogReader log = new HistogramLogReader(file);
            Histogram first = (Histogram) log.nextIntervalHistogram();
            assertThat(first.getTag()).isEqualTo("2B-round1");
            assertThat(first.getTotalCount()).isEqualTo(20);
        }
    }

    @Test
    void clientOfAnOpenLoopSetsThePace() throws Exception {
        long begin = System.nanoTime();
        List<CommandRun> runs = both("ib_write_lat", "-n 40", "--rate 50 " + files("json"));
        assertThat(System.nanoTime() - begin)
                .isGreaterThan(Duration.ofMillis(780).toNanos());
        assertThat(runs).allMatch(run -> run.status() == 0);
        assertThat(runs.get(1).out()).contains("open loop of 2 bytes: 50.0000 messages per second due");
        JsonNode latency = json().at("/rdma4j/sizes/0/latency");
        assertThat(latency.at("/loop").asText()).isEqualTo("open");
        assertThat(latency.at("/rate").asDouble()).isEqualTo(50);
        assertThat(latency.at("/samples").asInt()).isEqualTo(39);
    }

    @Test
    void timedRunHasAllSamples() throws Exception {
        List<CommandRun> runs = both("ib_write_lat", "-D 2", files("json"));
        assertThat(runs).allMatch(run -> run.status() == 0);
        assertThat(runs.get(1).out()).contains("tps average");
        JsonNode result = json().at("/rdma4j/sizes/0");
        assertThat(result.at("/latency/samples").asLong())
                .isEqualTo(result.at("/iterations").asLong());
        assertThat(result.at("/latency/percentiles/99.9").asDouble())
                .isGreaterThanOrEqualTo(result.at("/latency/percentiles/50").asDouble());
    }

    @Test
    void everyTimeIsListed() throws Exception {
        List<CommandRun> runs = both("ib_write_lat", "-n 12", "-H -U --output=latency");
        List<String> lines = runs.get(1).out().lines().toList();
        // Two lists of 11 times with their headings, and the one number.
        assertThat(lines).as(runs.get(1).out()).hasSize(25);
        assertThat(lines.get(0)).isEqualTo("#, usec");
        assertThat(lines.get(11)).startsWith("11, ");
        assertThat(lines.get(12)).isEqualTo("#, usec");
        List<Double> sorted = lines.subList(13, 24).stream()
                .map(line -> Double.valueOf(line.substring(line.indexOf(' '))))
                .toList();
        assertThat(sorted).isSorted();
        assertThat(Double.parseDouble(lines.get(24))).isBetween(sorted.getFirst(), sorted.getLast());
    }

    @Test
    void bothWaysInRoundsWithALimit() throws Exception {
        List<CommandRun> runs =
                both("ib_write_bw", "-s 4096 -n 200 -b --rounds 2", "--report-both -w 1e9 " + files("json", "csv"));
        CommandRun client = runs.get(1);
        assertThat(runs.get(0).status()).isZero();
        assertThat(client.status()).isEqualTo(1);
        assertThat(client.err()).contains("BW result is below bw limit").contains("-w/--limit_bw 1e+09");
        assertThat(client.out()).contains(" Local results: ", " Remote results: ", "rounds of 4096 bytes: 2");
        JsonNode result = json().at("/rdma4j/sizes/0");
        assertThat(result.at("/iterations").asInt()).isEqualTo(400);
        assertThat(result.at("/rounds")).hasSize(2);
        assertThat(result.at("/local/message_rate").asDouble()).isPositive();
    }

    @Test
    void oneWayInRoundsAgainstAServerOfC() throws Exception {
        int port = freePort();
        try (PeerProcess server =
                PeerProcess.ofC("ib_write_bw -F -u 18 -n 200 -p " + port).awaitListening(port)) {
            CommandRun client = Program.run("ib_write_bw" + COMMON + port
                    + " -s 4096 -n 200 --rounds 3 -N -y 0.0000001 --output=message_rate localhost");
            assertThat(client.status()).as("%s %s", client, server.output()).isZero();
            assertThat(client.out()).matches("\\d+\\.\\d{6}\n");
        }
    }

    @Test
    void latencyPeerOfCRunsAllRoundsAtOnce() throws Exception {
        int port = freePort();
        try (PeerProcess server =
                PeerProcess.ofC("ib_write_lat -F -u 18 -n 60 -p " + port).awaitListening(port)) {
            CommandRun client = Program.run("ib_write_lat" + COMMON + port + " -n 20 --rounds 3 localhost");
            assertThat(client.status()).as("%s %s", client, server.output()).isZero();
            assertThat(client.out()).contains("rounds of 2 bytes: 3");
        }
    }

    @Test
    void peerOfCCannotRepeatBothWays() throws Exception {
        int port = freePort();
        try (PeerProcess _ =
                PeerProcess.ofC("ib_write_bw -F -u 18 -n 200 -b -p " + port).awaitListening(port)) {
            CommandRun client = Program.run("ib_write_bw" + COMMON + port + " -n 200 -b --rounds 3 localhost");
            assertThat(client.status()).isEqualTo(1);
            assertThat(client.err()).contains("--rounds: the peer is one of the C tools");
        }
    }
}
