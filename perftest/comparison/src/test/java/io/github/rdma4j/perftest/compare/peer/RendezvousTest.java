// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.compare.Samples;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.compare.runner.ServerEnd;
import io.github.rdma4j.perftest.compare.runner.ThreadServers;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.perftest.talk.Line;
import io.github.rdma4j.perftest.talk.Message;
import io.github.rdma4j.perftest.talk.PeerAddress;
import io.github.rdma4j.perftest.talk.PeerLostException;
import io.github.rdma4j.perftest.talk.Protocol;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the hosts of a job and their rendezvous over TCP, with hosts that measure nothing. */
@Timeout(120)
class RendezvousTest {
    private static final Executor OWN_THREAD =
            task -> Thread.ofPlatform().daemon().start(task);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(300);

    private final List<String> progress = Collections.synchronizedList(new ArrayList<>());
    private final Rendezvous rendezvous = new Rendezvous(0, "job 7", 2, LONG, progress::add);
    private final PeerAddress address = new PeerAddress("127.0.0.1", rendezvous.port());

    @AfterEach
    void close() {
        rendezvous.close();
    }

    private record Host() implements ServedMachine {
        @Override
        public ServerMachine describe() {
            return new ServerMachine(
                    "127.0.0.1", "beta", Samples.conditionsOfHardware().environment(), "", false, false);
        }

        @Override
        public ServerEnd servers() {
            return new ThreadServers();
        }

        @Override
        public Map<Metric, Double> measure(RunOrder order, String host) {
            if (host.equals("10.0.0.9")) {
                throw new CompareException("no route to 10.0.0.9", "add one");
            }
            IllegalParameterException.when(host.equals("10.0.0.8"), "-c/--connection: SRD is not allowed");
            return Map.of(Metric.TYPICAL_LATENCY, 2.5, Metric.AVERAGE_LATENCY, (double) order.size());
        }

        @Override
        public Map<String, Long> counters() {
            return Map.of("out_of_sequence", 3L, "Nak Sequence Error", 4L);
        }

        @Override
        public void close() {}
    }

    private CompletableFuture<Void> join(String job, int rank, Function<InetAddress, ServedMachine> preparation) {
        return CompletableFuture.runAsync(
                () -> new Member(job, rank, "host" + rank).serve(address, LONG, preparation), OWN_THREAD);
    }

    @Test
    void hostsCarryOutOrders() throws Exception {
        CompletableFuture<Void> zero = join("job 7", 0, _ -> new Host());
        CompletableFuture<Void> one = join("job 7", 1, _ -> new Host());

        Rendezvous.Arrival[] arrivals = rendezvous.await(LONG, count -> progress.add("arrived: " + count));

        assertThat(progress).containsExactly("arrived: 1", "arrived: 2");
        assertThat(arrivals[1].host()).isEqualTo("host1");
        assertThat(arrivals[1].failure()).isNull();
        RemoteServers remote = arrivals[1].servers();
        assertThat(remote.machine().environment().device()).isEqualTo("mlx5_0");
        assertThat(remote.measure(Samples.order(Samples.LATENCY), "10.0.0.1"))
                .isEqualTo(Map.of(Metric.TYPICAL_LATENCY, 2.5, Metric.AVERAGE_LATENCY, 2.0));
        assertThat(remote.counters()).isEqualTo(Map.of("out_of_sequence", 3L, "Nak Sequence Error", 4L));
        assertThatThrownBy(() -> remote.measure(Samples.order(Samples.LATENCY), "10.0.0.9"))
                .isInstanceOf(CompareException.class)
                .hasMessage("on 127.0.0.1 (beta): no route to 10.0.0.9");
        assertThatThrownBy(() -> remote.measure(Samples.order(Samples.LATENCY), "10.0.0.8"))
                .isInstanceOf(CompareException.class)
                .hasMessage("on 127.0.0.1 (beta): -c/--connection: SRD is not allowed");
        assertThat(remote.freePort()).isPositive();
        remote.close();
        arrivals[0].servers().abort("enough");
        one.get(60, TimeUnit.SECONDS);
        assertThatThrownBy(() -> zero.get(60, TimeUnit.SECONDS)).hasMessageContaining("127.0.0.1 gave up: enough");
    }

