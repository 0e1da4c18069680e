// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.rdma4j.perftest.compare.Samples;
import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.plan.TcpMode;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.compare.runner.ServerEnd;
import io.github.rdma4j.perftest.compare.runner.ServerProgram;
import io.github.rdma4j.perftest.compare.runner.Serving;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.perftest.talk.Line;
import io.github.rdma4j.perftest.talk.Message;
import io.github.rdma4j.perftest.talk.PeerAddress;
import io.github.rdma4j.perftest.talk.PeerLostException;
import io.github.rdma4j.perftest.talk.Protocol;
import java.io.IOException;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests both ends over TCP, with servers that only record the requests. */
@Timeout(600)
class ServedComparisonTest {
    /** On one CPU the common pool has one thread, and one end would keep the other from running. */
    private static final Executor OWN_THREAD =
            task -> Thread.ofPlatform().daemon().start(task);

    private static final Request REQUEST =
            new Request(List.of(Tool.WRITE_LATENCY, Tool.WRITE_BANDWIDTH), TcpMode.BLOCK);
    private static final RunOrder ORDER = Samples.order(Samples.LATENCY);
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Deadline SOON = Deadline.in(LIMIT);

    private final List<String> done = Collections.synchronizedList(new ArrayList<>());
    private final List<String> progress = Collections.synchronizedList(new ArrayList<>());
    private final CompletableFuture<String> waiting = new CompletableFuture<>();

    /** Writes down what it is asked for. */
    private class Recorder implements ServerEnd, ServedMachine {
        @Override
        public ServerMachine describe() {
            return new ServerMachine(
                    "10.0.0.1",
                    "alpha",
                    Samples.conditionsOfHardware().environment(),
                    "/opt/perftest/bin",
                    true,
                    false);
        }

        @Override
        public ServerEnd servers() {
            return this;
        }

        @Override
        public String host() {
            return "nobody asks";
        }

        @Override
        public int freePort() {
            return 20_001;
        }

        @Override
        public long busy() {
            return 7;
        }

        @Override
        public Serving serve(ServerProgram program, RunOrder order, Deadline deadline) {
            if (program == ServerProgram.IPERF) {
                throw new CompareException("there is no iperf3 on the PATH", "apt-get install iperf3");
            }
            done.add(program + " " + order.tool().command() + " " + order.device() + " " + order.gidIndex()
                    + (order.ipv6() ? " IPv6" : ""));
            return new Serving() {
                @Override
                public long finish(Deadline until) {
                    done.add("finish");
                    awaitEnd();
                    return 1_000;
                }

                @Override
                public String complaint() {
                    return "no memory";
                }

                @Override
                public void close() {
                    done.add("end");
                }
            };
        }

        void awaitEnd() {}

        @Override
        public void close() {
            done.add("close");
        }
    }

    /** A program that comes to no end, until it is killed. */
    private final class Hanging extends Recorder {
        private final CountDownLatch killed = new CountDownLatch(1);

        @Override
        void awaitEnd() {
            try {
                if (!killed.await(300, TimeUnit.SECONDS)) {
                    done.add("nobody killed it");
                }
            } catch (InterruptedException failure) {
                throw new IllegalStateException(failure);
            }
            throw new CompareException("it ended with status 137", "");
        }

        @Override
        public void close() {
            super.close();
            killed.countDown();
        }
    }

    private CompletableFuture<Void> serve(ServedMachine.Preparation preparation, Duration patience, String version) {
        return CompletableFuture.runAsync(
                () -> new CompareServer(
                                preparation,
                                line -> {
                                    progress.add(line);
                                    waiting.complete(line);
                                },
                                version)
                        .serve(0, patience),
                OWN_THREAD);
    }

    private CompletableFuture<Void> serve() {
        return serve((_, _) -> new Recorder(), Duration.ofSeconds(60), BuildInfo.version());
    }

    private PeerAddress address() throws Exception {
        return address("127.0.0.1");
    }

    private PeerAddress address(String host) throws Exception {
        Matcher port = Pattern.compile("TCP port (\\d+)").matcher(waiting.get(60, TimeUnit.SECONDS));
        assertThat(port.find()).isTrue();
        return new PeerAddress(host, Integer.parseInt(port.group(1)));
    }

