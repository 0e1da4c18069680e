// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Messages between two endpoints: every way to send and receive, flow control, and waiting. */
abstract class MessageContract {
    /** Two endpoints that are connected. */
    abstract Ends pair(Consumer<EndpointConfig> left, Consumer<EndpointConfig> right);

    private Ends pair(Consumer<EndpointConfig> both) {
        return pair(both, both);
    }

    static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(50);

    private static MemorySegment text(String text) {
        return MemorySegment.ofArray(text.getBytes());
    }

    private static String text(byte[] bytes) {
        return new String(bytes);
    }

    private static Consumer<EndpointConfig> tiny(int buffers) {
        return config -> config.receiveBuffers(buffers)
                .sendDepth(buffers)
                .maxMessageSize(256)
                .rnrRetryCount(0);
    }

    @Test
    void pingPong() {
        try (Ends pair = pair(config -> {})) {
            for (int i = 0; i < 100; i++) {
                assertThat(pair.left().send(text("ping " + i), PATIENCE)).isTrue();
                assertThat(text(pair.right().receive(PATIENCE).orElseThrow())).isEqualTo("ping " + i);
                assertThat(pair.right().send(text("pong " + i), PATIENCE)).isTrue();
                assertThat(text(pair.left().receive(PATIENCE).orElseThrow())).isEqualTo("pong " + i);
            }
        }
    }

    @Test
    void handlerSeesTheReceiveBufferItself() {
        try (Ends pair = pair(config -> {})) {
            pair.left().send(text("first"), PATIENCE);
            pair.left().send(text(""), PATIENCE);
            pair.left().send(text("third"), PATIENCE);
            List<String> got = new ArrayList<>();
            MessageHandler handler = message -> {
                assertThat(message.segment().isNative()).isTrue();
                assertThat(message.segment().address() % 64).isZero();
                assertThat(message.length()).isEqualTo(message.segment().byteSize());
                got.add(text(message.toBytes()));
            };
            while (got.size() < 3) {
                assertThat(pair.right().poll(handler)).isNotNegative();
            }
            assertThat(got).containsExactly("first", "", "third");
            assertThat(pair.right().poll(handler)).isZero();
        }
    }

    @Test
    void withoutCreditsNothingIsSentAndNothingIsLost() {
        try (Ends pair = pair(tiny(3))) {
            for (int i = 0; i < 3; i++) {
                while (pair.left().trySend(text("m" + i)) != Endpoint.OK) {
                    Thread.onSpinWait();
                }
            }
            assertThat(pair.left().trySend(text("too many"))).isEqualTo(Endpoint.NO_CREDIT);
            assertThat(pair.left().credits()).isZero();
            assertThat(pair.left().send(text("too many"), SHORT)).isFalse();
            for (int i = 0; i < 3; i++) {
                assertThat(text(pair.right().receive(PATIENCE).orElseThrow())).isEqualTo("m" + i);
            }
            assertThat(pair.right().receive(SHORT)).isEmpty();
            assertThat(pair.left().send(text("now"), PATIENCE)).isTrue();
            assertThat(text(pair.right().receive(PATIENCE).orElseThrow())).isEqualTo("now");
        }
    }

    @Test
    void messageThatIsTooLongIsRefusedWithBothNumbers() {
        try (Ends pair = pair(config -> config.maxMessageSize(1000), config -> config.maxMessageSize(300))) {
            assertThat(pair.left().maxMessageSize()).isEqualTo(300);
            MemorySegment message = MemorySegment.ofArray(new byte[301]);
            for (Callable<?> call : List.<Callable<?>>of(
                    () -> pair.left().trySend(message),
                    () -> pair.left().send(message, PATIENCE),
                    () -> pair.left().sendAsync(message))) {
                assertThatThrownBy(call::call)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("301 bytes")
                        .hasMessageContaining("300");
            }
            assertThat(pair.left().send(MemorySegment.ofArray(new byte[300]), PATIENCE))
                    .isTrue();
            assertThat(pair.right().receive(PATIENCE).orElseThrow()).hasSize(300);
        }
    }