    /** For example, an option of the tool instead of the address. */
    @Test
    void invalidAddressEndsTheConversation() {
        CompletableFuture<Void> one = join("job 7", 1, _ -> new Host());
        RemoteServers remote = rendezvous.await(LONG, _ -> rendezvous.close())[1].servers();

        assertThatThrownBy(() -> remote.measure(Samples.order(Samples.LATENCY), "--out_json_file=/etc/passwd"))
                .hasMessageContaining("a run with an invalid address");
        assertThatThrownBy(() -> one.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(BadMessageException.class);
    }

    @Test
    void hostOfAnotherJobOrWithATakenRankIsRefused() throws Exception {
        CompletableFuture<Void> other = join("job 8", 1, _ -> new Host());
        CompletableFuture<Void> outside = join("job 7", 2, _ -> new Host());
        CompletableFuture<Rendezvous.Arrival[]> all =
                CompletableFuture.supplyAsync(() -> rendezvous.await(LONG, _ -> {}), OWN_THREAD);

        assertThatThrownBy(() -> other.get(60, TimeUnit.SECONDS))
                .hasMessageContaining("refuses rank 1: it belongs to job 8, and rank 0 to job 7");
        assertThatThrownBy(() -> outside.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(PerftestException.class);
        CompletableFuture<Void> first = join("job 7", 1, _ -> new Host());
        CompletableFuture<Void> second = join("job 7", 1, _ -> new Host());
        assertThatThrownBy(() -> CompletableFuture.anyOf(first, second).get(60, TimeUnit.SECONDS))
                .hasMessageContaining("refuses rank 1: rank 1 has arrived already");
        try (Socket scanner = new Socket(address.host(), address.port())) {
            scanner.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(scanner.getInputStream().read()).isEqualTo(-1);
        }
        join("job 7", 0, _ -> new Host());
        assertThat(all.get(60, TimeUnit.SECONDS))
                .allSatisfy(each -> assertThat(each.failure()).isNull());
        assertThat(progress).hasSize(4).allSatisfy(line -> assertThat(line).startsWith("refused 127.0.0.1: "));
    }

    @Test
    void hostThatCannotPrepareReportsWhy() {
        CompletableFuture<Void> one = join("job 7", 1, _ -> {
            throw new CompareException("no RDMA device", "");
        });

        Rendezvous.Arrival[] arrivals = rendezvous.await(LONG, _ -> rendezvous.close());

        assertThat(arrivals[0]).isNull();
        assertThat(arrivals[1].servers()).isNull();
        assertThat(arrivals[1].failure()).isEqualTo("no RDMA device");
        assertThatThrownBy(() -> one.get(60, TimeUnit.SECONDS)).hasMessageContaining("no RDMA device");
    }

    @Test
    void hostOfAnotherVersionIsNotWaitedFor() throws Exception {
        join("job 7", 0, _ -> new Host());
        try (Line other = new Line(Protocol.MESH, new Socket(address.host(), address.port()))) {
            other.send(new Message(
                    Message.Kind.HELLO,
                    new Fields()
                            .with(PeerFields.VERSION, "0.2")
                            .with(PeerFields.JOB, "job 7")
                            .with(PeerFields.RANK, 1)
                            .with(PeerFields.HOST, "beta")));

            Rendezvous.Arrival[] arrivals = rendezvous.await(Duration.ofDays(1), _ -> {});

            assertThat(arrivals[1])
                    .isEqualTo(new Rendezvous.Arrival(
                            "beta", null, "it runs rdma4j 0.2, and rank 0 runs " + BuildInfo.version()));
            assertThat(other.receive(LONG).fields().text(PeerFields.REASON)).contains("it runs rdma4j 0.2");
        }
    }

    @Test
    void missingHostsAreNotWaitedForForever() {
        assertThat(rendezvous.await(SHORT, _ -> {})).containsExactly(null, null);
        assertThatThrownBy(() -> new Member("job 7", 1, "late").serve(address, SHORT, _ -> new Host()))
                .isInstanceOf(PerftestException.class)
                .hasMessageStartingWith("rank 1 has not reached rank 0 at " + address + " within 0 s: ");
    }

    @Test
    void anotherProgramInsteadOfRankZeroIsReported() throws Exception {
        try (ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            PeerAddress there = new PeerAddress("127.0.0.1", web.getLocalPort());
            CompletableFuture<Void> member = CompletableFuture.runAsync(
                    () -> new Member("job 7", 1, "host1").serve(there, LONG, _ -> new Host()), OWN_THREAD);
            try (Socket accepted = web.accept()) {
                accepted.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThatThrownBy(() -> member.get(60, TimeUnit.SECONDS))
                        .cause()
                        .isInstanceOfSatisfying(
                                PerftestException.class,
                                failure -> assertThat(failure.remedy())
                                        .isEqualTo("check that --server and --port (default 18518) name rank 0"))
                        .hasMessageStartingWith(
                                there + " does not answer as rank 0 of rdma4j mesh does: it is not rdma4j");
            }
        }
    }

    @Test
    void nameWithoutAddressIsReported() {
        PeerAddress unknown = new PeerAddress("no-such-host.invalid", 1);
        assertThatThrownBy(() -> new Member("job 7", 1, "lost").serve(unknown, SHORT, _ -> new Host()))
                .hasMessageEndingWith(": no address is known for the name no-such-host.invalid");
    }

    /** Otherwise, each later order would get the answer to the order before it. */
    @Test
    void lateAnswerLosesTheHost() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Line member = new Line(Protocol.MESH, new Socket(socket.getInetAddress(), socket.getLocalPort()));
                Line here = new Line(Protocol.MESH, socket.accept())) {
            RemoteServers remote = RemoteServers.accepted(here, new Host().describe(), SHORT);
            assertThatThrownBy(remote::freePort)
                    .isInstanceOf(PeerLostException.class)
                    .hasMessageContaining("has sent nothing");
            assertThat(member.receive(LONG).kind()).isEqualTo(Message.Kind.ORDER);
            member.send(new Message(Message.Kind.ANSWER, new Fields().with(PeerFields.PORT, 1111)));

            assertThatThrownBy(remote::freePort)
                    .isInstanceOf(PeerLostException.class)
                    .hasMessageContaining("has sent nothing");
            Message bye = member.receive(LONG);
            assertThat(bye.kind()).isEqualTo(Message.Kind.BYE);
            assertThat(bye.fields().text(PeerFields.REASON)).contains("has sent nothing");
        }
    }

    @Test
    void hostThatGoesIsLost() {
        join("job 7", 1, _ -> new Host());
        RemoteServers remote = rendezvous.await(LONG, _ -> rendezvous.close())[1].servers();
        remote.close();

        assertThatThrownBy(remote::freePort).isInstanceOf(PeerLostException.class);
    }
}
