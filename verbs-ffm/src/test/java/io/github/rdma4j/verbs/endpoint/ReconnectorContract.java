// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests how a Reconnector replaces a lost connection, over any transport. */
abstract class ReconnectorContract {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Of the server. */
    private static final int BUFFERS = 20;

    final List<Reconnection> reconnections = new ArrayList<>();
    EndpointServer server;
    InetSocketAddress address;

    abstract InetSocketAddress anyPort();

    abstract Transport transport();

    @BeforeEach
    void begin() {
        server = bind(anyPort());
        address = server.address();
    }

    @AfterEach
    void close() {
        server.close();
    }

    EndpointServer bind(InetSocketAddress where) {
        return EndpointServer.bind(
                where, config -> config.transport(transport()).receiveBuffers(BUFFERS));
    }

    Reconnector open(Consumer<ReconnectConfig> settings) {
        return Reconnector.open(address, config -> config.transport(transport()).receiveBuffers(8), retry -> {
            retry.firstPause(Duration.ofMillis(1)).longestPause(Duration.ofMillis(20));
            retry.onReconnect(reconnections::add);
            settings.accept(retry);
        });
    }

    Reconnector open() {
        return open(retry -> {});
    }

    record Ends(Endpoint client, Endpoint atServer) {}

    Ends connect(Reconnector reconnector) {
        CompletableFuture<Endpoint> accepted =
                CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
        return new Ends(reconnector.endpoint(PATIENCE), accepted.join());
    }

    static void awaitEnd(Endpoint endpoint) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (endpoint.isConnected()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void liveConnectionIsReturnedWithoutANotification() {
        try (Reconnector reconnector = open()) {
            Ends ends = connect(reconnector);
            assertThat(reconnector.endpoint(Duration.ZERO)).isSameAs(ends.client());
            assertThat(reconnections).isEmpty();
            ends.atServer().abort();
        }
    }

    @Test
    void outcomeOfMessagesOfALostConnectionIsReported() {
        List<String> arrived = new ArrayList<>();
        try (Reconnector reconnector = open(retry -> retry.onReconnect(again -> {
            reconnections.add(again);
            again.lost().poll(message -> arrived.add(new String(message.toBytes())));
            assertThat(again.endpoint().send("first".getBytes(), PATIENCE)).isTrue();
        }))) {
            Ends first = connect(reconnector);
            for (int n = 0; n < 12; n++) {
                assertThat(first.client().send(("message " + n).getBytes(), PATIENCE))
                        .isTrue();
            }
            assertThat(first.client().counters()).isEqualTo(new EndpointCounters(12, 0, 0));
            for (int n = 0; n < BUFFERS / 4; n++) {
                assertThat(first.atServer().receive(PATIENCE)).isPresent();
            }
            // A quarter of the buffers are as many credits as a message carries.
            assertThat(first.atServer().send("unread".getBytes(), PATIENCE)).isTrue();
            while (first.client().counters().received() == 0) {
                first.client().isConnected();
            }
            first.atServer().abort();
            awaitEnd(first.client());

            Ends second = connect(reconnector);
            assertThat(second.client()).isNotSameAs(first.client());
            assertThat(reconnections).hasSize(1);
            assertThat(reconnections.getFirst().endpoint()).isSameAs(second.client());
            assertThat(reconnections.getFirst().lost().counters()).isEqualTo(new EndpointCounters(12, BUFFERS / 4, 1));
            assertThat(reconnections.getFirst().sameServer()).isTrue();
            assertThat(reconnections.getFirst().reason()).isNotBlank();
            assertThat(arrived).containsExactly("unread");
            assertThat(second.atServer().receive(PATIENCE).map(String::new)).hasValue("first");
            assertThat(first.client().isOpen()).isFalse();
            second.atServer().abort();
        }
    }

    @Test
    void serverThatWasStartedAgainIsNotTakenForTheOldOne() {
        try (Reconnector reconnector = open()) {
            Ends first = connect(reconnector);
            server.close();
            first.atServer().close();
            awaitEnd(first.client());
            server = bind(address);
            Ends second = connect(reconnector);
            assertThat(reconnections).hasSize(1);
            assertThat(reconnections.getFirst().sameServer()).isFalse();
            assertThat(reconnections.getFirst().reason()).isEqualTo("closed by the peer");
            second.atServer().abort();
        }
    }
}
