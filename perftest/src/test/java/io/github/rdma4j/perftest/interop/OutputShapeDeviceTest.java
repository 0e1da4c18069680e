// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.perftest.CommandRun;
import io.github.rdma4j.perftest.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares the output of C's tools with ours, line by line, with the options that the scripts of ngc_multinode_perf, of
 * Azure's health checks and of pmem's rpma use. Lines are compared with version 4.5, except for the unit, which later
 * versions name correctly. Documents are compared with version 25.01, because 4.5 writes no valid JSON.
 */
@Tag("device")
@Timeout(600)
class OutputShapeDeviceTest {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final String COMMON = " -F -u 18 -d rxe0 -x 1 -p ";

    private static final String UNKNOWN = "-?\\b(inf|nan)\\b";

    private static final String SHORT = """
        ib_write_bw   | -s 65536 -n 50 --report_gbits
        ib_write_lat  | -s 8 -n 50
        ib_read_bw    | -s 4096 -n 50 -t 16 --report_gbits
        ib_read_lat   | --size=1024 --iters=50
        ib_send_bw    | -s 4096 -n 50 --report_gbits
        ib_send_lat   | -s 8 -n 50
        ib_atomic_bw  | -n 50
        ib_atomic_lat | -n 50
        """;

    private static final String MORE = """
        ib_write_bw   | -s 65536 -n 50 -b --report_gbits
        ib_write_bw   | -a -n 20 --report_gbits
        ib_write_bw   | -s 65536 -D 2 --report_gbits
        ib_write_bw   | -s 65536 -n 50 -q 4 -b
        ib_write_bw   | -s 65536 -n 50 --output=bandwidth
        ib_write_bw   | -s 65536 -n 50 --output=message_rate
        ib_write_bw   | -s 65536 -n 50 --cpu_util -D 2
        ib_write_lat  | -a -n 20
        ib_write_lat  | -s 8 -D 2
        ib_write_lat  | -s 8 -n 50 --output=latency
        ib_write_lat  | -s 8 -n 10 -U
        ib_read_bw    | -s 4096 -n 50 -b --report_gbits
        ib_read_lat   | --size=1024 --iters=50 --perform_warm_up
        ib_read_lat   | -a -n 20
        ib_send_bw    | -s 1024 -n 50 -c UD
        ib_send_bw    | -s 4096 -n 50 -b -r 64
        ib_send_lat   | -s 8 -n 50 -c UD
        ib_atomic_lat | -n 50 -A CMP_AND_SWAP
        """;

    /** The standard output of both sides, server first. */
    private record Printed(List<String> server, List<String> client) {}

    @TempDir
    private Path folder;

    private static Process start(Path out, Path err, List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
    }

    private static List<String> words(String command) {
        return List.of(command.strip().split(" +"));
    }

    private Printed ofC(Peer peer, String tool, String options, String ofClient) throws Exception {
        int port = Listening.freePort();
        String command = peer.command(tool) + COMMON + port + " " + options;
        Path out = folder.resolve("server.out");
        Path clientOut = folder.resolve("client.out");
        Path err = folder.resolve("err");
        Process server = start(out, folder.resolve("server.err"), words(command));
        try {
            while (!Listening.on(port, false)) {
                assertThat(server.isAlive()).as(Files.readString(out)).isTrue();
                Thread.sleep(20);
            }
            Process client = start(clientOut, err, words(command + " " + ofClient + " 127.0.0.1"));
            assertThat(client.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(client.exitValue()).as(Files.readString(err)).isZero();
            assertThat(server.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            server.destroyForcibly();
        }
        return new Printed(Files.readAllLines(out), Files.readAllLines(clientOut));
    }

    private static Printed ofJava(String tool, String options, String ofClient) throws Exception {
        int port = Listening.freePort();
        String command = tool + COMMON + port + " --no-warm-up " + options;
        CompletableFuture<CommandRun> server = CompletableFuture.supplyAsync(
                () -> Program.run(command), task -> Thread.ofPlatform().daemon().start(task));
        while (!Listening.on(port, false)) {
            assertThat(server).isNotDone();
            Thread.sleep(20);
        }
        CommandRun client = Program.run(command + " " + ofClient + " 127.0.0.1");
        assertThat(client.status()).as(client.toString()).isZero();
        return new Printed(
                server.get(LIMIT.toSeconds(), TimeUnit.SECONDS).out().lines().toList(),
                client.out().lines().toList());
    }

    /**
     * Replaces what differs between runs: numbers, and the spaces that fill columns. On a busy machine C's tools may
     * not know the processor's frequency, and print times as inf. With a warning on standard error, they print one more
     * line of dashes, before another one or before the server's invitation, which begins with an empty line. Later
     * versions print two more settings in the banner, and a warning where 4.5 prints none.
     */
    private static List<String> shapes(List<String> printed) {
        List<String> lines = printed.stream()
                .filter(line -> !line.equals(" WARNING: BW peak won't be measured in this run."))
                .toList();
        return IntStream.range(0, lines.size())
                .filter(i -> i + 1 == lines.size()
                        || !lines.get(i).startsWith("----")
                        || !lines.get(i + 1).isEmpty() && !lines.get(i + 1).equals(lines.get(i)))
                .mapToObj(lines::get)
                .map(line -> line.replace("MB/sec", "MiB/sec")
                        .replaceAll("0x[0-9a-f]+", "H")
                        .replaceAll(UNKNOWN, "0")
                        .replaceAll("(?<![A-Za-z_])\\d[\\d.]*(?![A-Za-z])", "N")
                        .replaceAll("(N:)+N", "N:N")
                        .replaceAll("H:H", "H")
                        .replaceAll("[ \t]+", " ")
                        .replaceFirst(" (Lock-free|Using DDP) : OFF$", "")
                        .stripTrailing())
                .toList();
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = SHORT)
    void linesMatchThoseOfC(String tool, String options) throws Exception {
        Printed c = ofC(Peer.C_INSTALLED, tool, options, "");
        Printed java = ofJava(tool, options, "");
        assertThat(shapes(java.client)).as("client").containsExactlyElementsOf(shapes(c.client));
        assertThat(shapes(java.server)).as("server").containsExactlyElementsOf(shapes(c.server));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = MORE)
    @Tag("full")
    void linesOfMoreOptionsMatchThoseOfC(String tool, String options) throws Exception {
        linesMatchThoseOfC(tool, options);
    }

    /** The names of a document's members, except for ours, and one of versions after 25.01. */
    private static List<String> members(Path document) throws IOException {
        String text = Files.readString(document).replaceAll(UNKNOWN, "0");
        List<String> names = members("", new ObjectMapper().readTree(text));
        names.remove("/test_info/Use_MUSA_memory STRING");
        return names;
    }

    /** The names of a node's members, each with those that contain it; C's have no lists. */
    private static List<String> members(String prefix, JsonNode node) {
        List<String> names = new ArrayList<>();
        node.fields().forEachRemaining(member -> {
            String name = prefix + "/" + member.getKey();
            if (!name.equals("/rdma4j")) {
                names.add(name
                        + (member.getValue().isObject()
                                ? ""
                                : " " + member.getValue().getNodeType()));
                names.addAll(members(name, member.getValue()));
            }
        });
        return names;
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = SHORT)
    void documentHasTheMembersOfC(String tool, String options) throws Exception {
        Path file = folder.resolve("document.json");
        String json = "--out_json --out_json_file=" + file;
        ofC(Peer.C_NEWER, tool, options, json);
        List<String> c = members(file);
        Files.delete(file);
        ofJava(tool, options, json);
        assertThat(members(file)).containsExactlyElementsOf(c);
    }
}
