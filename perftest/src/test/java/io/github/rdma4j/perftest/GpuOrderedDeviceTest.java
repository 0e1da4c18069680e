// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.cuda.StandInDriver;
import java.io.DataInputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ping-pong of two GPUs of the stand-in, each a side of the tool. */
@Tag("device")
@ExtendWith(StandInDriver.class)
class GpuOrderedDeviceTest {
    private static final String TOOL = "gpu gpu_ordered_lat ";
    private static final Duration LIMIT = Duration.ofSeconds(300);

    @TempDir
    Path folder;

    @AfterEach
    void nothingStaysOpen() {
        GpuRun.withoutPeerMemoryModule();
        assertThat(StandInDriver.open()).isEmpty();
    }

    private static GpuRun play(String server, String client) throws Exception {
        int port = GpuRun.freePort();
        CompletableFuture<CommandRun> serving =
                CompletableFuture.supplyAsync(() -> Program.run(TOOL + server + " --port " + port));
        GpuRun.awaitListening(port);
        CommandRun asked = Program.run(TOOL + client + " --port " + port + " --connect localhost");
        return new GpuRun(asked, serving.get());
    }

    @ParameterizedTest
    @ValueSource(strings = {"staged", "peermem"})
    void allWaysArePlayed(String path) throws Exception {
        GpuRun.withPeerMemoryModule(folder);
        Path document = folder.resolve("out.json");
        String options = "--size 6000 --iters 30 --work 100 --gpu-path " + path;
        play(options, options + " --json " + document).passed();
        JsonNode json = new ObjectMapper().readTree(Files.readAllBytes(document));
        assertThat(json.get("path").asText()).contains(path.equals("staged") ? "staged" : "peer memory");
        assertThat(json.get("results")).hasSize(3).allSatisfy(result -> {
            assertThat(result.get("way").asText()).isIn("host", "stream", "graph");
            assertThat(result.get("t_avg_usec").asDouble()).isPositive();
            assertThat(result.get("host_share").asDouble()).isBetween(0.0, 1.0);
        });
    }

    @Test
    void roundsBeforeAFailureAreShown() throws Exception {
        StandInDriver.failAt("cuGraphInstantiateWithFlags", 1, 2);
        Path mine = folder.resolve("mine.json");
        Path theirs = folder.resolve("theirs.json");
        String options = "--size 100 --iters 10 --gpu-path staged --json ";
        GpuRun run = play(options + mine, options + theirs);
        assertThat(run.client().status()).isEqualTo(1);
        assertThat(run.server().status()).isEqualTo(1);
        List<String> states = new ArrayList<>();
        for (Path each : List.of(mine, theirs)) {
            JsonNode json = new ObjectMapper().readTree(Files.readAllBytes(each));
            assertThat(json.get("results")).hasSize(2);
            states.add(json.get("state").asText());
        }
        assertThat(states).containsExactlyInAnyOrder("failed", "peer lost");
        assertThat(run.client().out()).contains("broken off: ");
    }

    /** Only the connection shows that the peer has gone. */
    @Test
    void peerThatHasGoneIsNoticedThoughNothingIsUnderWay() throws Exception {
        int port = GpuRun.freePort();
        CompletableFuture<CommandRun> serving =
                CompletableFuture.supplyAsync(() -> Program.run(TOOL + "--gpu-path staged --port " + port));
        GpuRun.awaitListening(port);
        try (Socket peer = new Socket(InetAddress.getLoopbackAddress(), port)) {
            DataInputStream in = new DataInputStream(peer.getInputStream());
            byte[] head = in.readNBytes(5 * Integer.BYTES);
            byte[] rest = in.readNBytes(ByteBuffer.wrap(head).getInt(4 * Integer.BYTES));
            peer.getOutputStream().write(head);
            peer.getOutputStream().write(rest);
            in.readByte();
            peer.getOutputStream().write(1);
        }
        CommandRun server = serving.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(server.status()).isOne();
        assertThat(server.err()).contains("the peer has gone: it closed the connection in the middle of the game");
    }

    /** The client is another process. Once this side plays by graphs, the client has two results. */
    @Test
    @Tag("full")
    void roundsBeforeCtrlCAreWritten() throws Exception {
        Path json = folder.resolve("client.json");
        int port = GpuRun.freePort();
        String options = TOOL + "--size 100 --iters 200 --work 100 --gpu-path staged --port " + port;
        CompletableFuture<CommandRun> serving = CompletableFuture.supplyAsync(() -> Program.run(options));
        GpuRun.awaitListening(port);
        try (PeerProcess client = PeerProcess.ofJava(
                List.of("env", PeerProcess.INTERRUPTIBLE, "JDK_JAVA_OPTIONS=" + StandInDriver.jvmOption()),
                options + " --connect localhost --json " + json)) {
            while (StandInDriver.calls("cuGraphLaunch") == 0) {
                assertThat(client.isAlive()).as("%s", client.output()).isTrue();
                Thread.onSpinWait();
            }
            // Of each turn of this side: the client is still at it when the signal comes.
            StandInDriver.copyDelay(200_000, 0);
            client.signal("INT");
            assertThat(client.await(LIMIT)).as("%s", client.output()).isEqualTo(128 + 2);
            assertThat(client.output()).contains("broken off: ended by a signal");
        } finally {
            StandInDriver.copyDelay(0, 0);
        }
        JsonNode document = new ObjectMapper().readTree(Files.readAllBytes(json));
        assertThat(document.get("state").asText()).isEqualTo("interrupted");
        assertThat(document.get("results")).hasSize(2);
        assertThat(serving.get(LIMIT.toSeconds(), TimeUnit.SECONDS).status()).isOne();
    }

    @Test
    void sidesThatWereAskedForDifferentThingsSaySo() throws Exception {
        GpuRun run = play("--size 100 --gpu-path staged", "--size 200 --gpu-path staged");
        assertThat(run.client().status()).isEqualTo(1);
        assertThat(run.server().status()).isEqualTo(1);
        assertThat(run.client().err()).contains("the peer was started with 100 where this side has 200");
    }
}