    /** A client that has finished the handshake and sends any message. */
    private Line stranger() throws Exception {
        Line line = new Line(Protocol.COMPARE, new Socket("127.0.0.1", address().port()));
        line.send(new Message(Message.Kind.HELLO, new Fields().with("rdma4j", BuildInfo.version())));
        line.receive(Duration.ofSeconds(20));
        return line;
    }

    private static Throwable failure(CompletableFuture<Void> serving) throws InterruptedException, TimeoutException {
        try {
            serving.get(30, TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException failure) {
            return failure.getCause();
        }
    }

    @Test
    void serversRunThereOnItsOwnDeviceAndTheEndsPart() throws Exception {
        CompletableFuture<Void> serving = serve();
        try (RemoteServers remote = RemoteServers.connect(address(), REQUEST)) {
            assertThat(remote.machine())
                    .isEqualTo(new ServerMachine(
                            "127.0.0.1",
                            "alpha",
                            Samples.conditionsOfHardware().environment(),
                            "/opt/perftest/bin",
                            true,
                            false));
            assertThat(remote.host()).isEqualTo("127.0.0.1");
            assertThat(remote.freePort()).isEqualTo(20_001);
            assertThat(remote.busy()).isGreaterThanOrEqualTo(7);
            for (ServerProgram program : List.of(ServerProgram.JAVA, ServerProgram.C)) {
                try (Serving server = remote.serve(program, ORDER, SOON)) {
                    // Nobody else's children end meanwhile, so that this is all.
                    assertThat(server.finish(SOON)).isEqualTo(1_000);
                }
            }
            try (Serving server = remote.serve(ServerProgram.TCP_JAVA, ORDER, SOON)) {
                assertThat(server.complaint()).isEqualTo("no memory");
            }
        }

        assertThat(failure(serving)).isNull();
        assertThat(done)
                .containsExactly(
                        "JAVA ib_write_lat mlx5_0 1",
                        "finish",
                        "end",
                        "C ib_write_lat mlx5_0 1",
                        "finish",
                        "end",
                        "TCP_JAVA ib_write_lat mlx5_0 1",
                        "end",
                        "close");
        assertThat(progress.getLast()).isEqualTo("the comparison of 127.0.0.1 has ended after 2 runs");
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
    void serversAreReachedByEachIpv6Address(InetAddress address) throws Exception {
        CompletableFuture<Void> serving = serve();
        try (RemoteServers remote = RemoteServers.connect(address(address.getHostAddress()), REQUEST)) {
            assertThat(remote.isIpv6()).isTrue();
            assertThat(InetAddress.ofLiteral(remote.host())).isEqualTo(address);
            remote.serve(ServerProgram.C, ORDER.overIpv6(remote.isIpv6()), SOON).close();
        }
        assertThat(failure(serving)).isNull();
        assertThat(done).startsWith("C ib_write_lat mlx5_0 1 IPv6");
    }

    @Test
    void remoteFailureNamesTheMachineAndTheNextRunContinues() throws Exception {
        CompletableFuture<Void> serving = serve();
        try (RemoteServers remote = RemoteServers.connect(address(), REQUEST)) {
            assertThatThrownBy(() -> remote.serve(ServerProgram.IPERF, ORDER, SOON))
                    .isInstanceOf(CompareException.class)
                    .hasMessage("on 127.0.0.1 (alpha): there is no iperf3 on the PATH")
                    .extracting(failure -> ((PerftestException) failure).remedy())
                    .isEqualTo("apt-get install iperf3");
            remote.serve(ServerProgram.C, ORDER, SOON).close();
        }
        assertThat(failure(serving)).isNull();
    }

    @Test
    void missingRemoteProgramIsReportedOnBothMachines() throws Exception {
        CompletableFuture<Void> serving = serve(
                (_, _) -> {
                    throw new CompareException("C's ib_write_lat is not on the PATH", "install the package perftest");
                },
                Duration.ofSeconds(60),
                BuildInfo.version());

        assertThatThrownBy(() -> RemoteServers.connect(address(), REQUEST))
                .isInstanceOf(CompareException.class)
                .hasMessage("on 127.0.0.1: C's ib_write_lat is not on the PATH")
                .extracting(failure -> ((PerftestException) failure).remedy())
                .isEqualTo("install the package perftest");
        assertThat(failure(serving)).hasMessage("C's ib_write_lat is not on the PATH");
    }

    @Test
    void anotherVersionIsRefusedInWordsAndTheRightOneServedAfterwards() throws Exception {
        CompletableFuture<Void> serving = serve();

        assertThatThrownBy(() -> RemoteServers.connect(address(), REQUEST, "9.9"))
                .isInstanceOf(CompareException.class)
                .hasMessage("127.0.0.1 runs rdma4j " + BuildInfo.version() + ", and this machine runs 9.9");
        RemoteServers.connect(address(), REQUEST).close();

        assertThat(failure(serving)).isNull();
        assertThat(progress)
                .contains("refused 127.0.0.1: it runs rdma4j 9.9, and this machine runs " + BuildInfo.version()
                        + ". Install the same version on both machines");
    }

    @Test
    void missingServerIsReported() throws IOException {
        int port;
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = taken.getLocalPort();
        }
        assertThatThrownBy(() -> RemoteServers.connect(new PeerAddress("127.0.0.1", port), REQUEST))
                .isInstanceOf(CompareException.class)
                .hasMessageContaining("no program accepts connections there")
                .extracting(failure -> ((PerftestException) failure).remedy())
                .isEqualTo("on that machine, run rdma4j compare --serve --port " + port);
    }

    @Test
    void foreignClientIsReported() throws Exception {
        try (ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> speaking = CompletableFuture.runAsync(
                    () -> {
                        try (Socket socket = web.accept()) {
                            socket.getOutputStream().write("HTTP/1.1 400 Bad".getBytes(StandardCharsets.US_ASCII));
                        } catch (IOException failure) {
                            throw new AssertionError(failure);
                        }
                    },
                    OWN_THREAD);
            assertThatThrownBy(() -> RemoteServers.connect(new PeerAddress("127.0.0.1", web.getLocalPort()), REQUEST))
                    .isInstanceOf(CompareException.class)
                    .hasMessageContaining("does not answer as rdma4j compare --serve does")
                    .hasMessageContaining("HTTP/1.1 400 Bad");
            speaking.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void missingPeerTimesOut() throws Exception {
        Throwable failure = failure(serve((_, _) -> new Recorder(), Duration.ofSeconds(1), BuildInfo.version()));

        assertThat(failure).isInstanceOf(CompareException.class).hasMessage("no peer connected within 1 s (--timeout)");
    }

    @Test
    void strangersAreSentAwayAndTheComparisonIsServed() throws Exception {
        CompletableFuture<Void> serving = serve();
        try (Socket web = new Socket("127.0.0.1", address().port())) {
            web.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            // Until it has been sent away.
            while (web.getInputStream().read() >= 0) {}
        } catch (IOException _) {
            // The server had unread data when it closed.
        }
        // A doctor speaks another protocol.
        try (Line doctor =
                new Line(Protocol.DOCTOR, new Socket("127.0.0.1", address().port()))) {
            doctor.send(new Message(Message.Kind.HELLO, new Fields().with("rdma4j", BuildInfo.version())));
            assertThat(catchThrowable(() -> doctor.receive(Duration.ofSeconds(20))))
                    .isInstanceOf(PerftestException.class);
        }
        RemoteServers.connect(address(), REQUEST).close();

        assertThat(failure(serving)).isNull();
        assertThat(progress)
                .filteredOn(line -> line.startsWith("refused 127.0.0.1: it is not rdma4j compare"))
                .hasSize(2);
    }

    @Test
    void clientThatGoesEndsTheServers() throws Exception {
        CompletableFuture<Void> serving = serve();
        try (Line line = stranger()) {
            line.send(new Message(Message.Kind.MACHINE, REQUEST.fields()));
            line.receive(Duration.ofSeconds(20));
            order(line, "SERVE", "C", ORDER.encode());
            line.receive(Duration.ofSeconds(20));
        }

        assertThat(failure(serving))
                .isInstanceOf(PeerLostException.class)
                .hasMessage("127.0.0.1: the other end has closed the connection");
        assertThat(done).containsExactly("C ib_write_lat mlx5_0 1", "end", "close");
    }

    /** Its conversation is over only if the program ends. */
    private Line finishing() throws Exception {
        Line line = stranger();
        line.send(new Message(Message.Kind.MACHINE, REQUEST.fields()));
        line.receive(Duration.ofSeconds(20));
        order(line, "SERVE", "C", ORDER.encode());
        line.receive(Duration.ofSeconds(20));
        order(line, "FINISH", "C", "");
        await(() -> done.contains("finish"));
        return line;
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(5);
        }
    }

    @Test
    void clientThatGoesWhileTheEndOfARunIsAwaitedEndsTheServers() throws Exception {
        CompletableFuture<Void> serving = serve((_, _) -> new Hanging(), LIMIT, BuildInfo.version());
        finishing().close();

        assertThat(failure(serving))
                .isInstanceOf(PeerLostException.class)
                .hasMessage("127.0.0.1: the other end has closed the connection");
        assertThat(done)
                .startsWith("C ib_write_lat mlx5_0 1", "finish", "close")
                .contains("end");
    }

    @Test
    void clientThatDoesNotWaitForTheEndOfARunEndsTheServers() throws Exception {
        CompletableFuture<Void> serving = serve((_, _) -> new Hanging(), LIMIT, BuildInfo.version());
        try (Line line = finishing()) {
            order(line, "BUSY", "C", "");
            assertThat(line.receive(LIMIT).kind()).isEqualTo(Message.Kind.BYE);
        }

        assertThat(failure(serving))
                .isInstanceOf(BadMessageException.class)
                .hasMessage("the other end sent ORDER out of turn");
    }

    @Test
    void clientThatGivesUpDuringARunReportsWhy() throws Exception {
        CompletableFuture<Void> serving = serve((_, _) -> new Hanging(), LIMIT, BuildInfo.version());
        try (Line line = finishing()) {
            line.send(new Message(Message.Kind.BYE, new Fields().with("reason", "ended by a signal")));
        }

        assertThat(failure(serving)).hasMessage("127.0.0.1 gave up after 0 runs: ended by a signal");
    }

    @Test
    void clientThatGivesUpReportsWhy() throws Exception {
        CompletableFuture<Void> serving = serve();
        try (RemoteServers remote = RemoteServers.connect(address(), REQUEST)) {
            remote.serve(ServerProgram.C, ORDER, SOON);
            remote.abort("ended by a signal");
        }

        assertThat(failure(serving))
                .isInstanceOf(CompareException.class)
                .hasMessage("127.0.0.1 gave up after 0 runs: ended by a signal");
        assertThat(done).containsExactly("C ib_write_lat mlx5_0 1", "end", "close");
    }

    /** A client that goes as soon as a run has begun. */
    @Test
    void lostServedMachineIsDetectedAtOnce() throws Exception {
        CompletableFuture<Void> serving;
        try (ServerSocket there = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<?> running = new CompletableFuture<>();
            serving = CompletableFuture.runAsync(() -> beginARunAndGo(there, running), OWN_THREAD);
            try (RemoteServers remote =
                            RemoteServers.connect(new PeerAddress("127.0.0.1", there.getLocalPort()), REQUEST);
                    Serving server = remote.serve(ServerProgram.JAVA, ORDER, SOON)) {
                server.check();
                assertThat(server.ended()).isNotDone();
                running.complete(null);

                server.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS);

                assertThatThrownBy(server::check)
                        .isInstanceOf(PeerLostException.class)
                        .hasMessage("127.0.0.1: the other end has closed the connection");
                assertThat(server.complaint()).contains("connection");
            }
            serving.get(20, TimeUnit.SECONDS);
        }
    }

    private void beginARunAndGo(ServerSocket there, CompletableFuture<?> running) {
        Message machine = new Message(Message.Kind.MACHINE, MachineFields.of(new Recorder().describe()));
        try (Line line = new Line(Protocol.COMPARE, there.accept())) {
            line.receive(LIMIT);
            line.send(new Message(Message.Kind.HELLO, new Fields().with("rdma4j", BuildInfo.version())));
            line.receive(LIMIT);
            line.send(machine);
            line.receive(LIMIT);
            line.send(new Message(Message.Kind.ANSWER, new Fields()));
            running.join();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    void servedMachineThatGoesEndsTheRun() throws Exception {
        CompletableFuture<Void> serving;
        try (ServerSocket there = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            serving = CompletableFuture.runAsync(
                    () -> beginARunAndGo(there, CompletableFuture.completedFuture(null)), OWN_THREAD);
            try (RemoteServers remote =
                            RemoteServers.connect(new PeerAddress("127.0.0.1", there.getLocalPort()), REQUEST);
                    Serving server = remote.serve(ServerProgram.JAVA, ORDER, SOON)) {
                serving.get(20, TimeUnit.SECONDS);
                assertThatThrownBy(() -> server.finish(SOON))
                        .isInstanceOf(PeerLostException.class)
                        .hasMessageStartingWith("127.0.0.1: the ");
                assertThat(server.complaint()).contains("connection");
            }
        }
    }

    private static void order(Line line, String order, String program, String run) {
        line.send(new Message(
                Message.Kind.ORDER,
                new Fields().with("order", order).with("program", program).with("run", run)));
    }

    /** Nothing is started by them, and the conversation ends. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "EXEC|C|",
                "SERVE|/bin/sh|",
                "SERVE|SHELL|",
                "FINISH|C|",
                "STOP|C|",
                "serve|C|",
                "SERVE|C|device=rxe0;reboot",
                "SERVE|C|iterations=0",
                "SERVE|C|connection=-F",
                "SERVE|C|port=0",
                "SERVE|JAVA|mtu=1000"
            })
    void invalidOrderIsRefused(String text) throws Exception {
        String[] words = text.split("\\|", -1);
        CompletableFuture<Void> serving = serve();
        try (Line line = stranger()) {
            line.send(new Message(Message.Kind.MACHINE, REQUEST.fields()));
            line.receive(Duration.ofSeconds(20));
            String key = words[2].replaceAll("=.*", "=");
            order(
                    line,
                    words[0],
                    words[1],
                    words[2].isEmpty()
                            ? ORDER.encode()
                            : ORDER.encode()
                                    .replaceAll("(^| )" + key + "\\S*", " " + words[2])
                                    .strip());
            assertThat(line.receive(Duration.ofSeconds(20)).kind()).isEqualTo(Message.Kind.BYE);
        }
        assertThat(failure(serving)).isInstanceOf(BadMessageException.class);
        assertThat(done).containsExactly("close");
    }

    @Test
    void twoServersAtOnceAreRefused() throws Exception {
        CompletableFuture<Void> serving = serve();
        try (Line line = stranger()) {
            line.send(new Message(Message.Kind.MACHINE, REQUEST.fields()));
            line.receive(Duration.ofSeconds(20));
            order(line, "SERVE", "C", ORDER.encode());
            line.receive(Duration.ofSeconds(20));
            order(line, "SERVE", "C", ORDER.encode());
            assertThat(line.receive(Duration.ofSeconds(20)).kind()).isEqualTo(Message.Kind.BYE);
        }
        assertThat(failure(serving)).isInstanceOf(BadMessageException.class);
        assertThat(done).containsExactly("C ib_write_lat mlx5_0 1", "end", "close");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ib_write_lat,ib_write_lat", "sh", "../../bin/sh", "ib_write_lat,"})
    void unknownToolIsRefused(String tools) throws Exception {
        CompletableFuture<Void> serving = serve();
        try (Line line = stranger()) {
            line.send(new Message(
                    Message.Kind.MACHINE, new Fields().with("tools", tools).with("tcp", "none")));
            assertThat(line.receive(Duration.ofSeconds(20)).kind()).isEqualTo(Message.Kind.BYE);
        }
        assertThat(failure(serving)).isInstanceOf(BadMessageException.class);
        assertThat(done).isEmpty();
    }
}
