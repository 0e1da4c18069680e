// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link EndpointSelectorContract} over TCP: the same selector, with descriptors of sockets. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EndpointSelectorTcpTest extends EndpointSelectorContract {
    @Override
    Ends pair(Consumer<EndpointConfig> both) {
        return new TcpPair(both);
    }

    @Override
    EndpointServer bind() {
        return EndpointServer.bind(TcpPair.ANY_PORT, config -> config.transport(Transport.TCP));
    }

    @Override
    Endpoint connect(InetSocketAddress server) {
        return Endpoint.connect(server, config -> config.transport(Transport.TCP), PATIENCE);
    }

    @Test
    void clientsThatSayNothingAreForgotten() throws IOException {
        try (EndpointServer server = EndpointServer.bind(
                        TcpPair.ANY_PORT,
                        config -> config.transport(Transport.TCP).handshakeTimeout(Duration.ofMillis(200)));
                EndpointSelector selector = EndpointSelector.open();
                Socket silent = new Socket(
                        server.address().getAddress(), server.address().getPort())) {
            AtomicInteger accepted = new AtomicInteger();
            selector.add(server, ready -> ready.accept(Duration.ZERO).ifPresent(client -> accepted.incrementAndGet()));
            long start = System.nanoTime();
            while (server.counters().gaveUp() == 0 && System.nanoTime() - start < PATIENCE.toNanos()) {
                selector.select(Duration.ofMillis(20));
            }
            assertThat(server.counters().gaveUp()).isEqualTo(1);
            assertThat(server.acceptor().awaitsTime()).isFalse();
            assertThat(accepted).hasValue(0);
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
    }

    /** No thread of the peer's program is inside its endpoint: only its kernel acknowledges, which raises no event. */
    private static void withoutPeer(BiConsumer<Endpoint, EndpointSelector> test) {
        try (Ends pair = new TcpPair(
                        config -> config.sendDepth(8).receiveBuffers(1000).silenceTimeout(Duration.ZERO));
                EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            test.accept(pair.left(), selector);
        }
    }

    @Test
    void futureOfASendCompletesWithoutThePeersProgram() {
        withoutPeer((client, selector) -> {
            selector.add(client, ready -> {});
            assertThat(selector.select(SHORT)).isZero();
            for (int i = 0; i < 3; i++) {
                CompletableFuture<Void> sent = client.sendAsync(number(i));
                long start = System.nanoTime();
                while (!sent.isDone() && System.nanoTime() - start < PATIENCE.toNanos()) {
                    selector.select(SHORT);
                }
                assertThat(sent).isDone();
            }
        });
    }

    /** The first messages are of another thread, and the selector sleeps already. */
    @Test
    void endpointIsReadyForFurtherSendsWithoutThePeersProgram() {
        int most = 100;
        withoutPeer((client, selector) -> {
            AtomicInteger sent = new AtomicInteger();
            selector.add(client, ready -> {
                while (sent.get() < most && ready.trySend(number(sent.get())) == Endpoint.OK) {
                    sent.incrementAndGet();
                }
            });
            Thread selecting = Thread.ofPlatform().start(() -> {
                long start = System.nanoTime();
                while (sent.get() < most && System.nanoTime() - start < PATIENCE.toNanos()) {
                    selector.select(PATIENCE);
                }
            });
            awaitSleep(selecting);
            int code = Endpoint.OK;
            while (code == Endpoint.OK) {
                code = client.trySend(number(0));
            }
            assertThat(code).isEqualTo(Endpoint.QUEUE_FULL);
            join(selecting);
            assertThat(sent).hasValue(most);
        });
    }

    private static void join(Thread thread) {
        try {
            assertThat(thread.join(PATIENCE.multipliedBy(2))).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    @Test
    @Tag("full")
    void oneThreadAcceptsAndServesManyClients() throws Exception {
        super.oneThreadAcceptsAndServesManyClients();
    }

    @Override
    @Test
    @Tag("full")
    void idleSelectorAndAnIdleEndpointCostHardlyAnyProcessorTime() {
        super.idleSelectorAndAnIdleEndpointCostHardlyAnyProcessorTime();
    }
}
