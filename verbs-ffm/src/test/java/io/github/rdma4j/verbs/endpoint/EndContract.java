// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the ends of a connection, which is closed by the peer, lost or closed here, and their effect on waiting
 * threads.
 */
abstract class EndContract {
    /** Two endpoints that are connected. */
    abstract Ends pair(Consumer<EndpointConfig> both);

    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final MemorySegment MESSAGE = MemorySegment.ofArray(new byte[] {1, 2, 3});

    final Ends pair = pair(config -> config.receiveBuffers(4).sendDepth(4).maxMessageSize(64));

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void closeArrivesBehindTheLastMessage() {
        for (int i = 0; i < 3; i++) {
            pair.left().sendAsync(MESSAGE);
        }
        pair.left().close();
        assertThat(pair.left().isOpen()).isFalse();
        for (int i = 0; i < 3; i++) {
            assertThat(pair.right().receive(PATIENCE)).isPresent();
        }
        assertThatThrownBy(() -> pair.right().receive(PATIENCE))
                .isInstanceOf(ClosedByPeerException.class)
                .hasMessageContaining("closed by peer");
        assertThat(pair.right().poll(message -> {})).isEqualTo(Endpoint.CLOSED_BY_PEER);
        assertThat(pair.right().trySend(MESSAGE)).isEqualTo(Endpoint.CLOSED_BY_PEER);
        assertThatThrownBy(() -> pair.right().send(MESSAGE, PATIENCE)).isInstanceOf(ClosedByPeerException.class);
        assertThatThrownBy(() -> pair.right().sendAsync(MESSAGE).join())
                .hasCauseInstanceOf(ClosedByPeerException.class);
        assertThatThrownBy(() -> pair.right().receiveAsync().join()).hasCauseInstanceOf(ClosedByPeerException.class);
        assertThat(pair.right().isOpen()).isTrue();
    }

    @Test
    void closeWaitsForCreditsThatThePeerGives() throws Exception {
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            List<CompletableFuture<Void>> sent = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                sent.add(pair.left().sendAsync(MESSAGE));
            }
            Future<?> closing = executor.submit(() -> pair.left().close(PATIENCE));
            for (int i = 0; i < 20; i++) {
                assertThat(pair.right().receive(PATIENCE)).isPresent();
            }
            closing.get(60, TimeUnit.SECONDS);
            assertThat(sent).allSatisfy(future -> assertThat(future).isCompleted());
        }
    }

    @Test
    void closeDropsWhatThePeerDoesNotTakeInTime() {
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            sent.add(pair.left().sendAsync(MESSAGE));
        }
        pair.left().close(Duration.ofMillis(300));
        assertThat(sent.subList(0, 4)).allSatisfy(future -> assertThat(future).isCompleted());
        assertThatThrownBy(() -> sent.get(5).join())
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was closed");
    }

    @Test
    void closeOfThePeerEndsAWaitForIt() throws Exception {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> receiving = executor.submit(() -> pair.right().receive(PATIENCE));
            CompletableFuture<byte[]> requested = pair.right().receiveAsync();
            Thread.sleep(100);
            pair.left().close();
            assertThatThrownBy(() -> receiving.get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ClosedByPeerException.class);
            assertThatThrownBy(requested::join).hasCauseInstanceOf(ClosedByPeerException.class);
        }
    }

    @Test
    void bothMayCloseAtOnce() throws Exception {
        try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
            long start = System.nanoTime();
            Future<?> left = executor.submit(() -> pair.left().close(PATIENCE));
            Future<?> right = executor.submit(() -> pair.right().close(PATIENCE));
            left.get(60, TimeUnit.SECONDS);
            right.get(60, TimeUnit.SECONDS);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENCE);
        }
    }

    @Test
    void closingHereEndsTheWaitsOfOtherThreadsAtOnce() throws Exception {
        for (int i = 0; i < 4; i++) {
            assertThat(pair.left().send(MESSAGE, PATIENCE)).isTrue();
        }
        CompletableFuture<byte[]> requested = pair.left().receiveAsync();
        try (ExecutorService platform = Executors.newFixedThreadPool(2);
                ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> waits = new ArrayList<>();
            for (ExecutorService executor : List.of(platform, virtual)) {
                waits.add(executor.submit(() -> pair.left().receive(PATIENCE)));
                waits.add(executor.submit(() -> pair.left().send(MESSAGE, PATIENCE)));
            }
            Thread.sleep(200);
            long start = System.nanoTime();
            pair.left().close();
            for (Future<?> wait : waits) {
                assertThatThrownBy(() -> wait.get(60, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("is closed");
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        }
        assertThatThrownBy(requested::join).hasCauseInstanceOf(IllegalStateException.class);
        pair.left().close();
        assertThatThrownBy(() -> pair.left().trySend(MESSAGE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> pair.left().poll(message -> {})).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> pair.left().transfers().pollTransfers((id, original, failure) -> {}))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> pair.left().allocateMemory(8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("endpoint");
        assertThatThrownBy(() -> pair.left().expose(8, REMOTE_READ))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("endpoint");
    }

    @Test
    void handlerMayCloseTheEndpoint() {
        pair.left().send(MESSAGE, PATIENCE);
        pair.left().send(MESSAGE, PATIENCE);
        assertThat(pair.right().receive(message -> pair.right().close(), PATIENCE))
                .isTrue();
        assertThat(pair.right().isOpen()).isFalse();
    }

    @Test
    void messageInAHandlerKeepsItsMemoryWhileAnotherThreadClosesTheEndpoint() throws Exception {
        assertThat(pair.left().send(MESSAGE, PATIENCE)).isTrue();
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Future<byte[]> read = executor.submit(() -> {
                byte[][] bytes = new byte[1][];
                pair.right()
                        .receive(
                                message -> {
                                    inHandler.countDown();
                                    await(closed);
                                    bytes[0] = message.toBytes();
                                },
                                PATIENCE);
                return bytes[0];
            });
            assertThat(inHandler.await(60, TimeUnit.SECONDS)).isTrue();
            pair.right().close();
            closed.countDown();
            assertThat(read.get(60, TimeUnit.SECONDS)).containsExactly(1, 2, 3);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void closedEndpointHasNoCredits() {
        assertThat(pair.left().credits()).isEqualTo(4);
        pair.left().close();
        assertThatThrownBy(pair.left()::credits).isInstanceOf(IllegalStateException.class);
    }
}
