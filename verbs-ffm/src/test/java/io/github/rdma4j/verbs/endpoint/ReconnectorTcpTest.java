// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.endpoint.promise.Progress;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpHandshake;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@link ReconnectorContract} over TCP, where a server can come and go, and tests of behaviour that all transports
 * share.
 */
class ReconnectorTcpTest extends ReconnectorContract {
    /** For what is to fail. */
    private static final Duration SHORT = Duration.ofMillis(200);

    @Override
    InetSocketAddress anyPort() {
        return TcpPair.ANY_PORT;
    }

    @Override
    Transport transport() {
        return Transport.TCP;
    }

    @Test
    void itGoesOnUntilTheServerIsThere() throws Exception {
        goesOnUntilTheServerIsThere(PATIENCE);
        goesOnUntilTheServerIsThere(Progress.FOR_EVER);
    }

    private void goesOnUntilTheServerIsThere(Duration timeout) throws Exception {
        server.close();
        var tried = new CountDownLatch(2);
        try (Reconnector reconnector = Reconnector.open(
                        address,
                        config -> {
                            tried.countDown();
                            config.transport(Transport.TCP);
                        },
                        retry -> retry.firstPause(Duration.ofMillis(10)));
                var executor = Executors.newSingleThreadExecutor()) {
            Future<Endpoint> waits = executor.submit(() -> reconnector.endpoint(timeout));
            // Behind a pause.
            assertThat(tried.await(30, TimeUnit.SECONDS)).isTrue();
            server = bind(address);
            try (Endpoint atServer = server.accept(PATIENCE).orElseThrow()) {
                assertThat(waits.get().isOpen()).isTrue();
            }
        }
    }

    @Test
    void failureHasTheNumberOfAttemptsAndTheReason() {
        server.close();
        try (Reconnector reconnector = open()) {
            assertThatThrownBy(() -> reconnector.endpoint(SHORT))
                    .isInstanceOf(EndpointException.class)
                    .hasMessageMatching(
                            "(?s)connecting to .* again and again failed: [0-9]+ attempts? in 200 ms; the last:"
                                    + " .*ECONNREFUSED.*")
                    .cause()
                    .isInstanceOf(VerbsException.class);
        }
    }

    @Test
    void shortestTimeIsOneAttempt() {
        server.close();
        AtomicInteger attempts = new AtomicInteger();
        try (Reconnector reconnector = Reconnector.open(
                address,
                config -> {
                    attempts.incrementAndGet();
                    config.transport(Transport.TCP);
                },
                retry -> retry.longestPause(PATIENCE).firstPause(PATIENCE))) {
            assertThatThrownBy(() -> reconnector.endpoint(Duration.ZERO)).hasMessageContaining("1 attempt in 0 s");
            assertThat(attempts).hasValue(1);
            // The pause that follows a failure is not over.
            assertThatThrownBy(() -> reconnector.endpoint(Duration.ZERO))
                    .hasMessageContaining("0 s were over in the pause that follows a failure; the last: connecting to ")
                    .hasCauseInstanceOf(VerbsException.class);
            assertThat(attempts).hasValue(1);
        }
    }

    @Test
    void timeoutShorterThanThePauseGetsOneAttempt() {
        server.close();
        AtomicInteger attempts = new AtomicInteger();
        try (Reconnector reconnector = Reconnector.open(
                address,
                config -> {
                    attempts.incrementAndGet();
                    config.transport(Transport.TCP);
                },
                retry -> retry.firstPause(Duration.ofMillis(40)))) {
            long end = System.nanoTime() + PATIENCE.toNanos();
            do {
                assertThatThrownBy(() -> reconnector.endpoint(Duration.ZERO)).isInstanceOf(EndpointException.class);
            } while (attempts.get() < 2 && System.nanoTime() - end < 0);
            assertThat(attempts).hasValue(2);
        }
    }

    @Test
    void refusedClientDoesNotRetry() {
        server.close();
        server = EndpointServer.bind(
                address, config -> config.transport(Transport.TCP).admission(client -> false));
        AtomicInteger attempts = new AtomicInteger();
        try (Reconnector reconnector = Reconnector.open(address, config -> {
                    attempts.incrementAndGet();
                    config.transport(Transport.TCP);
                });
                var executor = Executors.newSingleThreadExecutor()) {
            Future<?> refusing = executor.submit(() -> server.accept(PATIENCE));
            assertThatThrownBy(() -> reconnector.endpoint(PATIENCE)).isInstanceOf(NotAdmittedException.class);
            assertThat(attempts).hasValue(1);
            refusing.cancel(true);
        }
    }

