// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.github.rdma4j.perftest.doctor.DoctorCommand;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.perftest.talk.Message;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.TestLink;
import io.github.rdma4j.verbs.device.Mtu;
import io.github.rdma4j.verbs.device.PortState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two doctors on real devices: a pair that is well, and pairs that are broken in one way each. */
@Tag("device")
@Timeout(600)
class DoctorPeerDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(150);

    private String address;

    @BeforeEach
    void look() {
        address = RdmaAddress.ofFirstDevice();
    }

    /** An end in a thread of this JVM, which prints to memory. */
    private static final class End {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final ByteArrayOutputStream err = new ByteArrayOutputStream();
        private final CompletableFuture<Integer> status;

        private End(String... arguments) {
            List<String> all = new ArrayList<>(List.of(arguments));
            all.add("--json");
            status = CompletableFuture.supplyAsync(
                    () -> DoctorCommand.run(
                            all,
                            new PrintStream(out, true, StandardCharsets.UTF_8),
                            new PrintStream(err, true, StandardCharsets.UTF_8)),
                    // On one CPU the common pool has one thread, and one end would keep the other from running.
                    task -> Thread.ofPlatform().daemon().start(task));
        }

        static End serving(String... options) {
            List<String> all = new ArrayList<>(List.of("--serve", "--port", "0"));
            all.addAll(List.of(options));
            return new End(all.toArray(String[]::new));
        }

        int port() throws InterruptedException {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            Matcher port;
            do {
                assertThat(System.nanoTime())
                        .as(err.toString(StandardCharsets.UTF_8))
                        .isLessThan(deadline);
                Thread.sleep(10);
                port = Pattern.compile("TCP port (\\d+)").matcher(err.toString(StandardCharsets.UTF_8));
            } while (!port.find());
            return Integer.parseInt(port.group(1));
        }

        int status() throws Exception {
            return status.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        JsonNode document() throws Exception {
            status();
            return new ObjectMapper().readTree(out.toString(StandardCharsets.UTF_8));
        }
    }

    @Test
    void doctorsMeetByAScopedIpv6Address() throws Exception {
        String host = RdmaAddress.linkLocalOfFirstDevice();
        End server = End.serving();
        End client = new End("--peer", "[" + host + "]:" + server.port());
        expect(client.document(), "cm-connection", "OK");
        expect(client.document(), "load", "OK", "Gb/s");
        expect(server.document(), "peer-tcp", "OK", "all tests have run");
    }

    private End test(int port, String... options) {
        List<String> all = new ArrayList<>(List.of("--peer", address + ":" + port));
        all.addAll(List.of(options));
        return new End(all.toArray(String[]::new));
    }

    /** The last finding of this name: the first one can be of the beginning. */
    private static JsonNode finding(JsonNode document, String id) {
        JsonNode last = null;
        for (JsonNode finding : document.get("findings")) {
            last = finding.get("id").asText().equals(id) ? finding : last;
        }
        assertThat(last).as(id + " in " + document.toPrettyString()).isNotNull();
        return last;
    }

    private static void expect(JsonNode document, String id, String state, String... words) {
        JsonNode finding = finding(document, id);
        assertThat(finding.get("state").asText()).as(finding.toPrettyString()).isEqualTo(state);
        for (String each : words) {
            assertThat(finding.toString()).contains(each);
        }
    }

    private static boolean has(JsonNode document, String id) {
        return document.findValuesAsText("id").contains(id);
    }

    private static void run(String command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(command.split(" ")).inheritIO().start().waitFor())
                .as(command)
                .isZero();
    }

    private static String networkInterface(Device device) throws IOException {
        return Files.readString(device.sysfsPath().resolve("parent")).strip();
    }

    private static void await(Device device, Predicate<DeviceContext> condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (DeviceContext context = DeviceContext.open(device)) {
            while (!condition.test(context)) {
                assertThat(System.nanoTime()).as(context.port(1).toString()).isLessThan(deadline);
                Thread.sleep(20);
            }
        }
    }

    @Test
    void healthyPairIsOk() throws Exception {
        End server = End.serving();
        JsonNode found = test(server.port()).document();
        for (JsonNode finding : found.get("findings")) {
            // SoftRoCE on a busy machine sends again now and then.
            if (!finding.get("id").asText().equals("loss")) {
                assertThat(finding.get("state").asText())
                        .as(finding.toPrettyString())
                        .isEqualTo("OK");
            }
        }
        expect(found, "path-mtu", "OK", "4096 bytes arrive");
        expect(found, "load", "OK", "Gb/s");
        assertThat(found.findValuesAsText("id"))
                .contains("cm-connection", "rc-connection", "rdma-write", "rdma-read", "atomics", "datagrams")
                .contains("large-message", "loss", "pair-gid", "pair-vlan", "pair-clock");
        assertThat(found.at("/peer/there/ports/0")).isEqualTo(found.at("/peer/here/ports/0"));
        assertThat(server.status()).isEqualTo(found.get("exit_status").asInt());
        expect(server.document(), "peer-tcp", "OK", "all tests have run");
    }

    /** Of two devices of one machine none reaches the other: both addresses are local. */
    @Test
    void smallerMtuAndNoWayBetweenTheDevices() throws Exception {
        List<Device> devices = Device.list();
        Device one = devices.get(0);
        Device other = devices.get(1);
        String narrow = networkInterface(one);
        run("ip link set " + narrow + " mtu 1500");
        try {
            await(one, context -> context.port(1).activeMtu() == Mtu.MTU_1024);
            End server = End.serving("--device", other.name());
            JsonNode found =
                    test(server.port(), "--device", one.name(), "--load", "0").document();
            expect(
                    found,
                    "pair-mtu",
                    "WARNING",
                    "1024 bytes here, 4096 bytes at " + address,
                    "here: ip link set " + narrow + " mtu 4200");
            expect(found, "rc-connection", "FAIL", "did not resolve", "cannot find the other end's GID");
            expect(found, "cm-address", "FAIL");
            assertThat(found.get("exit_status").asInt()).isEqualTo(3);
            assertThat(has(found, "rdma-write")).isFalse();
            assertThat(server.status()).isEqualTo(3);
        } finally {
            run("ip link set " + narrow + " mtu 4200");
            await(one, context -> context.port(1).activeMtu() == Mtu.MTU_4096);
        }
    }

    @Test
    void portThatIsDown() throws Exception {
        Device device = Device.list().getFirst();
        var link = new TestLink(device);
        link.down();
        try {
            await(device, context -> context.port(1).state() == PortState.DOWN);
            End server = End.serving();
            JsonNode found = new End("--peer", "127.0.0.1:" + server.port()).document();
            expect(found, "pair-port", "FAIL", "DOWN", "ip link set");
            expect(found, "peer-health", "WARNING", "switched off");
            assertThat(found.get("exit_status").asInt()).isEqualTo(3);
            assertThat(has(found, "rc-connection")).isFalse();
        } finally {
            link.up();
            link.awaitSameTable();
        }
    }

    private JsonNode meddled(UnaryOperator<Message> toServer, UnaryOperator<Message> toClient) throws Exception {
        End server = End.serving();
        try (Meddler meddler = new Meddler(address, server.port(), toServer, toClient)) {
            JsonNode found = test(meddler.port(), "--load", "0").document();
            server.status();
            return found;
        }
    }

    private static boolean isOrder(Message message, String order) {
        return message.kind() == Message.Kind.ORDER
                && message.fields().text("order").equals(order);
    }

    /** The same answer with the number of a queue pair that there is not: nothing acknowledges what is sent to it. */
    private static Message unanswered(Message answer) {
        QueuePairEndpoint right = QueuePairEndpoint.fromBytes(
                HexFormat.of().parseHex(answer.fields().text("endpoint")));
        QueuePairEndpoint wrong = new QueuePairEndpoint(
                right.queuePairNumber() ^ 0x800000,
                right.packetSequenceNumber(),
                right.lid(),
                right.gid(),
                right.mtu());
        return new Message(
                Message.Kind.ANSWER,
                new Fields()
                        .withAll("", answer.fields())
                        .with("endpoint", HexFormat.of().formatHex(wrong.toBytes())));
    }

    /** As if a firewall dropped the packets of connections that are made by hand. */
    @Test
    void packetsThatNobodyAcknowledges() throws Exception {
        AtomicInteger connects = new AtomicInteger();
        JsonNode found = meddled(
                message -> {
                    connects.addAndGet(isOrder(message, "CONNECT") ? 1 : 0);
                    return message;
                },
                message -> message.kind() == Message.Kind.ANSWER
                                && message.fields().has("endpoint")
                        ? unanswered(message)
                        : message);
        expect(found, "cm-connection", "OK");
        expect(found, "rc-connection", "FAIL", "RETRY_EXC_ERR", "here -> " + address, "--gid-index");
        // The rest is tested over the connection that works.
        expect(found, "rdma-write", "OK");
        expect(found, "large-message", "OK");
        assertThat(connects).hasValue(1);
        assertThat(found.get("exit_status").asInt()).isEqualTo(1);
    }

    /** As if a switch on the way took frames of 1500 bytes only. */
    @Test
    void packetsThatAreTooLargeForThePath() throws Exception {
        AtomicInteger mtu = new AtomicInteger();
        AtomicInteger connects = new AtomicInteger();
        JsonNode found = meddled(
                message -> {
                    if (isOrder(message, "CONNECT")) {
                        mtu.set(message.fields().integer("mtu", 256, 4096));
                        connects.incrementAndGet();
                    }
                    return message;
                },
                message -> message.kind() == Message.Kind.ANSWER
                                && message.fields().has("memory")
                                && message.fields().has("endpoint")
                                && connects.get() > 2
                                && mtu.get() > 1024
                        ? unanswered(message)
                        : message);
        expect(found, "rc-connection", "OK");
        expect(
                found,
                "path-mtu",
                "FAIL",
                "RETRY_EXC_ERR",
                "at path MTU 2048",
                "smaller ones arrive",
                "ping -M do -s 2078");
        assertThat(has(found, "large-message")).isFalse();
        assertThat(found.get("exit_status").asInt()).isEqualTo(1);
    }

    /** As if the two programs had chosen their path MTUs without each other. */
    @Test
    void queuePairsOfDifferentPathMtus() throws Exception {
        JsonNode found = meddled(
                message -> isOrder(message, "CONNECT")
                                && message.fields().text("mtu").equals("4096")
                        ? new Message(
                                Message.Kind.ORDER,
                                new Fields().withAll("", message.fields()).with("mtu", 1024))
                        : message,
                UnaryOperator.identity());
        expect(found, "path-mtu", "FAIL", "the same path MTU, here 4096");
    }

    @Test
    void anotherVersionOfTheProtocol() throws Exception {
        End server = End.serving("--timeout", "60");
        UnaryOperator<Message> later = message -> new Message(7, message.kind(), message.fields());
        try (Meddler meddler = new Meddler(address, server.port(), UnaryOperator.identity(), later)) {
            JsonNode found = test(meddler.port()).document();
            expect(found, "peer-version", "FAIL", "protocol 7", "install the same version");
            assertThat(found.get("exit_status").asInt()).isEqualTo(3);
        }
        // It was a client to this end, which has gone.
        expect(server.document(), "peer-tcp", "FAIL", "closed the connection");
    }

    @Test
    void webServerAtThePort() throws Exception {
        HttpServer web = HttpServer.create(new InetSocketAddress(0), 0);
        web.start();
        try {
            JsonNode found = test(web.getAddress().getPort()).document();
            // This one waits for the end of a request; those that answer at once are quoted.
            expect(found, "peer-tcp", "FAIL", "a program accepts connections there", "ss -ltnp");
        } finally {
            web.stop(0);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Lets everything pass, and something happen before an order does. */
    private Meddler listener(int server, String order, Runnable before) throws IOException {
        return new Meddler(
                address,
                server,
                message -> {
                    if (isOrder(message, order)) {
                        before.run();
                    }
                    return message;
                },
                UnaryOperator.identity());
    }

    /** Under load, when only the adapter would notice it: within the time that its retries take. */
    @Test
    void peerThatIsKilled() throws Exception {
        int port = freePort();
        CountDownLatch load = new CountDownLatch(1);
        try (PeerProcess server = PeerProcess.ofJava(List.of(), "doctor --serve --port " + port)
                        .awaitListening(port);
                Meddler listener = listener(port, "COUNTERS", load::countDown)) {
            End client = test(listener.port(), "--load", "120");
            assertThat(load.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            server.kill();
            JsonNode found = client.document();
            expect(found, "peer-tcp", "FAIL", "the last request to it was ");
            expect(found, "large-message", "OK");
            assertThat(found.get("exit_status").asInt()).isEqualTo(3);
        }
    }

    @Test
    void testerThatIsKilled() throws Exception {
        End server = End.serving();
        CompletableFuture<PeerProcess> client = new CompletableFuture<>();
        // The order goes on behind it: a client that lives would be done before somebody who is late kills it.
        Runnable killing = () -> {
            try {
                client.join().kill();
                client.join().await(PATIENCE);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        };
        try (Meddler listener = listener(server.port(), "RECEIVE", killing);
                PeerProcess process =
                        PeerProcess.ofJava(List.of(), "doctor --peer " + address + ":" + listener.port())) {
            client.complete(process);
            expect(server.document(), "peer-tcp", "FAIL", "the testing end disappeared before it was done");
            assertThat(server.status()).isEqualTo(3);
        }
    }
}
