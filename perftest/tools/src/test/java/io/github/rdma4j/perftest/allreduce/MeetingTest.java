// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.exit.RunFailedException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MeetingTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final long MAGIC = 0x7264_6d61_346a_4102L;

    /** The common pool may have one thread alone. */
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private final ServerSocket server = Meeting.listen(Meeting.here());

    @AfterEach
    void closeServer() throws IOException {
        server.close();
        threads.shutdownNow();
    }

    private InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    private CompletableFuture<Meeting> host(int ranks) {
        return CompletableFuture.supplyAsync(() -> Meeting.host(server, ranks, "same", LIMIT, () -> {}), threads);
    }

    private CompletableFuture<Meeting> join(int rank, int ranks) {
        return CompletableFuture.supplyAsync(() -> Meeting.join(address(), rank, ranks, "same", LIMIT), threads);
    }

    private static String exchange(Meeting meeting, String mine) {
        return new String(
                meeting.exchange(
                        mine.getBytes(StandardCharsets.UTF_8),
                        all -> all.stream()
                                .map(each -> new String(each, StandardCharsets.UTF_8))
                                .collect(Collectors.joining("+"))
                                .getBytes(StandardCharsets.UTF_8)),
                StandardCharsets.UTF_8);
    }

    @Test
    void allRanksReceiveTheSameFromRankZero() throws Exception {
        CompletableFuture<Meeting> zero = host(3);
        CompletableFuture<Meeting> two = join(2, 3);
        CompletableFuture<Meeting> one = join(1, 3);
        try (Meeting first = zero.get(20, TimeUnit.SECONDS);
                Meeting second = one.get(20, TimeUnit.SECONDS);
                Meeting third = two.get(20, TimeUnit.SECONDS)) {
            CompletableFuture<String> ofSecond = CompletableFuture.supplyAsync(() -> exchange(second, "b"), threads);
            CompletableFuture<String> ofThird = CompletableFuture.supplyAsync(() -> exchange(third, "c"), threads);
            assertThat(exchange(first, "a")).isEqualTo("a+b+c");
            assertThat(ofSecond.get(20, TimeUnit.SECONDS)).isEqualTo("a+b+c");
            assertThat(ofThird.get(20, TimeUnit.SECONDS)).isEqualTo("a+b+c");
            third.close();
            CompletableFuture.runAsync(() -> exchange(second, "b"), threads);
            assertThatExceptionOfType(RunFailedException.class)
                    .isThrownBy(() -> exchange(first, "a"))
                    .withMessageStartingWith("rank 2 has gone")
                    .satisfies(e -> assertThat(e.peerLost()).isTrue());
        }
    }

    @Test
    void guestsThatAreNoRanks() throws Exception {
        CompletableFuture<Meeting> zero = host(2);
        try (Socket silent = new Socket()) {
            silent.connect(address());
            silent.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
        assertThat(refusal(1, 3, "same")).isEqualTo("rank 0 expects 2 ranks, this one 3");
        assertThat(refusal(2, 2, "same")).isEqualTo("there is a rank 2 already");
        assertThat(refusal(0, 2, "same")).isEqualTo("there is a rank 0 already");
        assertThat(refusal(1, 2, "other")).isEqualTo("rank 0 measures same, this one other");
        try (Socket liar = new Socket();
                DataOutputStream out = hello(liar, 1, 2, "same");
                Meeting meeting = zero.get(20, TimeUnit.SECONDS)) {
            out.writeInt(Integer.MAX_VALUE);
            assertThatExceptionOfType(RunFailedException.class)
                    .isThrownBy(meeting::barrier)
                    .withMessage("rank 1 announces 2147483647 bytes");
        }
    }

    private DataOutputStream hello(Socket socket, int rank, int ranks, String common) throws IOException {
        socket.connect(address());
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeLong(MAGIC);
        out.writeInt(rank);
        out.writeInt(ranks);
        out.writeUTF(common);
        return out;
    }

    private String refusal(int rank, int ranks, String common) throws IOException {
        try (Socket socket = new Socket();
                DataOutputStream _ = hello(socket, rank, ranks, common)) {
            return new DataInputStream(socket.getInputStream()).readUTF();
        }
    }

    @Test
    void missingPeerTimesOut() {
        assertThatExceptionOfType(RunFailedException.class)
                .isThrownBy(() -> Meeting.host(server, 2, "same", Duration.ofMillis(300), () -> {}))
                .withMessage("1 of 2 ranks have come within 0 s");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> Meeting.host(server, 2, "same", LIMIT, () -> {
                    throw new IllegalStateException("a child is dead");
                }))
                .withMessage("a child is dead");
        assertThatExceptionOfType(PerftestException.class)
                .isThrownBy(() -> Meeting.listen(address()))
                .withMessageContaining("rank 0 cannot wait for the others at")
                .satisfies(e -> assertThat(e.remedy()).contains("a port that is free"));
        assertThatExceptionOfType(PerftestException.class)
                .isThrownBy(
                        () -> Meeting.join(InetSocketAddress.createUnresolved("no.such.host", 1), 1, 2, "same", LIMIT))
                .withMessage("nobody knows the host no.such.host");
        assertThatExceptionOfType(IllegalParameterException.class).isThrownBy(() -> Meeting.address("[::1]"));
        assertThat(Meeting.address("[::1]:5").getPort()).isEqualTo(5);
    }

    @Test
    void someoneElseListensThere() throws Exception {
        CompletableFuture<Meeting> guest = join(1, 2);
        try (Socket accepted = server.accept()) {
            new DataOutputStream(accepted.getOutputStream()).writeUTF("go away");
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> guest.get(20, TimeUnit.SECONDS))
                    .withMessageContaining("rank 1 was sent away: go away");
        }
    }
}
