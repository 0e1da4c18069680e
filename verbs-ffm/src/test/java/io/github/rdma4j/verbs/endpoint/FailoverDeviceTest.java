// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.TestLink;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.cm.CmTestNet;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Endpoints move to TCP when the port goes down under them, and back when it is up again. A host reaches its own
 * address without the interface, so that TCP does not notice.
 */
@Tag("device")
@Tag("changes-machine")
class FailoverDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int BYTES = 200;

    private final BlockingQueue<TransportMove> moves = new LinkedBlockingQueue<>();
    private TestLink link;

    @BeforeEach
    void checkConnection() throws IOException {
        link = new TestLink(TestDevice.first());
    }

    private Consumer<EndpointConfig> settings() {
        return config -> config.transport(Transport.RDMA_WITH_FAILOVER)
                .maxMessageSize(1024)
                .receiveBuffers(16)
                .silenceTimeout(Duration.ofSeconds(2))
                .rdmaTimeout(Duration.ofSeconds(20))
                .recoveryInterval(Duration.ofMillis(50));
    }

    /** Two ends, and the moves that the client's end reports. */
    private final class Pair implements AutoCloseable {
        final EndpointServer server = EndpointServer.bind(CmTestNet.ipv4(), settings());
        final Endpoint client;
        final Endpoint atServer;

        Pair() {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            client = Endpoint.connect(
                    server.address(), config -> settings().accept(config.onMove(moves::add)), PATIENCE);
            atServer = accepted.join();
        }

        @Override
        public void close() {
            client.abort();
            atServer.abort();
            server.close();
        }
    }

    private TransportMove awaitMove(Transport to) throws InterruptedException {
        TransportMove move = moves.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(move).isNotNull();
        assertThat(move.to()).as(move.toString()).isEqualTo(to);
        return move;
    }

    private static void awaitTransport(Endpoint endpoint, Transport transport) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (endpoint.transport() != transport) {
            endpoint.poll(message -> {
                throw new AssertionError("a message that nobody has sent");
            });
            assertThat(System.nanoTime())
                    .as("%s, %s", endpoint, endpoint.rdmaFailure())
                    .isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private static MemorySegment message(int number) {
        byte[] bytes = new byte[Integer.BYTES + number % BYTES];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (number * 13 + i);
        }
        MemorySegment message = MemorySegment.ofArray(bytes);
        message.set(ValueLayout.JAVA_INT_UNALIGNED, 0, number);
        return message;
    }

    /** Sends and receives numbered messages until it is stopped, and then until it has the peer's last one. */
    private static final class Talk implements Runnable {
        private final Endpoint endpoint;
        private final boolean sleeps;
        volatile boolean stop;
        volatile int last = -1;
        volatile int sent;
        volatile int received;
        volatile Talk peer;

        Talk(Endpoint endpoint, boolean sleeps) {
            this.endpoint = endpoint;
            this.sleeps = sleeps;
        }

        private void check(MemorySegment got) {
            MemorySegment expected = message(received);
            if (got.mismatch(expected) != -1) {
                throw new AssertionError("message %d came instead of %d, of %d bytes"
                        .formatted(got.get(ValueLayout.JAVA_INT_UNALIGNED, 0), received, got.byteSize()));
            }
            received++;
        }

        @Override
        public void run() {
            while (last < 0 || peer.last < 0 || received < peer.last) {
                if (last < 0) {
                    if (stop) {
                        last = sent;
                    } else if (endpoint.trySend(message(sent)) == Endpoint.OK) {
                        sent++;
                    }
                }
                if (sleeps) {
                    endpoint.receive(message -> check(message.segment()), Duration.ofMillis(20));
                } else {
                    endpoint.poll(message -> check(message.segment()));
                }
            }
        }
    }

    private static void await(Future<?> task) throws Exception {
        task.get(120, TimeUnit.SECONDS);
    }

    @Test
    void messagesGoOnWhenThePortGoesDownAndComesUpAgain() throws Exception {
        talkThrough(2, 50);
    }

    @Test
    @Tag("full")
    void millionMessagesGoOn() throws Exception {
        talkThrough(40, 7_000);
    }

    private void talkThrough(int rounds, int messages) throws Exception {
        try (ExecutorService executor = Executors.newFixedThreadPool(2);
                Pair pair = new Pair()) {
            Talk left = new Talk(pair.client, false);
            Talk right = new Talk(pair.atServer, true);
            left.peer = right;
            right.peer = left;
            List<Future<?>> tasks = List.of(executor.submit(left), executor.submit(right));
            try {
                awaitMove(Transport.RDMA);
                for (int round = 0; round < rounds; round++) {
                    int before = left.received;
                    while (left.received < before + messages) {
                        Thread.sleep(1);
                        assertThat(tasks).noneMatch(Future::isDone);
                    }
                    link.down();
                    long cut = System.nanoTime();
                    TransportMove down = awaitMove(Transport.TCP);
                    System.out.printf(
                            "moved to TCP %.1f ms after the port went down, in %.1f ms of its own: %.40s%n",
                            (System.nanoTime() - cut) / 1e6, down.took().toNanos() / 1e6, down.reason());
                    assertThat(pair.client.transport()).isEqualTo(Transport.TCP);
                    assertThat(pair.client.rdmaFailure()).isPresent();
                    before = left.received;
                    while (left.received < before + messages) {
                        Thread.sleep(1);
                        assertThat(tasks).noneMatch(Future::isDone);
                    }
                    link.up();
                    TransportMove up = awaitMove(Transport.RDMA);
                    System.out.printf("moved back in %.1f ms%n", up.took().toNanos() / 1e6);
                }
                assertThat(pair.client.rdmaFailure()).isEmpty();
            } finally {
                link.up();
                left.stop = true;
                right.stop = true;
            }
            for (Future<?> task : tasks) {
                await(task);
            }
            System.out.printf("%d and %d messages, none lost or doubled%n", left.received, right.received);
            assertThat(left.received).isEqualTo(right.sent);
            assertThat(right.received).isEqualTo(left.sent);
        }
    }

    @Test
    void oneHandleServesBothTransports() throws Exception {
        try (Pair pair = new Pair();
                ExposedMemory memory = pair.server.expose(64, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
                MemoryRegion local = pair.client.allocateMemory(64)) {
            Thread loop = startLoop(pair.atServer);
            Transfers transfers = pair.client.transfers();
            long count = 0;
            for (Transport transport : List.of(Transport.RDMA, Transport.TCP, Transport.RDMA)) {
                if (transport == Transport.TCP) {
                    link.down();
                }
                try {
                    awaitTransport(pair.client, transport);
                    assertThat(transfers.fetchAndAdd(memory.handle(), 1, PATIENCE))
                            .isEqualTo(count++);
                    local.segment().fill((byte) count);
                    transfers.write(local.slice(0, 32), memory.handle().slice(32, 32), PATIENCE);
                    assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 63)).isEqualTo((byte) count);
                    transfers.read(local.slice(32, 8), memory.handle().slice(0, 8), PATIENCE);
                    assertThat(local.segment().get(ValueLayout.JAVA_LONG, 32)).isEqualTo(count);
                    assertThat(transfers.getLong(memory.handle(), 0, PATIENCE)).isEqualTo(count);
                } finally {
                    link.up();
                }
            }
            pair.client.close();
            loop.join();
        }
    }

    /**
     * Over RDMA, a process that is ending refuses a transfer just as one whose memory is gone. The repetition over TCP
     * shows which it is.
     */
    @Test
    void transferRefusedByRdmaIsRepeatedOverTcp() throws Exception {
        try (Pair pair = new Pair();
                MemoryRegion local = pair.client.allocateMemory(64)) {
            Thread loop = startLoop(pair.atServer);
            awaitTransport(pair.client, Transport.RDMA);
            awaitMove(Transport.RDMA);
            MemoryHandle gone;
            try (ExposedMemory memory = pair.server.expose(64, REMOTE_WRITE)) {
                gone = memory.handle();
            }
            assertThatThrownBy(() -> pair.client.transfers().write(local.slice(0, 8), gone, PATIENCE))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            e -> assertThat(e.status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR));
            assertThat(awaitMove(Transport.TCP).reason()).contains("remote access error");
            loop.join();
        }
    }

    private static Thread startLoop(Endpoint endpoint) {
        return Thread.ofVirtual().start(() -> {
            try {
                endpoint.progressLoop();
            } catch (EndpointException | IllegalStateException | WaitInterruptedException e) {
                // The end of the test.
            }
        });
    }

    @Test
    void selectorServesWhatMoves() throws Exception {
        try (Pair pair = new Pair();
                EndpointSelector selector = EndpointSelector.open();
                ExecutorService executor = Executors.newSingleThreadExecutor()) {
            int[] echoed = {0};
            var over = new AtomicBoolean();
            var givenUp = new AtomicBoolean();
            selector.add(pair.atServer, ready -> {
                ready.poll(message -> {
                    assertThat(ready.trySend(message.segment())).isEqualTo(Endpoint.OK);
                    echoed[0]++;
                });
                over.set(!ready.isConnected());
            });
            Future<?> serving = executor.submit(() -> {
                while (!over.get() && !givenUp.get()) {
                    selector.select(Duration.ofSeconds(1));
                }
            });
            int asked = 0;
            for (Transport transport : List.of(Transport.RDMA, Transport.TCP, Transport.RDMA)) {
                try {
                    if (transport == Transport.TCP) {
                        link.down();
                    }
                    do {
                        assertThat(pair.client.send(message(asked), PATIENCE)).isTrue();
                        byte[] answer = pair.client.receive(PATIENCE).orElseThrow();
                        assertThat(MemorySegment.ofArray(answer).mismatch(message(asked++)))
                                .isEqualTo(-1);
                    } while (pair.client.transport() != transport);
                } catch (Throwable e) {
                    givenUp.set(true);
                    throw e;
                } finally {
                    link.up();
                }
            }
            pair.client.close();
            await(serving);
            assertThat(echoed[0]).isEqualTo(asked);
        }
    }
}
