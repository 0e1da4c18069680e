// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import io.github.rdma4j.perftest.doctor.check.Outcome;
import io.github.rdma4j.perftest.doctor.pair.Machines;
import io.github.rdma4j.perftest.doctor.pair.PeerMachine;
import io.github.rdma4j.perftest.doctor.pair.PeerReport;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.perftest.talk.Line;
import io.github.rdma4j.perftest.talk.Message;
import io.github.rdma4j.perftest.talk.PeerAddress;
import io.github.rdma4j.perftest.talk.Protocol;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests both ends over TCP, without RDMA: right and wrong peers, and the result of this end. */
@Timeout(600)
class ConversationTest {
    /** On one CPU the common pool has one thread, and one end would keep the other from running. */
    private static final Executor OWN_THREAD =
            task -> Thread.ofPlatform().daemon().start(task);

    private static final Duration WHOLE = Duration.ofSeconds(20);
    private static final PeerMachine ROCE = Machines.with(Machines.roce("mlx5_0", "0a63:0001"));
    private static final PeerMachine INFINIBAND =
            Machines.with(Machines.infiniBand("fe80:0000:0000:0000:0000:0000:0000:0001", "0xffff"));

    private final CompletableFuture<String> waiting = new CompletableFuture<>();
    private final List<String> progress = Collections.synchronizedList(new ArrayList<>());

    private static PeerEnd end(PeerMachine machine) {
        return new PeerEnd(machine, _ -> Map.of(), false);
    }

    private CompletableFuture<PeerReport> serve(PeerMachine machine, Duration patience) {
        return CompletableFuture.supplyAsync(
                () -> PeerServer.serve(end(machine), 0, patience, line -> {
                    progress.add(line);
                    waiting.complete(line);
                }),
                OWN_THREAD);
    }

    private int port() throws InterruptedException, ExecutionException, TimeoutException {
        Matcher port = Pattern.compile("TCP port (\\d+)").matcher(waiting.get(60, TimeUnit.SECONDS));
        assertThat(port.find()).isTrue();
        return Integer.parseInt(port.group(1));
    }

    private static PeerReport test(int port) {
        return PeerClient.test(end(ROCE), new PeerAddress("127.0.0.1", port), WHOLE, Duration.ZERO);
    }

    private static Finding last(PeerReport report, Check check) {
        return report.findings().stream()
                .filter(finding -> finding.check() == check)
                .reduce((_, other) -> other)
                .orElseThrow(() -> new AssertionError(report.findings()));
    }

    private static void expectBroken(PeerReport report, Check check, String seen) {
        assertThat(report.outcome()).isEqualTo(Outcome.BROKEN);
        Finding finding = last(report, check);
        assertThat(finding.state()).isEqualTo(FindingState.FAIL);
        assertThat(finding.seen()).contains(seen);
        assertThat(finding.remedy()).isNotEmpty();
    }

    /** Somebody at a port who takes one connection. */
    private interface Somebody {
        void speak(Socket socket) throws IOException;
    }

