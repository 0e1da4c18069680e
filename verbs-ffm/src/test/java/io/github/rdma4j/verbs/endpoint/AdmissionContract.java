// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.internal.events.Recorded;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests admission control: the rule, the exceptions of refused clients, and their cost for the server. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class AdmissionContract {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final byte[] TOKEN = "a token of 23 bytes....".getBytes(UTF_8);

    abstract InetSocketAddress address();

    abstract Transport transport();

    /** The number of concurrent clients that are refused. */
    abstract int flood();

    private EndpointServer bind(Admission rule) {
        return EndpointServer.bind(
                address(), config -> config.transport(transport()).admission(rule));
    }

    private Endpoint connect(EndpointServer server, Consumer<EndpointConfig> more) {
        return Endpoint.connect(
                server.address(),
                config -> more.accept(config.transport(transport()).ackTimeout(19)),
                PATIENCE);
    }

    private static CompletableFuture<Endpoint> accept(EndpointServer server) {
        return CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
    }

    @Test
    void clientsWithATokenAreAdmittedAndOthersRefused() throws Exception {
        try (Recorded recorded = new Recorded();
                EndpointServer server = bind(Admission.token("an old one".getBytes(UTF_8), TOKEN))) {
            CompletableFuture<Endpoint> accepted = accept(server);
            byte[] nearly = TOKEN.clone();
            nearly[22]++;
            for (byte[] wrong : new byte[][] {{}, nearly, "another".getBytes(UTF_8)}) {
                assertThatThrownBy(() -> connect(server, config -> config.token(wrong)))
                        .isExactlyInstanceOf(NotAdmittedException.class)
                        .hasMessageContaining("the server does not let this client in")
                        .hasMessageContaining("Give the token");
            }
            try (Endpoint client = connect(server, config -> config.token(TOKEN).privateData("name".getBytes(UTF_8)));
                    Endpoint atServer = accepted.join()) {
                assertThat(atServer.peerPrivateData()).isEqualTo("name".getBytes(UTF_8));
                assertThat(client.send(new byte[] {1}, PATIENCE)).isTrue();
                assertThat(atServer.receive(PATIENCE)).hasValue(new byte[] {1});
                assertThat(client.toString() + atServer).doesNotContain("token");
            }
            assertThat(server.counters()).isEqualTo(new ServerCounters(1, 3, 0, 0));
            List<RecordedEvent> events = Recorded.of(recorded.end(), "rdma4j.EndpointAccept");
            assertThat(events.stream().map(event -> event.getString("failure")))
                    .containsExactly(
                            "refused: it was not admitted (EndpointConfig.admission)",
                            "refused: it was not admitted (EndpointConfig.admission)",
                            "refused: it was not admitted (EndpointConfig.admission)",
                            null);
            assertThat(events.toString()).doesNotContain(new String(TOKEN, UTF_8));
        }
    }

    @Test
    @Tag("iwarp")
    void ruleOfTheProgramsSeesWhoAsksAndWhatItThrowsIsANo() {
        List<Admission.Client> asked = new CopyOnWriteArrayList<>();
        // A checked one is thrown by a rule in Kotlin, for instance.
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>(List.of(
                new IllegalStateException("the list of clients cannot be read"),
                new StackOverflowError("of a parser"),
                new IOException("the same")));
        try (EndpointServer server = bind(client -> {
            asked.add(client);
            Throwable failure = failures.poll();
            if (failure != null) {
                throw AdmissionContract.<RuntimeException>undeclared(failure);
            }
            return client.privateData().length == 2;
        })) {
            CompletableFuture<Endpoint> accepted = accept(server);
            while (!failures.isEmpty()) {
                assertThatThrownBy(() -> connect(server, config -> config.privateData(new byte[2])))
                        .isInstanceOf(NotAdmittedException.class);
            }
            assertThatThrownBy(() -> connect(server, config -> {})).isInstanceOf(NotAdmittedException.class);
            try (Endpoint client = connect(
                            server, config -> config.privateData(new byte[2]).token(TOKEN));
                    Endpoint atServer = accepted.join()) {
                assertThat(asked).hasSize(5);
                Admission.Client last = asked.getLast();
                assertThat(last.address()).isEqualTo(client.localAddress().orElseThrow());
                assertThat(last.token()).isEqualTo(TOKEN);
                assertThat(last.toString()).contains("token of 23 bytes").doesNotContain("....");
                assertThat(atServer.isConnected()).isTrue();
            }
            assertThat(server.counters()).isEqualTo(new ServerCounters(1, 4, 0, 0));
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T undeclared(Throwable failure) throws T {
        throw (T) failure;
    }

    @Test
    void floodOfRefusedClientsDoesNotHarmTheOthers() throws Exception {
        try (EndpointServer server = bind(Admission.token(TOKEN))) {
            CompletableFuture<Endpoint> accepted = accept(server);
            try (Endpoint client = connect(server, config -> config.token(TOKEN));
                    Endpoint atServer = accepted.join()) {
                AtomicBoolean flooding = new AtomicBoolean(true);
                List<CompletableFuture<Integer>> floods = new ArrayList<>();
                CountDownLatch sentAway = new CountDownLatch(flood());
                for (int i = 0; i < flood(); i++) {
                    CompletableFuture<Integer> refused = new CompletableFuture<>();
                    floods.add(refused);
                    Thread.ofPlatform().daemon().start(() -> {
                        int count = 0;
                        while (flooding.get()) {
                            try (Endpoint unwanted = connect(server, config -> config.token(new byte[3]))) {
                                refused.completeExceptionally(new AssertionError("let in: " + unwanted));
                                return;
                            } catch (NotAdmittedException e) {
                                if (count++ == 0) {
                                    sentAway.countDown();
                                }
                            } catch (Throwable e) {
                                refused.completeExceptionally(e);
                                return;
                            }
                        }
                        refused.complete(count);
                    });
                }
                // One thread accepts, as a server's does; a client that may come in does, and one that is in works on.
                // Threads may begin late: rounds count from when each has been sent away. An end is a failure.
                int allowed = 1;
                int rounds = 0;
                while (rounds < 3 && floods.stream().noneMatch(CompletableFuture::isDone)) {
                    rounds += sentAway.getCount() == 0 ? 1 : 0;
                    allowed++;
                    CompletableFuture<Endpoint> another = accept(server);
                    try (Endpoint late = connect(server, config -> config.token(TOKEN));
                            Endpoint lateAtServer = another.join()) {
                        assertThat(late.send(new byte[] {4}, PATIENCE)).isTrue();
                        assertThat(lateAtServer.receive(PATIENCE)).hasValue(new byte[] {4});
                        assertThat(client.send(new byte[] {5}, PATIENCE)).isTrue();
                        assertThat(atServer.receive(PATIENCE)).hasValue(new byte[] {5});
                    }
                }
                CompletableFuture<Void> last = CompletableFuture.runAsync(() -> {
                    while (floods.stream().anyMatch(each -> !each.isDone())) {
                        assertThat(server.accept(Duration.ofMillis(10))).isEmpty();
                    }
                });
                flooding.set(false);
                int refused = 0;
                for (CompletableFuture<Integer> each : floods) {
                    refused += each.join();
                }
                last.join();
                assertThat(server.counters().accepted()).isEqualTo(allowed);
                assertThat(server.counters().notAdmitted()).isEqualTo(refused).isPositive();
                assertThat(client.isConnected()).isTrue();
            }
        }
    }
}
