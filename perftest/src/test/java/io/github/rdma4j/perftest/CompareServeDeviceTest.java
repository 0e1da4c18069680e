// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.verbs.Device;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A comparison whose servers another process has, as if on another machine. */
@Tag("device")
@Timeout(1200)
class CompareServeDeviceTest {
    private static final Duration LIMIT = Duration.ofSeconds(500);

    private static final List<String> SIGNALLED = List.of("env", PeerProcess.INTERRUPTIBLE);

    /** Both C programs poll memory, and do not stop if the other one goes, so such a run does not end without help. */
    private static final String ENDLESS = "--tools ib_write_lat --sizes 4096 --rounds 500 --timeout 1000 ";

    @TempDir
    private Path folder;

    private int port;

    @BeforeEach
    void choose() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
    }

    private PeerProcess serve() throws IOException, InterruptedException {
        return PeerProcess.ofJava(SIGNALLED, "compare --serve --port " + port).awaitListening(port);
    }

    private PeerProcess peer(String options) throws IOException {
        return PeerProcess.ofJava(
                SIGNALLED, "compare --peer 127.0.0.1:" + port + " --no-warm-up --tcp none -n 100 " + options);
    }

    private static void awaitOutput(PeerProcess process, String text) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!process.output().contains(text)) {
            assertThat(process.isAlive()).as("it ended: %s", process.output()).isTrue();
            assertThat(System.nanoTime()).as(process.output()).isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    private static void expectEnded(List<ProcessHandle> processes) throws Exception {
        assertThat(processes).isNotEmpty();
        for (ProcessHandle process : processes) {
            process.onExit().get(30, TimeUnit.SECONDS);
        }
    }

    /** The C tools of this machine may support only IPv4, so these are newer ones. */
    @Test
    void javaAndCMeetTheirServersByAScopedIpv6Address() throws Exception {
        String host = RdmaAddress.linkLocalOfFirstDevice();
        String newer = "--c-path " + System.getenv("RDMA4J_NEWER_PERFTEST");
        try (PeerProcess served = PeerProcess.ofJava(SIGNALLED, "compare --serve --port " + port + " " + newer)
                        .awaitListening(port);
                PeerProcess clients = PeerProcess.ofJava(
                        SIGNALLED,
                        "compare --peer [" + host + "]:" + port + " --no-warm-up -n 100 --rounds 1"
                                + " --sizes ib_write_bw=4096 " + newer)) {
            assertThat(clients.await(LIMIT)).as(clients.output()).isZero();
            assertThat(served.await(LIMIT)).as(served.output()).isZero();
            assertThat(clients.output()).contains("clients here, servers on " + host);
            assertThat(served.output()).contains("serving fe80:");
        }
    }

    @Test
    void toolsThatKnowIpv4OnlyAreRefusedByName() throws Exception {
        try (PeerProcess served = serve();
                PeerProcess clients = PeerProcess.ofJava(
                        SIGNALLED,
                        "compare --peer [::1]:" + port + " --tcp none -n 100 --rounds 1 --sizes ib_write_bw=4096")) {
            if (clients.await(LIMIT) != 0) {
                assertThat(clients.output())
                        .contains("connects over IPv4 only: it has no --ipv6-addr")
                        .contains("give --peer an IPv4 address");
                assertThat(served.await(LIMIT)).as(served.output()).isEqualTo(1);
                assertThat(served.output()).contains("connects over IPv4 only: it has no --ipv6-addr");
            }
        }
    }

    @Test
    void javaAndCMeetTheirServersInTheOtherProcess() throws Exception {
        Path json = folder.resolve("compare.json");
        try (PeerProcess served = serve();
                PeerProcess clients = peer("--rounds 1 --sizes ib_write_bw=4096 --out_json " + json)) {
            assertThat(clients.await(LIMIT)).as(clients.output()).isZero();
            assertThat(served.await(LIMIT)).as(served.output()).isZero();

            String device = Device.list().getFirst().name();
            assertThat(clients.output())
                    .contains("clients here, servers on 127.0.0.1")
                    .contains(" here    " + device + " port 1")
                    .contains(" there   " + device + " port 1")
                    .contains("CPU/message [usec]")
                    .doesNotContain("C's tools are of wire version");
            assertThat(served.output())
                    .contains("serving 127.0.0.1: ib_write_lat, ib_write_bw on " + device)
                    .contains("the comparison of 127.0.0.1 has ended after ");
        }
        JsonNode document = new ObjectMapper().readTree(json.toFile());
        assertThat(document.at("/server/address").asText()).isEqualTo("127.0.0.1");
        assertThat(document.at("/tests")).hasSize(4);
        for (JsonNode test : document.at("/tests")) {
            boolean latency = test.at("/test_info/tool").asText().endsWith("_lat");
            assertThat(test.at(latency ? "/results/0/t_typical" : "/results/0/BW_average")
                            .asDouble())
                    .describedAs(test.at("/test_info").toString())
                    .isPositive();
        }
    }

    @Test
    @Tag("full")
    void resultsAreKeptWhenTheServedMachineDies() throws Exception {
        expectBrokenOff(PeerProcess::kill, ": the ");
    }

    @Test
    @Tag("full")
    void resultsAreKeptWhenCtrlCEndsTheServedMachine() throws Exception {
        expectBrokenOff(served -> served.signal("INT"), "on 127.0.0.1: it was ended by a signal");
    }

    /** Ends one of the two. */
    private interface Ending {
        void of(PeerProcess process) throws Exception;
    }

    private void expectBrokenOff(Ending ending, String reason) throws Exception {
        Path json = folder.resolve("compare.json");
        try (PeerProcess served = serve();
                PeerProcess clients = peer(ENDLESS + "--out_json " + json)) {
            awaitOutput(clients, "round 3 of");
            List<ProcessHandle> processes = descendants(served, clients);
            ending.of(served);

            assertThat(clients.await(LIMIT)).as(clients.output()).isEqualTo(1);
            assertThat(clients.output()).contains(reason).contains("broken off; what was measured before:");
            expectEnded(processes);
        }
        JsonNode document = new ObjectMapper().readTree(json.toFile());
        assertThat(document.at("/state").asText()).isEqualTo("failed");
        assertThat(document.at("/comparison")).isNotEmpty();
    }

    private static List<ProcessHandle> descendants(PeerProcess served, PeerProcess clients) {
        return Stream.concat(served.descendants(), clients.descendants()).toList();
    }

    @Test
    @Tag("full")
    void servedMachineEndsWithItsClients() throws Exception {
        try (PeerProcess served = serve();
                PeerProcess clients = peer(ENDLESS)) {
            awaitOutput(clients, "round 2 of");
            List<ProcessHandle> processes = descendants(served, clients);
            clients.kill();

            assertThat(served.await(LIMIT)).as(served.output()).isEqualTo(1);
            assertThat(served.output()).contains("compare: 127.0.0.1: ");
            expectEnded(processes);
        }
    }

    /** A run that Ctrl-C ends is no failure of a tool. */
    @Test
    @Tag("full")
    void ctrlCIsReportedOnBothMachines() throws Exception {
        Path json = folder.resolve("compare.json");
        try (PeerProcess served = serve();
                PeerProcess clients = peer(ENDLESS + "--out_json " + json)) {
            awaitOutput(clients, "round 3 of");
            List<ProcessHandle> processes = descendants(served, clients);
            clients.signal("INT");

            assertThat(clients.await(LIMIT)).as(clients.output()).isEqualTo(130);
            assertThat(served.await(LIMIT)).as(served.output()).isEqualTo(1);
            assertThat(clients.output())
                    .contains("broken off; what was measured before:")
                    .doesNotContain("\ncompare: ");
            assertThat(served.output())
                    .containsPattern("compare: 127.0.0.1 gave up after \\d+ runs: ended by a signal");
            expectEnded(processes);
        }
        JsonNode document = new ObjectMapper().readTree(json.toFile());
        assertThat(document.at("/state").asText()).isEqualTo("interrupted");
        assertThat(document.at("/comparison")).isNotEmpty();
    }
}
