// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests endpoints with failover at an address without RDMA, and the peers that they accept. */
class FailoverTcpTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static Consumer<EndpointConfig> over(Transport transport) {
        return config -> config.transport(transport);
    }

    @Test
    void withoutRdmaTheyStayWithTcpAndSayWhy() {
        try (EndpointServer server = EndpointServer.bind(TcpPair.ANY_PORT, over(Transport.RDMA_WITH_FAILOVER))) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            try (Endpoint client = Endpoint.connect(server.address(), over(Transport.RDMA_WITH_FAILOVER), PATIENCE);
                    Endpoint atServer = accepted.join()) {
                for (int i = 0; i < 200; i++) {
                    assertThat(client.send(new byte[] {(byte) i}, PATIENCE)).isTrue();
                    assertThat(atServer.receive(PATIENCE)).hasValue(new byte[] {(byte) i});
                }
                for (Endpoint endpoint : new Endpoint[] {client, atServer}) {
                    assertThat(endpoint.transport()).isEqualTo(Transport.TCP);
                    assertThat(endpoint.toString()).startsWith("endpoint RDMA or TCP /");
                    assertThat(endpoint.rdmaFailure().orElseThrow()).hasMessageMatching("(?s).*\\. \\p{Lu}.*");
                }
                client.close();
                assertThatThrownBy(() -> atServer.receive(PATIENCE)).isInstanceOf(ClosedByPeerException.class);
            }
        }
    }

    @Test
    void thatThePeerHasEndedIsNotRdmasFault() {
        try (EndpointServer server = EndpointServer.bind(TcpPair.ANY_PORT, over(Transport.RDMA_WITH_FAILOVER))) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            try (Endpoint client = Endpoint.connect(server.address(), over(Transport.RDMA_WITH_FAILOVER), PATIENCE)) {
                accepted.join().abort();
                assertThatThrownBy(() -> client.receive(PATIENCE))
                        .isInstanceOf(ConnectionLostException.class)
                        .hasMessageEndingWith("its process ended, or it aborted. Connect again");
            }
        }
    }

    /** A wake-up that comes when the sleep is over already is for nobody, above all not for a selector. */
    @Test
    void wakeUpThatComesTooLateWakesNoSelector() {
        try (EndpointServer server = EndpointServer.bind(TcpPair.ANY_PORT, over(Transport.RDMA_WITH_FAILOVER))) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            try (Endpoint client = Endpoint.connect(server.address(), over(Transport.RDMA_WITH_FAILOVER), PATIENCE);
                    Endpoint atServer = accepted.join();
                    EventPoller watcher = EventPoller.open()) {
                assertThat(client.receive(Duration.ofMillis(1))).isEmpty();
                Engine engine = client.engine();
                EndpointTransport transport = engine.transport();
                EventSource events = transport.events().queue();
                watcher.add(events);
                engine.enter();
                // The sleep was ended by something else, and its thread comes back.
                transport.wakeUp();
                transport.awake();
                engine.exit();
                assertThat(watcher.select(Duration.ZERO, source -> {})).isZero();
                assertThat(atServer.isOpen()).isTrue();
            }
        }
    }

    /** Only the peer's kernel acknowledges the message, which raises no event. */
    @Test
    void selectorCompletesASendWithoutThePeersProgram() {
        Consumer<EndpointConfig> quiet = config -> config.transport(Transport.RDMA_WITH_FAILOVER)
                .silenceTimeout(Duration.ofHours(1))
                .recoveryInterval(Duration.ofHours(1));
        try (EndpointServer server = EndpointServer.bind(TcpPair.ANY_PORT, quiet)) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            try (Endpoint client = Endpoint.connect(server.address(), quiet, PATIENCE);
                    Endpoint atServer = accepted.join();
                    EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
                selector.add(client, ready -> {});
                assertThat(selector.select(Duration.ofMillis(10))).isZero();
                CompletableFuture<Void> sent = client.sendAsync(new byte[1]);
                long start = System.nanoTime();
                while (!sent.isDone() && System.nanoTime() - start < PATIENCE.toNanos()) {
                    selector.select(Duration.ofMillis(100));
                }
                assertThat(sent).isDone();
                assertThat(atServer.isOpen()).isTrue();
            }
        }
    }

    @Test
    void serverThatDoesNotMoveIsNotForThem() {
        try (EndpointServer server = EndpointServer.bind(TcpPair.ANY_PORT, over(Transport.TCP))) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            assertThatThrownBy(() -> Endpoint.connect(server.address(), over(Transport.RDMA_WITH_FAILOVER), PATIENCE))
                    .isInstanceOf(IncompatiblePeerException.class)
                    .hasMessageContaining("RDMA_WITH_FAILOVER");
            accepted.join().abort();
        }
    }

    @Test
    void clientOverTcpIsAsWelcomeAsAny() {
        try (EndpointServer server = EndpointServer.bind(TcpPair.ANY_PORT, over(Transport.RDMA_WITH_FAILOVER))) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            try (Endpoint client = Endpoint.connect(server.address(), over(Transport.TCP), PATIENCE);
                    Endpoint atServer = accepted.join()) {
                assertThat(client.send(new byte[] {7}, PATIENCE)).isTrue();
                assertThat(atServer.receive(PATIENCE)).hasValue(new byte[] {7});
            }
        }
    }

    @Test
    void incompatibleOptionsAreRefused() {
        assertThatThrownBy(() -> EndpointServer.bind(
                        TcpPair.ANY_PORT,
                        config -> config.transport(Transport.RDMA_WITH_FAILOVER).silenceTimeout(Duration.ZERO)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("silenceTimeout");
        assertThatThrownBy(() -> EndpointServer.bind(
                        TcpPair.ANY_PORT,
                        config -> config.transport(Transport.RDMA_WITH_FAILOVER).privateData(new byte[33])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 32");
        try (EndpointGroup group = EndpointGroup.open()) {
            assertThatThrownBy(() -> EndpointServer.bind(
                            TcpPair.ANY_PORT,
                            config -> config.transport(Transport.RDMA_WITH_FAILOVER)
                                    .group(group)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("group");
        }
    }
}
