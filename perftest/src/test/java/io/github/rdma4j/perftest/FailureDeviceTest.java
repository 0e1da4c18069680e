// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.RunListener;
import io.github.rdma4j.perftest.run.ToolRun;
import io.github.rdma4j.perftest.wire.FakePeer;
import io.github.rdma4j.verbs.Device;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Refusals of a real device, and peers that die or fall silent at every step, lead to an error in bounded time and
 * leave nothing open.
 */
@Tag("device")
@Timeout(600)
class FailureDeviceTest {
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void awaitListening(int port) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!PeerProcess.listening(port)) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    @Test
    void unknownDeviceIsAnsweredWithThosePresent() {
        CommandRun run = Program.run("ib_write_lat -d mlx9_9 localhost");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .contains("'mlx9_9'", "present: " + Device.list().getFirst().name());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ib_write_lat -i 7                    | -i/--ib-port: 7 is not allowed; ",
                "ib_write_lat -x 200                  | -x/--gid-index: 200 is not in use on port 1 of ",
                "ib_write_bw -q 16384                 | -t/--tx-depth times -q/--qp: 2097152 is too large for ",
                "ib_write_bw -t 15000 -q 16 -n 20000  | -t/--tx-depth times -q/--qp: 240000 is too large for ",
            })
    void unsupportedOptionIsRefusedBeforeThePeerIsContacted(String command, String message) {
        CommandRun run = Program.run(command + " no-such-host.invalid");
        assertThat(run.status()).as(run.toString()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }

    @Test
    void portInUseIsReportedAtOnce() throws IOException {
        try (ServerSocket other = new ServerSocket(0)) {
            CommandRun run = Program.run("ib_write_bw -p " + other.getLocalPort());
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).contains("cannot listen on TCP port " + other.getLocalPort(), "another port with -p");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib_write_lat", "ib_write_bw"})
    void missingServerIsReported(String tool) throws IOException {
        int port = freePort();
        CommandRun run = Program.run(tool + " -p " + port + " localhost");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .contains("nobody accepts connections at localhost:" + port, "start the server side first");
    }

    /** Answers so many of the client's messages as a C server would, then falls silent or sends garbage. */
    private static FakePeer peer(int answers, boolean garbage) throws IOException {
        return new FakePeer(client -> {
            List<byte[]> messages = List.of(
                    Arrays.copyOf("6.06".getBytes(StandardCharsets.US_ASCII), 16),
                    new byte[] {0, 0, 16, 0},
                    new byte[] {0, 0, 0, 64},
                    new byte[] {'5', 0});
            InputStream in = client.getInputStream();
            OutputStream out = client.getOutputStream();
            // Ahead of the questions, so that no answer is late.
            for (byte[] message : messages.subList(0, answers)) {
                out.write(message);
            }
            for (byte[] message : messages.subList(0, answers)) {
                in.readNBytes(message.length);
            }
            if (garbage) {
                byte[] noise = new byte[108];
                Arrays.fill(noise, (byte) '#');
                out.write(noise);
            }
            Thread.sleep(Duration.ofMinutes(5));
        });
    }

    @ParameterizedTest
    @CsvSource({
        "0, version",
        "1, page size",
        "2, cache line size",
        "3, MTU",
        "4, handshake",
    })
    void silenceEndsInTimeAtEveryStep(int answers, String step) throws IOException {
        try (FakePeer peer = peer(answers, false)) {
            long begin = System.nanoTime();
            CommandRun run = Program.run("ib_write_lat --no-warm-up --timeout 3 -p " + peer.port() + " localhost");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMinutes(2));
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).contains("sent nothing for 3 s where its " + step + " was due", "same tool");
        }
    }

    @Test
    void waitForASilentServerIsReportedBeforeItsEnd() throws IOException {
        try (FakePeer peer = peer(0, false)) {
            CommandRun run = Program.run("ib_write_lat --no-warm-up --timeout 4 -p " + peer.port() + " localhost");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err())
                    .startsWith("ib_write_lat: note: connected to 127.0.0.1:" + peer.port()
                            + ", which has said nothing yet: waiting for it, 4 s at most");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, no perftest version but",
        "1, says that its page size is",
        "2, says that its cache line size is",
        "3, for its MTU",
        "4, where its address and key were due",
    })
    void garbageIsShownAtEveryStep(int answers, String message) throws IOException {
        try (FakePeer peer = peer(answers, true)) {
            CommandRun run = Program.run("ib_write_lat --no-warm-up --timeout 60 -p " + peer.port() + " localhost");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).contains(message);
        }
    }

    @Test
    void serverSurvivesAStrangeClientAndServesItsOwn() throws Exception {
        int port = freePort();
        CompletableFuture<CommandRun> server = CompletableFuture.supplyAsync(
                () -> Program.run("ib_write_bw --no-warm-up -n 20 -s 4096 -u 18 -p " + port));
        awaitListening(port);
        try (Socket stranger = new Socket("localhost", port)) {
            stranger.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            CommandRun client = Program.run("ib_write_bw --no-warm-up -n 20 -s 4096 -u 18 -p " + port + " localhost");
            assertThat(client.status()).as(client.toString()).isZero();
        }
        CommandRun run = server.get();
        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.err()).contains("ib_write_bw: note: 127.0.0.1:", " connected and sent \"GET / HTTP/1.1");
        assertThat(PeerProcess.listening(port)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"ib_write_lat, false, 0", "ib_write_lat, false, 60", "ib_write_bw, false, 60", "ib_write_bw, true, 60"})
    void serverKilledInTheMiddleOfTheRunEndsOurs(String tool, boolean bidirectional, int seconds) throws Exception {
        int port = freePort();
        RunParameters parameters = parse(commandLine(tool, port, bidirectional, seconds) + " localhost");
        try (PeerProcess server =
                PeerProcess.ofC(commandLine(tool, port, bidirectional, seconds)).awaitListening(port)) {
            assertThatThrownBy(() -> runAndThen(parameters, server::kill))
                    .isInstanceOf(PerftestException.class)
                    .satisfies(FailureDeviceTest::isAboutTheDeadPeer);
        }
        assertStillUsable();
    }

    @ParameterizedTest
    @CsvSource({"ib_write_lat, false, 60", "ib_write_bw, false, 60", "ib_write_bw, true, 60"})
    void clientKilledInTheMiddleOfTheRunEndsOurServer(String tool, boolean bidirectional, int seconds)
            throws Exception {
        int port = freePort();
        RunParameters parameters = parse(commandLine(tool, port, bidirectional, seconds));
        AtomicReference<PeerProcess> client = new AtomicReference<>();
        CompletableFuture<Void> starting = CompletableFuture.runAsync(() -> {
            try {
                awaitListening(port);
                client.set(PeerProcess.ofC(commandLine(tool, port, bidirectional, seconds) + " localhost"));
            } catch (Exception failure) {
                throw new CompletionException(failure);
            }
        });
        assertThatThrownBy(() -> runAndThen(parameters, () -> {
                    starting.join();
                    client.get().kill();
                }))
                .isInstanceOf(PerftestException.class)
                .satisfies(FailureDeviceTest::isAboutTheDeadPeer);
        starting.get();
        client.get().close();
    }

    private static RunParameters parse(String commandLine) {
        List<String> words = List.of(commandLine.split(" +"));
        return RunParameters.parse(Tool.ofCommand(words.getFirst()).orElseThrow(), words.subList(1, words.size()));
    }

    private static String commandLine(String tool, int port, boolean bidirectional, int seconds) {
        return tool + " -F -p " + port + (bidirectional ? " -b" : "")
                + (seconds > 0 ? " -D " + seconds : " -n 5000000");
    }

    /** Runs our side, and lets something happen a second after the measured run has begun. */
    private static void runAndThen(RunParameters parameters, Runnable event) {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        begun.thenRunAsync(event, CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS));
        ToolRun.run(parameters, new RunListener() {
            @Override
            public void begin(RunInfo info) {
                begun.complete(null);
            }
        });
    }

    private static void isAboutTheDeadPeer(Throwable failure) {
        // Not: a wrong key, a receive that is missing.
        assertThat(failure.getMessage())
                .containsAnyOf("closed the connection", "closed the control connection")
                .doesNotContain("usual cause");
        assertThat(((PerftestException) failure).peerLost()).isTrue();
        assertThat(((PerftestException) failure).remedy()).contains("what the peer printed");
    }

    private static void assertStillUsable() throws Exception {
        int port = freePort();
        CompletableFuture<CommandRun> server =
                CompletableFuture.supplyAsync(() -> Program.run("ib_write_lat -n 10 -u 18 -p " + port));
        awaitListening(port);
        CommandRun client = Program.run("ib_write_lat -n 10 -u 18 -p " + port + " localhost");
        assertThat(client.status()).as(client.toString()).isZero();
        assertThat(server.get().status()).isZero();
    }

    @Test
    void tooLittleLockedMemoryNamesTheLimitAndTheRemedy() throws Exception {
        // Root may lock what it wants: the process is started without that capability.
        List<String> limited = List.of("prlimit", "--memlock=65536:65536", "setpriv", "--bounding-set", "-ipc_lock");
        try (PeerProcess tool = PeerProcess.ofJava(limited, "ib_write_bw --no-warm-up -s 1M localhost")) {
            assertThat(tool.await(Duration.ofSeconds(120))).as(tool.output()).isEqualTo(1);
            assertThat(tool.output()).contains("ibv_reg_mr", "ENOMEM", "RLIMIT_MEMLOCK is 65536", "ulimit -l");
        }
    }
}
