// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.document.ResultsSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the kept results and the messages of runs that do not finish, or that finish when the other side does not
 * expect it.
 */
@Tag("device")
@Timeout(600)
class BrokenRunDeviceTest {
    /** The limit of each wait. It is shorter than a test's limit, so that the failure names the wait. */
    private static final Duration LIMIT = Duration.ofSeconds(180);

    /** Of a processor, which no client takes before it runs. */
    private static final Duration TIME_OF_A_RUN = Duration.ofMillis(500);

    private static final String PATIENT = " -F -u 18 ";

    @TempDir
    private Path folder;

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void await(Callable<Boolean> condition, Callable<String> state) throws Exception {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("this did not come: " + state.call());
            }
            Thread.sleep(20);
        }
    }

    /** Waits until the tool that runs in this JVM listens. */
    private static void awaitListening(int port, Running server) throws Exception {
        await(
                () -> PeerProcess.listening(port) || server.status.isDone(),
                () -> "our server listens: " + server.text());
        assertThat(server.status).as(server.text()).isNotDone();
    }

    /** One of our tools in this JVM, whose output can be looked at while it runs. */
    private static final class Running {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final CompletableFuture<Integer> status;

        private Running(String command) {
            PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
            status = CompletableFuture.supplyAsync(
                    () -> Program.run(List.of(command.strip().split(" +")), stream, stream));
        }

        private String text() {
            return out.toString(StandardCharsets.UTF_8);
        }

        private int end() throws Exception {
            return status.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static long rows(String output) {
        return output.lines()
                .filter(line -> line.matches(" \\d+ +\\d+ .*\\d\\.\\d.*"))
                .count();
    }

    @Test
    void resultsBeforeTheServerDiedAreInTheFile() throws Exception {
        int port = freePort();
        Path json = folder.resolve("a.json");
        try (PeerProcess server = PeerProcess.ofC("ib_write_bw" + PATIENT + "-a -n 2000 -p " + port)
                .awaitListening(port)) {
            Running client = new Running("ib_write_bw" + PATIENT + "-a -n 2000 --no-warm-up --timeout 20 -p " + port
                    + " --out_json_file=" + json + " --out_csv=" + folder.resolve("a.csv") + " localhost");
            await(
                    () -> rows(client.text()) >= 3 || client.status.isDone(),
                    () -> "three sizes are printed: " + client.text());
            server.kill();
            assertThat(client.end()).as(client.text()).isEqualTo(1);
            String document = Files.readString(json);
            assertThat(ResultsSchema.faults(document)).isEmpty();
            assertThat(document)
                    .contains("\"state\": \"peer lost\"", "\"failure\": \"", "\"size\": 2,", "\"size\": 8,");
            assertThat(Files.readAllLines(folder.resolve("a.csv")))
                    .hasSizeGreaterThanOrEqualTo(4)
                    .last()
                    .asString()
                    .endsWith(",peer lost");
            assertThat(client.text()).contains("what was measured until then is in the files");
        }
    }

    @Test
    void endlessRunIsWrittenWhenSomebodyEndsIt() throws Exception {
        runEndlessly(4096, "");
    }

    @Test
    void endlessRunReportsUntilItsPeerEnds() throws Exception {
        int port = freePort();
        String options = "ib_write_bw" + PATIENT + "-s 64 --run_infinitely -D 1 -p " + port;
        try (PeerProcess server = PeerProcess.ofC(options).awaitListening(port)) {
            Running client = new Running(options + " --no-warm-up localhost");
            await(
                    () -> rows(client.text()) >= 2 || client.status.isDone(),
                    () -> "two results are printed: " + client.text());
            server.kill();
            assertThat(client.end()).as(client.text()).isEqualTo(1);
            assertThat(rows(client.text())).as(client.text()).isGreaterThan(1);
            assertThat(client.text()).contains("the peer").doesNotContain("run longer");
        }
    }

    /**
     * On SoftRoCE twenty messages of 2 MiB, of which the last one completes, take longer than the period of a second.
     */
    @Test
    void endlessRunOutlivesPeriodsInWhichNothingCompletes() throws Exception {
        runEndlessly(1 << 21, " -Q 20");
    }

    /** Two results and an interrupt; the results must be in the file. */
    private void runEndlessly(int size, String moderation) throws Exception {
        int port = freePort();
        Path json = folder.resolve("a.json");
        String options = "ib_write_bw" + PATIENT + "-s " + size + " -p " + port;
        Running server = new Running(options + " --timeout 60");
        awaitListening(port, server);
        try (PeerProcess client = PeerProcess.ofJava(
                List.of("env", PeerProcess.INTERRUPTIBLE),
                options + moderation + " --no-warm-up --run_infinitely -D 1 --out_json_file=" + json + " localhost")) {
            await(
                    () -> rows(client.output()) >= 2 || !client.isAlive(),
                    () -> "two results are printed: " + client.output() + server.text());
            assertThat(client.isAlive())
                    .as("the client goes on: %s%s", client.output(), server.text())
                    .isTrue();
            client.signal("INT");
            assertThat(client.await(LIMIT)).as(client.output()).isEqualTo(130);
        }
        String document = Files.readString(json);
        assertThat(ResultsSchema.faults(document)).isEmpty();
        assertThat(document).contains("\"state\": \"interrupted\"");
        assertThat(document.split("\"size\": " + size + ",", -1)).hasSizeGreaterThanOrEqualTo(3);
        assertThat(server.end()).as(server.text()).isEqualTo(1);
    }

    @Test
    void clientThatIsStoppedIsNoticedByAServerWhoseAdapterAnswers() throws Exception {
        int port = freePort();
        Running server = new Running("ib_read_lat" + PATIENT + "--no-warm-up --timeout 10 -p " + port);
        awaitListening(port, server);
        try (PeerProcess client = PeerProcess.ofC("ib_read_lat" + PATIENT + "-n 50000000 -p " + port + " localhost")) {
            await(
                    () -> server.text().contains("remote address") || !client.isAlive(),
                    () -> "the sides have met: " + client.output() + server.text());
            // From here on only its run costs it much: it polls.
            Duration asTheyMet = client.cpuTime();
            await(
                    () -> client.cpuTime().minus(asTheyMet).compareTo(TIME_OF_A_RUN) >= 0 || !client.isAlive(),
                    () -> "the client runs: " + client.output() + server.text());
            client.signal("STOP");
            assertThat(server.end()).as(server.text()).isEqualTo(1);
            assertThat(server.text()).contains("fell silent in the middle of the run");
        }
    }

    @Test
    void serverWaitsForAllTimedRoundsOfItsClient() throws Exception {
        int port = freePort();
        Running server = new Running("ib_write_bw" + PATIENT + "-s 4096 -D 1 --no-warm-up --timeout 8 -p " + port);
        awaitListening(port, server);
        Path json = folder.resolve("a.json");
        // More seconds than the server's time limit and its -D together.
        CommandRun client = Program.run("ib_write_bw" + PATIENT + "-s 4096 -D 1 -f 0 --rounds 12 --no-warm-up -p "
                + port + " --out_json_file=" + json + " localhost");
        assertThat(client.status()).as(client.toString()).isZero();
        assertThat(server.end()).as(server.text()).isZero();
        assertThat(Files.readString(json)).contains("\"state\": \"complete\"");
    }
}
