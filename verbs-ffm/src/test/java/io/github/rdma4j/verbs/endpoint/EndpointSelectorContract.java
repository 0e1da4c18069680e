// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.WaitInterruptedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One thread serves many endpoints. A missed event fails by the timeout. */
abstract class EndpointSelectorContract {
    /** Two endpoints that are connected. */
    abstract Ends pair(Consumer<EndpointConfig> both);

    abstract EndpointServer bind();

    abstract Endpoint connect(InetSocketAddress server);

    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final Duration SHORT = Duration.ofMillis(50);

    private final ExecutorService executor = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        executor.shutdownNow();
    }

    static MemorySegment number(int number) {
        MemorySegment message = MemorySegment.ofArray(new byte[Integer.BYTES]);
        message.set(ValueLayout.JAVA_INT_UNALIGNED, 0, number);
        return message;
    }

    private static int number(Message message) {
        return message.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
    }

    /** Answers each message with the number behind it, and closes when the peer has closed. */
    private static void answer(Endpoint client) {
        int got = client.poll(message -> {
            assertThat(client.trySend(number(number(message) + 1))).isEqualTo(Endpoint.OK);
        });
        if (got == Endpoint.CLOSED_BY_PEER) {
            client.close();
        }
    }

    @Test
    void oneThreadAcceptsAndServesManyClients() throws Exception {
        int clients = 12;
        int messages = 40;
        AtomicInteger accepted = new AtomicInteger();
        AtomicInteger rounds = new AtomicInteger();
        AtomicBoolean done = new AtomicBoolean();
        try (EndpointServer server = bind();
                EndpointSelector selector = EndpointSelector.open()) {
            selector.add(
                    server,
                    ready -> ready.accept(Duration.ZERO).ifPresent(client -> {
                        accepted.incrementAndGet();
                        selector.add(client, EndpointSelectorContract::answer);
                    }));
            Future<?> serving = executor.submit(() -> {
                while (!done.get()) {
                    selector.select(PATIENCE);
                }
            });
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                all.add(executor.submit(() -> {
                    try (Endpoint client = connect(server.address())) {
                        for (int k = 0; k < messages; k++) {
                            int question = k;
                            assertThat(client.send(number(question), PATIENCE)).isTrue();
                            assertThat(client.receive(
                                            message ->
                                                    assertThat(number(message)).isEqualTo(question + 1),
                                            PATIENCE))
                                    .isTrue();
                            rounds.incrementAndGet();
                        }
                    }
                }));
            }
            for (Future<?> client : all) {
                client.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            assertThat(accepted).hasValue(clients);
            assertThat(rounds).hasValue(clients * messages);
            // Closed endpoints leave the selector, and the server stays.
            long start = System.nanoTime();
            while (selector.size() > 1 && System.nanoTime() - start < PATIENCE.toNanos()) {
                Thread.sleep(1);
            }
            assertThat(selector.size()).isEqualTo(1);
            done.set(true);
            selector.wakeUp();
            serving.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void endpointRemovedByItsHandlerIsNotCalledAgain() {
        List<String> reported = new ArrayList<>();
        try (Ends pair = pair(config -> {});
                EndpointSelector selector = EndpointSelector.open()) {
            selector.add(
                    pair.right(),
                    message -> {
                        reported.add("message " + number(message));
                        selector.remove(pair.right());
                    },
                    ready -> reported.add("ready"));
            assertThat(pair.left().send(number(1), PATIENCE)).isTrue();
            assertThat(selector.select(PATIENCE)).isEqualTo(1);
            assertThat(pair.left().send(number(2), PATIENCE)).isTrue();
            assertThat(selector.select(SHORT)).isZero();
            assertThat(reported).containsExactly("message 1");
            assertThat(pair.right().receive(PATIENCE)).isPresent();
        }
    }

    @Test
    void messagesGoToTheirHandlerAndPollReportsTheEnd() throws Exception {
        int messages = 100;
        List<String> reported = new ArrayList<>();
        AtomicBoolean ended = new AtomicBoolean();
        try (Ends pair = pair(config -> config.receiveBuffers(4));
                EndpointSelector selector = EndpointSelector.open()) {
            selector.add(pair.right(), message -> reported.add("message " + number(message)), ready -> {
                reported.add("ready");
                if (ready.poll(message -> reported.add("polled " + number(message))) == Endpoint.CLOSED_BY_PEER) {
                    ended.set(true);
                    ready.close();
                }
            });
            Future<?> sending = executor.submit(() -> {
                for (int i = 0; i < messages; i++) {
                    assertThat(pair.left().send(number(i), PATIENCE)).isTrue();
                }
                pair.left().close();
            });
            while (!ended.get()) {
                assertThat(selector.select(PATIENCE)).isPositive();
            }
            sending.get(60, TimeUnit.SECONDS);
        }
        // A message that came between two looks is polled; whichever way, all come in their order.
        List<Integer> numbers = reported.stream()
                .filter(line -> !line.equals("ready"))
                .map(line -> Integer.valueOf(line.substring(line.indexOf(' ') + 1)))
                .toList();
        assertThat(numbers).hasSize(messages).isSorted().doesNotHaveDuplicates();
        assertThat(reported).first().isEqualTo("message 0");
        assertThat(reported.get(reported.indexOf("ready") - 1)).startsWith("message ");
        assertThat(reported).last().isEqualTo("ready");
    }

    @Test
    void endpointThatOtherThreadsUseAsWellLosesNoMessage() throws Exception {
        int messages = 400;
        for (Duration spinLimit : List.of(Duration.ZERO, Duration.ofMillis(1))) {
            try (Ends pair = pair(config -> config.spinLimit(spinLimit).receiveBuffers(4));
                    EndpointSelector selector = EndpointSelector.open(spinLimit)) {
                AtomicInteger got = new AtomicInteger();
                selector.add(
                        pair.right(),
                        ready -> ready.poll(message -> {
                            assertThat(number(message)).isEqualTo(got.getAndIncrement());
                        }));
                Future<?> back = executor.submit(() -> {
                    for (int i = 0; i < messages; i++) {
                        pair.right().sendAsync(number(i)).get(60, TimeUnit.SECONDS);
                    }
                    return null;
                });
                Future<?> there = executor.submit(() -> {
                    for (int i = 0; i < messages; i++) {
                        assertThat(pair.left().send(number(i), PATIENCE)).isTrue();
                    }
                });
                Future<?> reading = executor.submit(() -> {
                    for (int i = 0; i < messages; i++) {
                        pair.left().receive(PATIENCE).orElseThrow();
                    }
                });
                while (got.get() < messages) {
                    assertThat(selector.select(PATIENCE)).isPositive();
                }
                there.get(60, TimeUnit.SECONDS);
                back.get(60, TimeUnit.SECONDS);
                reading.get(60, TimeUnit.SECONDS);
            }
        }
    }

    /** The sleeping thread waits only for messages, and the selector also for completions of sends. */
    @Test
    void selectorArmsBesideAThreadThatSleepsForMessages() throws Exception {
        try (Ends pair = pair(config -> config.spinLimit(Duration.ZERO));
                EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            Future<?> reading =
                    executor.submit(() -> pair.left().receive(PATIENCE).orElseThrow());
            Thread.sleep(50);
            selector.add(pair.left(), ready -> {});
            assertThat(selector.select(Duration.ofMillis(10))).isZero();
            pair.left().sendAsync(number(1));
            assertThat(selector.select(Duration.ofMillis(10))).isZero();
            assertThat(pair.right().send(number(2), PATIENCE)).isTrue();
            reading.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void selectCompletesFutures() {
        try (Ends pair = pair(config -> {});
                EndpointSelector selector = EndpointSelector.open()) {
            selector.add(pair.left(), ready -> {});
            AtomicBoolean reported = new AtomicBoolean();
            CompletableFuture<Void> answer = pair.left().receiveAsync().thenRun(() -> reported.set(true));
            assertThat(selector.select(SHORT)).isZero();
            executor.submit(() -> pair.right().send(number(1), PATIENCE));
            long start = System.nanoTime();
            while (!reported.get() && System.nanoTime() - start < PATIENCE.toNanos()) {
                selector.select(Duration.ofSeconds(1));
            }
            assertThat(answer).isDone();
        }
    }

    @Test
    void selectCompletesFuturesThatItsCallbacksMake() {
        try (Ends pair = pair(config -> config.silenceTimeout(Duration.ZERO));
                EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            completesFuturesOfCallbacks(selector, pair.left(), pair.right());
        }
    }

    /** All messages are there when the first callback runs, so no event follows for the others. */
    static void completesFuturesOfCallbacks(EndpointSelector selector, Endpoint served, Endpoint sender) {
        int messages = 5;
        selector.add(served, ready -> {});
        AtomicInteger got = new AtomicInteger();
        receiveNext(served, got);
        assertThat(selector.select(SHORT)).isZero();
        List<MemorySegment> all = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            all.add(number(i));
        }
        assertThat(sender.sendAll(all, PATIENCE)).isEqualTo(messages);
        long start = System.nanoTime();
        while (got.get() < messages && System.nanoTime() - start < PATIENCE.toNanos()) {
            selector.select(SHORT);
        }
        assertThat(got).hasValue(messages);
    }

    private static void receiveNext(Endpoint endpoint, AtomicInteger got) {
        endpoint.receiveAsync().thenAccept(message -> {
            got.incrementAndGet();
            receiveNext(endpoint, got);
        });
    }

    @Test
    void freeSlotIsReportedOnce() {
        try (Ends pair = pair(config -> config.receiveBuffers(1));
                EndpointSelector selector = EndpointSelector.open()) {
            AtomicInteger calls = new AtomicInteger();
            selector.add(pair.left(), ready -> calls.incrementAndGet());
            assertThat(pair.left().trySend(number(1))).isEqualTo(Endpoint.OK);
            assertThat(pair.left().trySend(number(2))).isEqualTo(Endpoint.NO_CREDIT);
            assertThat(selector.select(SHORT)).isZero();
            assertThat(pair.right().receive(PATIENCE)).isPresent();
            assertThat(selector.select(PATIENCE)).isEqualTo(1);
            assertThat(pair.left().credits()).isEqualTo(1);
            assertThat(selector.select(SHORT)).isZero();
            assertThat(calls).hasValue(1);
        }
    }

    @Test
    void endOfTheConnectionIsReadyUntilTheEndpointIsClosed() {
        try (Ends pair = pair(config -> {});
                EndpointSelector selector = EndpointSelector.open()) {
            List<Integer> seen = new ArrayList<>();
            selector.add(pair.left(), ready -> seen.add(ready.poll(message -> {})));
            assertThat(selector.select(SHORT)).isZero();
            pair.right().close();
            assertThat(selector.select(PATIENCE)).isEqualTo(1);
            assertThat(selector.select(PATIENCE)).isEqualTo(1);
            assertThat(seen).containsExactly(Endpoint.CLOSED_BY_PEER, Endpoint.CLOSED_BY_PEER);
            pair.left().close();
            assertThat(selector.select(SHORT)).isZero();
            assertThat(selector.size()).isZero();
        }
    }

    @Test
    void idleSelectorAndAnIdleEndpointCostHardlyAnyProcessorTime() {
        try (Ends pair = pair(config -> {});
                EndpointSelector selector = EndpointSelector.open()) {
            selector.add(pair.left(), ready -> {});
            selector.select(SHORT);
            pair.right().receive(SHORT);
            var threads = ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadCpuTime();
            assertThat(selector.select(Duration.ofSeconds(2))).isZero();
            assertThat(pair.right().receive(Duration.ofSeconds(2))).isEmpty();
            long cpu = threads.getCurrentThreadCpuTime() - before;
            assertThat(Duration.ofNanos(cpu)).isLessThan(Duration.ofMillis(1_000));
        }
    }

    static void awaitSleep(Thread selecting) {
        while (Arrays.stream(selecting.getStackTrace())
                .noneMatch(frame -> frame.getClassName().equals(EventPoller.class.getName()))) {
            Thread.yield();
        }
    }

    @Test
    void oneThreadSelectsAndAWakeUpAnInterruptAndACloseEndIt() throws Exception {
        try (Ends pair = pair(config -> {})) {
            EndpointSelector selector = EndpointSelector.open(Duration.ZERO);
            selector.add(pair.left(), ready -> selector.select(SHORT));
            assertThatThrownBy(() -> selector.add(pair.left(), ready -> {}))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("in a selector already");
            selector.wakeUp();
            assertThat(selector.select(PATIENCE)).isZero();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> selector.select(PATIENCE)).isInstanceOf(WaitInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
            CompletableFuture<Thread> selecting = new CompletableFuture<>();
            Future<?> sleeping = executor.submit(() -> {
                selecting.complete(Thread.currentThread());
                selector.select(PATIENCE);
            });
            awaitSleep(selecting.get(60, TimeUnit.SECONDS));
            assertThatThrownBy(() -> selector.select(SHORT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another thread selects");
            selector.wakeUp();
            sleeping.get(60, TimeUnit.SECONDS);
            assertThat(pair.right().send(number(1), PATIENCE)).isTrue();
            assertThatThrownBy(() -> selector.select(PATIENCE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("let the handler return first");
            selector.remove(pair.left());
            assertThat(selector.select(SHORT)).isZero();
            selector.add(pair.left(), ready -> ready.poll(message -> {}));
            assertThat(selector.select(PATIENCE)).isEqualTo(1);
            Future<?> closed = executor.submit(() -> selector.select(PATIENCE));
            Thread.sleep(100);
            selector.close();
            assertThatThrownBy(() -> closed.get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("selector is closed");
            assertThatThrownBy(() -> selector.add(pair.left(), ready -> {})).isInstanceOf(IllegalStateException.class);
            assertThat(pair.left().isOpen()).isTrue();
        }
    }
}
