// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.Device;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tools on iWARP, where rdma_cm connects the queue pairs: with each other, with C, and what is refused. */
@Tag("device")
@Tag("iwarp-only")
@Timeout(600)
class IwarpDeviceTest {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final AtomicInteger PORTS = new AtomicInteger(19100);

    private static final String TOOLS = """
        ib_write_lat | -n 20
        ib_write_bw  | -n 60 -s 4096 -q 2 -b
        ib_read_lat  | -n 20
        ib_read_bw   | -n 60 -s 4096
        ib_send_lat  | -n 20 -s 4096
        ib_send_bw   | -n 500 -r 40 -s 1024
        ib_send_bw   | -n 200 -r 40 -b -q 2
        """;

    private final int port = PORTS.incrementAndGet();

    private String command(String tool, String options) {
        return tool + " -F -R " + options + " -p " + port;
    }

    private static void assertComplete(CommandRun run, String other) {
        assertThat(run.status()).as("%s\nother side: %s", run, other).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("Transport type : IW", " rdma_cm QPs\t : ON");
    }

    @ParameterizedTest(name = "{0} {1}: Java client, C server")
    @CsvSource(delimiter = '|', textBlock = TOOLS)
    void ourClientWithTheirServer(String tool, String options) throws Exception {
        try (PeerProcess server = PeerProcess.ofC(command(tool, options))) {
            long deadline = System.nanoTime() + LIMIT.toNanos();
            CommandRun client;
            do {
                Thread.sleep(100);
                client = Program.run(command(tool, options) + " " + RdmaAddress.ofFirstDevice());
            } while (client.err().contains("nobody accepts rdma_cm connections") && System.nanoTime() < deadline);
            assertComplete(client, "C server: " + server.output());
            assertThat(client.out()).containsPattern("(?m)^ \\d+ +\\d+ +\\d+\\.\\d");
            assertThat(server.await(LIMIT)).as("C server: %s", server.output()).isZero();
        }
    }

    @ParameterizedTest(name = "{0} {1}: C client, Java server")
    @CsvSource(delimiter = '|', textBlock = TOOLS)
    void theirClientWithOurServer(String tool, String options) throws Exception {
        OurServer server = new OurServer(command(tool, options));
        try (PeerProcess client = PeerProcess.ofC(command(tool, options) + " " + RdmaAddress.ofFirstDevice())) {
            int status = client.await(LIMIT);
            String output = client.output();
            CommandRun run = server.end();
            assertThat(status).as("C client: %s\n%s", output, run).isZero();
            assertComplete(run, "C client: " + output);
        }
    }

    @ParameterizedTest(name = "{0} {1}: Java on both sides")
    @CsvSource(delimiter = '|', textBlock = TOOLS)
    void oursWithOurs(String tool, String options) throws Exception {
        OurServer server = new OurServer(command(tool, options));
        CommandRun client = Program.run(command(tool, options) + " " + RdmaAddress.ofFirstDevice());
        CommandRun other = server.end();
        assertComplete(client, "server: " + other);
        assertComplete(other, "client: " + client);
    }

    /** Runs in this JVM; listens when it is made. */
    private static final class OurServer {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final ByteArrayOutputStream err = new ByteArrayOutputStream();
        private final CompletableFuture<Integer> status;

        OurServer(String command) throws InterruptedException {
            List<String> words = List.of(command.split(" +"));
            status = CompletableFuture.supplyAsync(
                    () -> Program.run(words, new PrintStream(out, true), new PrintStream(err, true)));
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (!status.isDone() && !out.toString(StandardCharsets.UTF_8).contains("Waiting for client")) {
                assertThat(System.nanoTime()).as("our server listens").isLessThan(deadline);
                Thread.sleep(20);
            }
        }

        CommandRun end() throws Exception {
            return new CommandRun(
                    status.get(LIMIT.toSeconds(), TimeUnit.SECONDS),
                    out.toString(StandardCharsets.UTF_8),
                    err.toString(StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest(name = "{0} {1} is refused")
    @CsvSource(delimiter = '|', textBlock = """
        ib_write_bw     |                      | only rdma_cm connects its queue pairs; give -R on both sides
        ib_write_bw     | -c UC                | iWARP has reliable connections only
        ib_send_lat     | -R -c UD             | iWARP has reliable connections only
        ib_write_bw     | -R --write_with_imm  | its writes carry no immediate data
        ib_atomic_bw    | -R                   | iWARP has no atomic operations
        ib_send_bw      | -R --use-srq         | a shared one has none of its own
        ib_send_bw      | -R -e                | by writes, which wake nobody up
        ib_send_bw      | -R -r 2              | at least 3
        """)
    void unsupportedByIwarpIsRefused(String tool, String options, String why) {
        String name = Device.list().getFirst().name();
        // As a server, which would wait for a client otherwise.
        CommandRun run = Program.run(tool + " " + (options == null ? "" : options) + " -p " + port);
        assertThat(run.status()).as(run.toString()).isEqualTo(2);
        assertThat(run.err()).contains(name + ", an iWARP device: ", why);
    }
}