    private static PeerReport testAgainst(Somebody somebody) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> speaking = CompletableFuture.runAsync(
                    () -> {
                        try (Socket socket = server.accept()) {
                            somebody.speak(socket);
                        } catch (IOException failure) {
                            throw new AssertionError(failure);
                        }
                    },
                    OWN_THREAD);
            PeerReport report = test(server.getLocalPort());
            speaking.get(20, TimeUnit.SECONDS);
            return report;
        }
    }

    private static Message hello(int version) {
        return new Message(
                version, Message.Kind.HELLO, new Fields().with("rdma4j", "9.9").with("seconds", 5));
    }

    @Test
    void bothEndsKnowWhatTheOtherIs() throws Exception {
        CompletableFuture<PeerReport> serving = serve(INFINIBAND, WHOLE);
        PeerReport client = test(port());
        expectBroken(client, Check.PAIR_TRANSPORT, "RoCE here, InfiniBand at 127.0.0.1");
        assertThat(last(client, Check.PEER_TCP).state()).isEqualTo(FindingState.OK);
        assertThat(last(client, Check.PAIR_CLOCK).state()).isEqualTo(FindingState.OK);
        assertThat(client.there()).contains(INFINIBAND);
        PeerReport server = serving.get(60, TimeUnit.SECONDS);
        assertThat(server.outcome()).isEqualTo(Outcome.BROKEN);
        assertThat(server.there()).contains(ROCE);
        assertThat(last(server, Check.PEER_TCP).seen())
                .isEqualTo("all tests have run; problems that the other end found and prints: 1");
    }

    static List<InetAddress> ipv6Addresses() throws SocketException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet6Address)
                .toList();
    }

    /** The loopback address, global ones and scoped link-local ones of this machine. */
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("ipv6Addresses")
    void eachIpv6AddressReachesTheOtherEnd(InetAddress address) throws Exception {
        CompletableFuture<PeerReport> serving = serve(INFINIBAND, WHOLE);
        PeerReport client =
                PeerClient.test(end(ROCE), new PeerAddress(address.getHostAddress(), port()), WHOLE, Duration.ZERO);
        assertThat(last(client, Check.PEER_TCP).state()).isEqualTo(FindingState.OK);
        assertThat(client.there()).contains(INFINIBAND);
        assertThat(last(serving.get(60, TimeUnit.SECONDS), Check.PEER_TCP).state())
                .isEqualTo(FindingState.OK);
    }

    /** The device does not exist, and the end that lists it reports that. */
    @Test
    void deviceThatTheOtherEndCannotOpenIsAFinding() throws Exception {
        CompletableFuture<PeerReport> serving = serve(ROCE, WHOLE);
        PeerReport client = test(port());
        expectBroken(client, Check.RC_CONNECTION, "127.0.0.1 reports: ");
        assertThat(serving.get(60, TimeUnit.SECONDS).outcome()).isEqualTo(Outcome.BROKEN);
    }

    @Test
    void endWithoutPortsIsNamed() throws Exception {
        serve(Machines.with(), WHOLE);
        PeerReport client = test(port());
        expectBroken(client, Check.PAIR_PORT, "there is no RDMA port");
        assertThat(last(client, Check.PAIR_PORT).subject()).isEqualTo("127.0.0.1");
    }

    @Test
    void missingServerIsReported() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        PeerReport report = test(free);
        expectBroken(report, Check.PEER_TCP, "no program accepts connections there");
        assertThat(last(report, Check.PEER_TCP).remedy()).contains("rdma4j doctor --serve --port " + free);
    }

    @Test
    void nameThatNobodyHas() {
        PeerReport report =
                PeerClient.test(end(ROCE), new PeerAddress("no-such-host.invalid", 1), WHOLE, Duration.ZERO);
        expectBroken(report, Check.PEER_TCP, "no address is known for the name no-such-host.invalid");
    }

    @Test
    void interfaceThatThisMachineLacks() {
        PeerReport report = PeerClient.test(end(ROCE), new PeerAddress("fe80::1%nope", 1), WHOLE, Duration.ZERO);
        expectBroken(report, Check.PEER_TCP, "no such interface nope");
        assertThat(last(report, Check.PEER_TCP).remedy()).contains("ip link");
    }

    @Test
    void anotherProgramAtThePort() throws Exception {
        PeerReport report = testAgainst(socket -> {
            socket.getInputStream().read();
            socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        });
        expectBroken(report, Check.PEER_TCP, "it is not rdma4j doctor: it sent \"HTTP/1.1 400 Bad\"");
        expectBroken(testAgainst(socket -> {}), Check.PEER_TCP, "a program accepts connections there");
    }

    @Test
    void silentProgramAtThePort() throws Exception {
        PeerReport report = testAgainst(socket -> socket.getInputStream().transferTo(OutputStream.nullOutputStream()));
        expectBroken(report, Check.PEER_TCP, "has sent nothing for 5 s");
    }

    @Test
    void anotherVersionOfTheProtocol() throws Exception {
        PeerReport report = testAgainst(socket -> socket.getOutputStream().write(hello(2).encode(Protocol.DOCTOR)));
        expectBroken(report, Check.PEER_VERSION, "protocol 1 of rdma4j 1.0 here, protocol 2 of rdma4j 9.9 there");
    }

    @Test
    void endThatGoes() throws Exception {
        PeerReport report = testAgainst(socket -> {
            Line line = new Line(Protocol.DOCTOR, socket);
            line.receive(WHOLE);
            line.send(hello(Message.VERSION));
            line.receive(WHOLE);
            line.send(new Message(Message.Kind.MACHINE, ROCE.fields()));
            line.receive(WHOLE);
        });
        expectBroken(report, Check.PEER_TCP, "; the last request to it was time");
        assertThat(report.there()).contains(ROCE);
    }

    @Test
    void endThatTalksNonsense() throws Exception {
        PeerReport report = testAgainst(socket -> {
            Line line = new Line(Protocol.DOCTOR, socket);
            line.receive(WHOLE);
            line.send(hello(Message.VERSION));
            line.receive(WHOLE);
            line.send(new Message(Message.Kind.MACHINE, ROCE.fields().with("ports", 999)));
            assertThat(line.receive(WHOLE).kind()).isEqualTo(Message.Kind.BYE);
        });
        expectBroken(report, Check.PEER_TCP, "ports is not a number from 0 to 16");
    }

    @Test
    void missingPeerTimesOut() throws Exception {
        PeerReport report = serve(ROCE, Duration.ofSeconds(1)).get(60, TimeUnit.SECONDS);
        expectBroken(report, Check.PEER_TCP, "no peer connected within 1 s");
    }

    @Test
    void portThatIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            PeerReport report = PeerServer.serve(end(ROCE), taken.getLocalPort(), WHOLE, _ -> {});
            expectBroken(report, Check.PEER_TCP, "in use");
        }
    }

    /** A browser, somebody who hangs up, and a later version do not keep the right one out. */
    @Test
    void strangersAreSentAway() throws Exception {
        CompletableFuture<PeerReport> serving = serve(INFINIBAND, WHOLE);
        int port = port();
        try (Socket browser = new Socket("127.0.0.1", port)) {
            browser.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(browser.getInputStream().read()).isNegative();
        } catch (SocketException _) {
            // The end resets the connection, of which it has not read all.
        }
        new Socket("127.0.0.1", port).close();
        try (Line later = new Line(Protocol.DOCTOR, new Socket("127.0.0.1", port))) {
            later.send(hello(2));
            assertThat(later.receive(WHOLE).fields().text("rdma4j")).isEqualTo("1.0");
        }
        assertThat(test(port).there()).contains(INFINIBAND);
        assertThat(serving.get(60, TimeUnit.SECONDS).there()).contains(ROCE);
        assertThat(progress)
                .hasSize(4)
                .anyMatch(line -> line.contains("it sent \"GET / HTTP/1.1"))
                .anyMatch(line -> line.contains("closed the connection"))
                .anyMatch(line -> line.contains("it uses protocol 2 (rdma4j 9.9)"));
    }

    @Test
    void testerThatGoesEndsTheServer() throws Exception {
        CompletableFuture<PeerReport> serving = serve(ROCE, WHOLE);
        try (Line line = new Line(Protocol.DOCTOR, new Socket("127.0.0.1", port()))) {
            line.send(hello(Message.VERSION));
            line.receive(WHOLE);
            line.send(new Message(Message.Kind.MACHINE, ROCE.fields()));
            line.receive(WHOLE);
        }
        expectBroken(serving.get(60, TimeUnit.SECONDS), Check.PEER_TCP, "closed the connection");
    }

    /** Each order with fields that are missing or wrong: an answer or the end, never a hang. */
    @Test
    void ordersThatMakeNoSenseEndTheConversation() throws Exception {
        for (String order :
                List.of("CONNECT", "RECEIVE", "CM_ACCEPT", "DATAGRAMS_SEND", "COUNTERS", "USE_PORT", "DANCE")) {
            CompletableFuture<String> listening = new CompletableFuture<>();
            CompletableFuture<PeerReport> serving = CompletableFuture.supplyAsync(
                    () -> PeerServer.serve(end(ROCE), 0, WHOLE, line -> listening.complete(line)), OWN_THREAD);
            Matcher port = Pattern.compile("TCP port (\\d+)").matcher(listening.get(60, TimeUnit.SECONDS));
            assertThat(port.find()).isTrue();
            try (Line line = new Line(Protocol.DOCTOR, new Socket("127.0.0.1", Integer.parseInt(port.group(1))))) {
                line.send(hello(Message.VERSION));
                line.receive(WHOLE);
                line.send(new Message(
                        Message.Kind.ORDER, new Fields().with("order", order).with("port", "x/1")));
                Message bye = line.receive(WHOLE);
                assertThat(bye.kind()).isEqualTo(Message.Kind.BYE);
                assertThat(bye.fields().text("reason")).startsWith("the other end");
            }
            expectBroken(serving.get(60, TimeUnit.SECONDS), Check.PEER_TCP, "the other end");
        }
    }
}