    /** Retrying would never end, and the program would not get the reason. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_OR_TCP"})
    void otherVersionIsReportedAtOnce(Transport transport) throws Exception {
        byte[] greeting = new byte[TcpHandshake.BYTES];
        byte[] hello = new Hello(Hello.VERSION + 1, 4, 4096, new byte[0]).toBytes();
        System.arraycopy(hello, 0, greeting, 0, hello.length);
        AtomicInteger attempts = new AtomicInteger();
        try (var executor = Executors.newSingleThreadExecutor();
                ServerSocket other = new ServerSocket(0, 8, TcpPair.ANY_PORT.getAddress());
                Reconnector reconnector = Reconnector.open(
                        new InetSocketAddress(other.getInetAddress(), other.getLocalPort()),
                        config -> {
                            attempts.incrementAndGet();
                            config.transport(transport);
                        },
                        retry -> retry.firstPause(Duration.ofMillis(1)))) {
            executor.submit(() -> {
                while (true) {
                    try (Socket client = other.accept()) {
                        client.getOutputStream().write(greeting);
                        client.getInputStream().readNBytes(TcpHandshake.BYTES);
                    }
                }
            });
            assertThatThrownBy(() -> reconnector.endpoint(PATIENCE))
                    .isInstanceOf(IncompatiblePeerException.class)
                    .hasMessageContaining("version " + (Hello.VERSION + 1));
            assertThat(attempts).hasValue(1);
            // A program that waits for an update of the peer calls again.
            assertThatThrownBy(() -> reconnector.endpoint(PATIENCE)).isInstanceOf(IncompatiblePeerException.class);
            assertThat(attempts).hasValue(2);
        }
    }

    @Test
    void oneThreadConnectsForAll() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        CompletableFuture<Void> mayConnect = new CompletableFuture<>();
        try (Reconnector reconnector = Reconnector.open(address, config -> {
                    attempts.incrementAndGet();
                    mayConnect.join();
                    config.transport(Transport.TCP);
                });
                var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Endpoint>> all = new ArrayList<>();
            for (int n = 0; n < 4; n++) {
                all.add(executor.submit(() -> reconnector.endpoint(PATIENCE)));
            }
            mayConnect.complete(null);
            try (Endpoint atServer = server.accept(PATIENCE).orElseThrow()) {
                for (Future<Endpoint> one : all) {
                    assertThat(one.get()).isSameAs(all.getFirst().get());
                }
            }
            assertThat(attempts).hasValue(1);
        }
    }

    @Test
    void throwingListenerIsNotifiedAgain() {
        try (Reconnector reconnector = open(retry -> retry.onReconnect(again -> {
            reconnections.add(again);
            if (reconnections.size() == 1) {
                throw new IllegalArgumentException("not yet");
            }
        }))) {
            Ends first = connect(reconnector);
            first.atServer().abort();
            awaitEnd(first.client());
            assertThatThrownBy(() -> connect(reconnector)).hasMessage("not yet");
            assertThat(reconnections.getFirst().endpoint().isOpen()).isFalse();
            Ends second = connect(reconnector);
            assertThat(reconnections).extracting(Reconnection::lost).containsOnly(first.client());
            assertThat(reconnections).hasSize(2);
            assertThat(second.client().isOpen()).isTrue();
            second.atServer().abort();
        }
    }

    @Test
    void listenerWhoseNewConnectionIsLostMakesTheNextAttempt() {
        CompletableFuture<Endpoint> next = new CompletableFuture<>();
        try (Reconnector reconnector = open(retry -> retry.onReconnect(again -> {
            reconnections.add(again);
            if (reconnections.size() == 1) {
                next.completeAsync(() -> server.accept(PATIENCE).orElseThrow());
                throw new EndpointException("saying again", "it is lost", "none");
            }
        }))) {
            Ends first = connect(reconnector);
            first.atServer().abort();
            awaitEnd(first.client());
            assertThat(connect(reconnector).client().isOpen()).isTrue();
            assertThat(reconnections).extracting(Reconnection::lost).containsExactly(first.client(), first.client());
            next.join().abort();
        }
    }

    @Test
    void listenerThatAsksForTheEndpointDoesNotWaitForItself() {
        List<Throwable> refusals = new ArrayList<>();
        AtomicReference<Reconnector> opened = new AtomicReference<>();
        try (Reconnector reconnector = open(retry -> retry.onReconnect(
                again -> refusals.add(catchThrowable(() -> opened.get().endpoint(PATIENCE)))))) {
            opened.set(reconnector);
            Ends first = connect(reconnector);
            first.atServer().abort();
            awaitEnd(first.client());
            Ends second = connect(reconnector);
            assertThat(refusals).singleElement().isInstanceOf(IllegalStateException.class);
            assertThat(refusals.getFirst()).hasMessageEndingWith("it has the new one, Reconnection.endpoint()");
            second.atServer().abort();
        }
    }

    @Test
    void closeEndsPendingConnects() throws Exception {
        server.close();
        var executor = Executors.newSingleThreadExecutor();
        CompletableFuture<Void> trying = new CompletableFuture<>();
        try (executor) {
            Reconnector reconnector = Reconnector.open(
                    address,
                    config -> {
                        trying.complete(null);
                        config.transport(Transport.TCP);
                    },
                    retry -> retry.firstPause(PATIENCE).longestPause(PATIENCE));
            Future<Endpoint> waits = executor.submit(() -> reconnector.endpoint(PATIENCE));
            trying.join();
            reconnector.close();
            assertThatThrownBy(waits::get)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("reconnector to " + address + " is closed");
            assertThatThrownBy(() -> reconnector.endpoint(PATIENCE)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void interruptEndsThePause() {
        server.close();
        try (Reconnector reconnector =
                open(retry -> retry.longestPause(PATIENCE).firstPause(PATIENCE))) {
            assertThatThrownBy(() -> reconnector.endpoint(Duration.ZERO)).isInstanceOf(EndpointException.class);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> reconnector.endpoint(PATIENCE)).isInstanceOf(WaitInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void settingsThatMakeNoSense() {
        assertThatThrownBy(() -> open(retry -> retry.firstPause(Duration.ZERO)))
                .hasMessage("firstPause 0 s: above zero");
        assertThatThrownBy(() ->
                        open(retry -> retry.firstPause(Duration.ofSeconds(6)).longestPause(Duration.ofSeconds(5))))
                .hasMessage("longestPause 5 s: not below firstPause, 6 s");
    }
}