    @Test
    void progressCompletesFutures() throws Exception {
        // The pair is closed first, which ends the loops.
        try (ExecutorService executor = Executors.newFixedThreadPool(2);
                Ends pair = pair(tiny(2))) {
            CompletableFuture<byte[]> cancelled = pair.right().receiveAsync();
            cancelled.cancel(false);
            CompletableFuture<byte[]> received = pair.right().receiveAsync();
            CompletableFuture<Thread> completedBy = new CompletableFuture<>();
            received.thenRun(() -> completedBy.complete(Thread.currentThread()));
            List<CompletableFuture<Void>> sent = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                sent.add(pair.left().sendAsync(text("m" + i)));
            }
            assertThat(received).isNotDone();
            assertThat(sent.getLast()).isNotDone();
            CompletableFuture<Thread> loop = new CompletableFuture<>();
            executor.execute(() -> {
                loop.complete(Thread.currentThread());
                pair.right().progressLoop();
            });
            executor.execute(pair.left()::progressLoop);
            assertThat(completedBy.get(60, TimeUnit.SECONDS)).isSameAs(loop.join());
            assertThat(text(received.join())).isEqualTo("m0");
            for (int i = 1; i < 7; i++) {
                assertThat(text(pair.right().receiveAsync().get(60, TimeUnit.SECONDS)))
                        .isEqualTo("m" + i);
            }
            for (CompletableFuture<Void> future : sent) {
                future.get(60, TimeUnit.SECONDS);
            }
            pair.left().close();
            pair.right().close();
        }
    }

    @Test
    void thousandsOfMessagesBothWaysAtOnceWithTwoCredits() throws Exception {
        // Ten thousand of them in scripts/test --full: a machine that is emulated takes ten seconds for these.
        int count = Integer.getInteger("rdma4j.endpoint.messages", 2_000);
        try (Ends pair = pair(tiny(2))) {
            both(() -> exchange(pair.left(), count), () -> exchange(pair.right(), count));
        }
    }

    @Test
    void oneCreditSuffices() throws Exception {
        try (Ends pair = pair(tiny(1))) {
            both(() -> exchange(pair.left(), 500), () -> exchange(pair.right(), 500));
        }
    }

    /** Sends numbered messages of random sizes, and expects the peer's, polling. */
    private static Void exchange(Endpoint endpoint, int count) {
        Random sizes = new Random(1);
        Random expectedSizes = new Random(1);
        MemorySegment[] next = {message(0, sizes)};
        int[] received = {0};
        int sent = 0;
        // For the next step, not for all: an emulated machine can be slow for long, and is no reason to fail.
        int steps = 0;
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        MessageHandler check = message -> {
            verify(message.segment(), received[0], expectedSizes);
            received[0]++;
        };
        while (sent < count || received[0] < count) {
            if (sent < count && endpoint.trySend(next[0]) == Endpoint.OK) {
                next[0] = message(++sent, sizes);
            }
            endpoint.poll(check);
            if (sent + received[0] > steps) {
                steps = sent + received[0];
                deadline = System.nanoTime() + PATIENCE.toNanos();
            } else if (System.nanoTime() > deadline) {
                throw new AssertionError(
                        "%d sent, %d received, %d credits".formatted(sent, received[0], endpoint.credits()));
            }
        }
        return null;
    }

    private static MemorySegment message(int number, Random sizes) {
        byte[] bytes = new byte[4 + sizes.nextInt(253)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (number + i * 7);
        }
        MemorySegment message = MemorySegment.ofArray(bytes);
        message.set(ValueLayout.JAVA_INT_UNALIGNED, 0, number);
        return message;
    }

    private static void verify(MemorySegment got, int number, Random sizes) {
        MemorySegment expected = message(number, sizes);
        if (got.mismatch(expected) != -1) {
            throw new AssertionError("message %d of %d bytes, expected %d bytes, differs at %d"
                    .formatted(number, got.byteSize(), expected.byteSize(), got.mismatch(expected)));
        }
    }

    @Test
    void sendersAndReceiversThatSleepOnBothSidesDoNotWaitForEver() throws Exception {
        try (Ends pair = pair(tiny(2));
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            int count = 100;
            List<Future<?>> tasks = new ArrayList<>();
            for (Endpoint endpoint : List.of(pair.left(), pair.right())) {
                for (int sender = 0; sender < 3; sender++) {
                    tasks.add(executor.submit(() -> {
                        for (int i = 0; i < count; i++) {
                            assertThat(endpoint.send(text("x" + i), PATIENCE)).isTrue();
                        }
                    }));
                }
                for (int receiver = 0; receiver < 3; receiver++) {
                    tasks.add(executor.submit(() -> {
                        for (int i = 0; i < count; i++) {
                            assertThat(endpoint.receive(PATIENCE)).isPresent();
                        }
                    }));
                }
            }
            for (Future<?> task : tasks) {
                task.get(120, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void virtualThreadsThatWaitHoldNoTransport() throws Exception {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
                Ends pair = pair(config -> {})) {
            int waiting = 4 * Runtime.getRuntime().availableProcessors();
            List<Future<?>> waits = new ArrayList<>();
            for (int i = 0; i < waiting; i++) {
                waits.add(executor.submit(() -> pair.left().receive(PATIENCE).orElseThrow()));
            }
            Thread.sleep(200);
            assertThat(executor.submit(() -> "free").get(30, TimeUnit.SECONDS)).isEqualTo("free");
            for (int i = 0; i < waiting; i++) {
                assertThat(pair.right().send(text("one each"), PATIENCE)).isTrue();
            }
            for (Future<?> wait : waits) {
                wait.get(60, TimeUnit.SECONDS);
            }
        }
    }

    private static void both(Callable<?> left, Callable<?> right) throws Exception {
        try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
            List<Future<?>> tasks = List.of(executor.submit(left), executor.submit(right));
            for (Future<?> task : tasks) {
                task.get(120, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void timeoutIsKeptAndAnInterruptEndsTheWait() throws Exception {
        try (Ends pair = pair(config -> {})) {
            long start = System.nanoTime();
            assertThat(pair.left().receive(SHORT)).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(SHORT);
            assertThat(pair.left().receive(message -> {}, Duration.ZERO)).isFalse();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> pair.left().receive(PATIENCE))
                    .isInstanceOf(io.github.rdma4j.verbs.WaitInterruptedException.class)
                    .hasMessageContaining("receiving from " + pair.left());
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void exceptionOfAHandlerPropagatesAndFreesTheBuffer() {
        try (Ends pair = pair(tiny(1))) {
            for (int i = 0; i < 3; i++) {
                assertThat(pair.left().send(text("x"), PATIENCE)).isTrue();
                assertThatThrownBy(() -> pair.right()
                                .receive(
                                        message -> {
                                            throw new ArithmeticException("of the handler");
                                        },
                                        PATIENCE))
                        .isInstanceOf(ArithmeticException.class);
            }
        }
    }
}
