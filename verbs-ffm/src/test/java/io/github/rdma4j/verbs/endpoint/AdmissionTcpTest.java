// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** {@link AdmissionContract} over TCP, and tests that need no transport. */
class AdmissionTcpTest extends AdmissionContract {
    private static final int UNWANTED = 500;

    @Override
    InetSocketAddress address() {
        return TcpPair.ANY_PORT;
    }

    @Override
    Transport transport() {
        return Transport.TCP;
    }

    @Override
    int flood() {
        return 16;
    }

    @Test
    void tokensThatNobodyCouldSendAreRefused() {
        assertThatThrownBy(Admission::token).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Admission.token(new byte[0])).hasMessageContaining("0 bytes: 1 to 40");
        assertThatThrownBy(() -> Admission.token(new byte[41])).hasMessageContaining("41 bytes: 1 to 40");
    }

    @Test
    void tokenAndPrivateDataShareWhatCanTravel() {
        assertThatThrownBy(() -> Endpoint.connect(
                        TcpPair.ANY_PORT,
                        config -> config.transport(Transport.TCP)
                                .token(new byte[30])
                                .privateData(new byte[11]),
                        PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("privateData of 11 bytes and a token of 30: at most 40 fit in all");
        assertThatThrownBy(() -> Endpoint.connect(
                        TcpPair.ANY_PORT,
                        config -> config.transport(Transport.RDMA_WITH_FAILOVER).token(new byte[33]),
                        PATIENCE))
                .hasMessageContaining("RDMA_WITH_FAILOVER")
                .hasMessageContaining("at most 32");
    }

    @Test
    void allTokensAreComparedAndTheCallersArraysAreNotKept() {
        byte[] first = {1, 2, 3};
        Admission rule = Admission.token(first, new byte[] {4});
        first[0] = 9;
        assertThat(rule.admits(new Admission.Client(null, new byte[] {1, 2, 3}, new byte[0])))
                .isTrue();
        assertThat(rule.admits(new Admission.Client(null, new byte[] {4}, new byte[0])))
                .isTrue();
        assertThat(rule.admits(new Admission.Client(null, new byte[] {9, 2, 3}, new byte[0])))
                .isFalse();
        assertThat(rule.admits(new Admission.Client(null, new byte[0], new byte[0])))
                .isFalse();
    }

    /** A client is also judged if its hello arrives between two polls of the server. */
    @Test
    void everyClientIsJudged() {
        try (EndpointServer server = EndpointServer.bind(
                TcpPair.ANY_PORT,
                config -> config.transport(Transport.TCP).admission(Admission.token(new byte[] {1})))) {
            // One call for all of them, however long they take.
            CompletableFuture<Optional<Endpoint>> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(Duration.ofHours(1)));
            for (int i = 0; i < UNWANTED; i++) {
                assertThatThrownBy(() ->
                                Endpoint.connect(server.address(), config -> config.transport(Transport.TCP), PATIENCE))
                        .isInstanceOf(NotAdmittedException.class);
            }
            assertThat(accepted).isNotDone();
            assertThat(server.counters()).isEqualTo(new ServerCounters(0, UNWANTED, 0, 0));
        }
    }

    /** Endpoints that can move, and those that take what works, are asked in the same way. */
    @Test
    void otherTransportsAskToo() {
        for (Transport transport : List.of(Transport.RDMA_OR_TCP, Transport.RDMA_WITH_FAILOVER)) {
            try (EndpointServer server = EndpointServer.bind(
                    TcpPair.ANY_PORT,
                    config -> config.transport(transport).admission(Admission.token(new byte[] {1})))) {
                CompletableFuture<Endpoint> accepted = CompletableFuture.supplyAsync(
                        () -> server.accept(PATIENCE).orElseThrow());
                List<Throwable> refused = new ArrayList<>();
                try (Endpoint unwanted =
                        Endpoint.connect(server.address(), config -> config.transport(transport), PATIENCE)) {
                    throw new AssertionError("let in: " + unwanted);
                } catch (EndpointException e) {
                    refused.add(e);
                    refused.addAll(List.of(e.getSuppressed()));
                }
                assertThat(refused).hasAtLeastOneElementOfType(NotAdmittedException.class);
                try (Endpoint client = Endpoint.connect(
                                server.address(),
                                config -> config.transport(transport).token(new byte[] {1}),
                                PATIENCE);
                        Endpoint atServer = accepted.join()) {
                    assertThat(client.send(new byte[] {1}, PATIENCE)).isTrue();
                    assertThat(atServer.receive(PATIENCE)).hasValue(new byte[] {1});
                }
                assertThat(server.counters()).isEqualTo(new ServerCounters(1, 1, 0, 0));
            }
        }
    }
}
