// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A selector that sleeps at once, and so arms early, without a device. A missed event fails by the timeout. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SelectorOfFakesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(1);

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final List<FakePair> pairs = new ArrayList<>();

    @AfterEach
    void close() {
        executor.shutdownNow();
        pairs.forEach(FakePair::close);
    }

    private FakePair pair() {
        FakePair pair = new FakePair(config -> config.spinLimit(Duration.ZERO).receiveBuffers(4));
        pairs.add(pair);
        return pair;
    }

    private static MemorySegment number(int number) {
        MemorySegment message = MemorySegment.ofArray(new byte[Integer.BYTES]);
        message.set(ValueLayout.JAVA_INT_UNALIGNED, 0, number);
        return message;
    }

    private static int number(Message message) {
        return message.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
    }

    private static void sleepsInVain(EndpointSelector selector) {
        for (int i = 0; i < 4; i++) {
            assertThat(selector.select(SHORT)).isZero();
        }
    }

    @Test
    void endpointWithoutEventsIsLostOnceAndKeepsNobodyFromBeingServed() {
        isLostOnceAndKeepsNobody(transport -> transport.deaf = true, "ibv_req_notify_cq(of the simulation)");
    }

    @Test
    void endpointWhoseQueueCannotBePolledIsLostOnceAndKeepsNobodyFromBeingServed() {
        isLostOnceAndKeepsNobody(SelectorOfFakesTest::cannotBePolled, "ibv_poll_cq(of the simulation)");
    }

    /** A view of the message is created after the visit, which may fail with an OutOfMemoryError. */
    @Test
    void messageThatCannotBeShownIsShownByTheNextSelect() {
        FakePair pair = pair();
        List<Integer> got = new ArrayList<>();
        try (EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            selector.add(pair.left, message -> got.add(number(message)), ready -> {});
            sleepsInVain(selector);
            // More than there are buffers: none is lost either.
            for (int i = 0; i < 20; i += 2) {
                assertThat(pair.right.trySend(number(i))).isEqualTo(Endpoint.OK);
                assertThat(pair.right.trySend(number(i + 1))).isEqualTo(Endpoint.OK);
                failOnce(pair.leftTransport);
                assertThatThrownBy(() -> selector.select(PATIENCE)).isInstanceOf(OutOfMemoryError.class);
                assertThat(got).hasSize(i);
                while (got.size() < i + 2) {
                    assertThat(selector.select(PATIENCE)).isPositive();
                }
                assertThat(got).endsWith(i, i + 1);
            }
        }
    }

    private static void failOnce(FakeTransport transport) {
        transport.beforeMessage = () -> {
            transport.beforeMessage = () -> {};
            throw new OutOfMemoryError("of the simulation");
        };
    }

    @Test
    void messageThatCannotBeShownIsThereForWhoAsksNext() {
        FakePair pair = pair();
        List<Integer> got = new ArrayList<>();
        for (int i = 0; i < 30; i += 3) {
            for (int j = 0; j < 3; j++) {
                assertThat(pair.right.trySend(number(i + j))).isEqualTo(Endpoint.OK);
            }
            failOnce(pair.leftTransport);
            assertThatThrownBy(() -> pair.left.poll(message -> got.add(number(message))))
                    .isInstanceOf(OutOfMemoryError.class);
            failOnce(pair.leftTransport);
            assertThatThrownBy(() -> pair.left.receive(message -> got.add(number(message)), PATIENCE))
                    .isInstanceOf(OutOfMemoryError.class);
            assertThat(pair.left.receive(message -> got.add(number(message)), PATIENCE))
                    .isTrue();
            while (got.size() < i + 3) {
                assertThat(pair.left.poll(message -> got.add(number(message)))).isPositive();
            }
            assertThat(got).endsWith(i, i + 1, i + 2);
        }
        // In one that is closed meanwhile there is nobody to give it to, and its memory goes.
        assertThat(pair.right.trySend(number(1))).isEqualTo(Endpoint.OK);
        pair.leftTransport.beforeMessage = () -> {
            pair.left.abort();
            throw new OutOfMemoryError("of the simulation");
        };
        assertThatThrownBy(() -> pair.left.poll(message -> {})).isInstanceOf(OutOfMemoryError.class);
        assertThat(pair.leftTransport.freed).isTrue();
    }

    /** The failure is like an OutOfMemoryError. */
    @Test
    void messageThatCannotBeHeldIsThereForWhoAsksNext() {
        FakePair pair = pair();
        // More than there are buffers, and credits.
        for (int i = 0; i < 20; i += 2) {
            assertThat(pair.right.trySend(number(i))).isEqualTo(Endpoint.OK);
            assertThat(pair.right.trySend(number(i + 1))).isEqualTo(Endpoint.OK);
            pair.leftTransport.afterMessage = Message::close;
            assertThatThrownBy(() -> pair.left.receiveHeld(PATIENCE)).isInstanceOf(IllegalStateException.class);
            pair.leftTransport.afterMessage = message -> {};
            for (int j = i; j < i + 2; j++) {
                try (HeldMessage message = pair.left.receiveHeld(PATIENCE).orElseThrow()) {
                    assertThat(message.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0))
                            .isEqualTo(j);
                }
            }
        }
        assertThat(pair.left.receiveHeld(SHORT)).isEmpty();
    }

    /**
     * As with a selector, a waiting thread gets an exception for the lost connection, so that a Reconnector can make
     * another one.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void waitForASilentAdapterLosesTheConnection(boolean queue) {
        FakePair pair = pair();
        pair.leftTransport.deaf = !queue;
        if (queue) {
            cannotBePolled(pair.leftTransport);
        }
        assertThatThrownBy(() -> pair.left.receive(PATIENCE))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("the device is gone");
        assertThat(pair.left.isUp()).isFalse();
        assertThatThrownBy(() -> pair.left.receive(PATIENCE))
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("adapter no longer answers")
                .hasMessageContaining("the device is gone");
        pair.left.close();
    }

    /** As one who waits. */
    @ParameterizedTest
    @EnumSource(Asking.class)
    void silentAdapterLosesTheConnection(Asking asking) {
        FakePair pair = pair();
        while (pair.left.trySend(number(1)) == Endpoint.OK) {
            // Until there is no room.
        }
        cannotBePolled(pair.leftTransport);
        assertThatThrownBy(() -> asking.call.accept(pair.left))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("the device is gone");
        assertThat(pair.left.isUp()).isFalse();
        assertThat(pair.left.isConnected()).isFalse();
        assertThatThrownBy(() -> pair.left.poll(message -> {}))
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("adapter no longer answers")
                .hasMessageContaining("the device is gone");
        pair.left.close();
    }

    /** Calls that make progress without a wait. */
    private enum Asking {
        POLL(endpoint -> endpoint.poll(message -> {})),
        SEND(endpoint -> endpoint.trySend(number(1))),
        SEND_ALL(endpoint -> endpoint.trySendAll(List.of(number(1)))),
        TRANSFERS(endpoint -> endpoint.transfers().pollTransfers((id, original, failure) -> {})),
        CONNECTED(Endpoint::isConnected);

        private final Consumer<Endpoint> call;

        Asking(Consumer<Endpoint> call) {
            this.call = call;
        }
    }

    @Test
    void whyAConnectionHasEndedIsKnownThoughItsAdapterDoesNotAnswer() {
        FakePair pair = pair();
        pair.leftTransport.lost = "the local device was removed";
        AtomicInteger polls = new AtomicInteger();
        pair.leftTransport.beforePoll = () -> {
            // The first poll is the caller's, and the second one looks for the reason.
            if (polls.incrementAndGet() > 1) {
                throw new VerbsException("ibv_poll_cq(of the simulation)", Errno.EIO, "the device is gone", "");
            }
        };
        assertThat(pair.left.isConnected()).isFalse();
        assertThat(polls).hasValue(2);
        assertThatThrownBy(() -> pair.left.poll(message -> {}))
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("the local device was removed");
    }

    private static void cannotBePolled(FakeTransport transport) {
        transport.beforePoll = () -> {
            throw new VerbsException("ibv_poll_cq(of the simulation)", Errno.EIO, "the device is gone", "");
        };
    }

    private void isLostOnceAndKeepsNobody(Consumer<FakeTransport> breaks, String call) {
        FakePair broken = pair();
        FakePair healthy = pair();
        List<ConnectionLostException> lost = new ArrayList<>();
        AtomicInteger got = new AtomicInteger();
        try (EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            selector.add(broken.left, ready -> {
                try {
                    ready.poll(message -> {});
                } catch (ConnectionLostException e) {
                    lost.add(e);
                    ready.abort();
                }
            });
            selector.add(healthy.left, ready -> ready.poll(message -> got.incrementAndGet()));
            sleepsInVain(selector);
            breaks.accept(broken.leftTransport);
            broken.right.trySend(number(1));
            int failures = 0;
            for (int i = 0; i < 20; i++) {
                healthy.right.trySend(number(i));
                try {
                    selector.select(SHORT);
                } catch (VerbsException e) {
                    failures++;
                }
            }
            assertThat(failures).isEqualTo(1);
            assertThat(lost)
                    .singleElement()
                    .satisfies(each ->
                            assertThat(each).hasMessageContaining(call).hasMessageContaining("the device is gone"));
            assertThat(got).hasValueGreaterThan(15);
        }
    }

    /** One of them before it and one behind it, whichever way they are visited. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1_000_000})
    void handlerThatAlwaysThrowsKeepsNobodyFromBeingServed(long nanos) {
        FakePair before = pair();
        FakePair broken = pair();
        FakePair behind = pair();
        AtomicInteger gotBefore = new AtomicInteger();
        AtomicInteger gotBehind = new AtomicInteger();
        try (EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            selector.add(before.left, ready -> ready.poll(message -> gotBefore.incrementAndGet()));
            selector.add(broken.left, ready -> {
                throw new UnsupportedOperationException("a mistake of the program's");
            });
            selector.add(behind.left, ready -> ready.poll(message -> gotBehind.incrementAndGet()));
            broken.right.trySend(number(1));
            int failures = 0;
            for (int i = 0; i < 20; i++) {
                before.right.trySend(number(i));
                behind.right.trySend(number(i));
                try {
                    selector.select(System.nanoTime(), nanos);
                } catch (UnsupportedOperationException e) {
                    failures++;
                }
            }
            assertThat(failures).isGreaterThan(15);
            assertThat(gotBefore).hasValueGreaterThan(15);
            assertThat(gotBehind).hasValueGreaterThan(15);
        }
    }

    /** As of a device that was removed, which the program has closed. */
    @Test
    void endpointWhoseQueueIsClosedKeepsNobodyFromBeingServed() {
        List<FakePair> all = List.of(pair(), pair(), pair());
        List<AtomicInteger> got = List.of(new AtomicInteger(), new AtomicInteger(), new AtomicInteger());
        FakePair broken = all.get(1);
        try (EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            for (int i = 0; i < 3; i++) {
                AtomicInteger count = got.get(i);
                selector.add(all.get(i).left, ready -> ready.poll(message -> count.incrementAndGet()));
            }
            broken.leftTransport.beforePoll = () -> {
                throw new IllegalStateException("the completion queue of the simulation is closed");
            };
            int failures = 0;
            for (int i = 0; i < 40; i++) {
                all.get(0).right.trySend(number(i));
                all.get(2).right.trySend(number(i));
                // A selector that is notified of a change also checks the clock.
                broken.left.engine().nudge();
                try {
                    selector.select(SHORT);
                } catch (IllegalStateException e) {
                    assertThat(e).hasMessageContaining("of the simulation");
                    failures++;
                }
            }
            assertThat(failures).isPositive();
            assertThat(got.get(0)).hasValueGreaterThan(10);
            assertThat(got.get(2)).hasValueGreaterThan(10);
            broken.leftTransport.beforePoll = () -> {};
            broken.right.trySend(number(1));
            assertThat(selector.select(PATIENCE)).isEqualTo(1);
            assertThat(got.get(1)).hasValue(1);
        }
    }

    @Test
    void selectorArmsAgainWhenTheTransportAsks() {
        FakePair pair = pair();
        AtomicInteger arms = new AtomicInteger();
        pair.leftTransport.onArm = arms::incrementAndGet;
        pair.leftTransport.nanosToNextArm = SHORT.toNanos();
        try (EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            selector.add(pair.left, ready -> {});
            long start = System.nanoTime();
            while (arms.get() < 5 && System.nanoTime() - start < PATIENCE.toNanos()) {
                selector.select(SHORT);
            }
            assertThat(arms).hasValueGreaterThanOrEqualTo(5);
            // Not after it has left.
            selector.remove(pair.left);
            selector.select(SHORT);
            arms.set(0);
            selector.select(Duration.ofMillis(10));
            assertThat(arms).hasValue(0);
        }
    }

    @Test
    void checkOfTimeoutsAlsoChecksALinkWithoutEvents() {
        for (boolean quiet : List.of(false, true)) {
            FakePair pair = pair();
            pair.leftTransport.lost = "the port is DOWN";
            pair.leftTransport.linkIsQuiet = quiet;
            pair.left.engine().visits().checkTimeouts();
            assertThat(pair.left.isUp()).isNotEqualTo(quiet);
        }
    }

    @Test
    void waitWithAClockReadingIsEquallyLong() {
        FakePair pair = pair();
        try (EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            selector.add(pair.left, ready -> ready.poll(message -> {}));
            long start = System.nanoTime();
            assertThat(selector.select(start, -1)).isZero();
            assertThat(selector.select(System.nanoTime(), SHORT.toNanos())).isZero();
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT.toNanos());
            pair.right.trySend(number(1));
            assertThat(selector.select(System.nanoTime(), PATIENCE.toNanos())).isEqualTo(1);
            assertThat(System.nanoTime() - start).isLessThan(PATIENCE.toNanos());
        }
    }

    @Test
    void uninterruptibleWaitGetsEventsAndKeepsTheInterrupt() {
        FakePair pair = pair();
        try (EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            selector.add(pair.left, ready -> ready.poll(message -> {}));
            pair.right.trySend(number(1));
            Thread.currentThread().interrupt();
            assertThat(selector.selectUninterruptibly(System.nanoTime(), PATIENCE.toNanos()))
                    .isEqualTo(1);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            // The next interruptible wait gets the interrupt.
            assertThatThrownBy(() -> selector.select(System.nanoTime(), PATIENCE.toNanos()))
                    .isInstanceOf(WaitInterruptedException.class);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    /** As after a handler that has found the send queue full: only a completion frees a slot. */
    @Test
    void anotherVisitEnablesCompletionsThatAHandlerAwaits() {
        FakePair pair = pair();
        Engine engine = pair.left.engine();
        FakeTransport transport = (FakeTransport) engine.transport();
        Runnable watcher = () -> {};
        engine.visits().watch(watcher, () -> {}, false);
        engine.visits().visitMember(watcher);
        transport.hasArrivals = false;
        assertThat(engine.visits().mayHaveMore()).isFalse();
        engine.enter();
        engine.protocol().awaitEnds();
        engine.exit();
        assertThat(engine.visits().mayHaveMore()).isTrue();
        engine.visits().visitMember(watcher);
        assertThat(engine.visits().mayHaveMore()).isFalse();
        engine.visits().unwatch();
    }

    /** Enabling completions also polls, and the visit under way handles an event that this poll finds. */
    @Test
    void eventWhileCompletionsAreEnabledIsHandled() {
        FakePair pair = pair();
        Engine engine = pair.left.engine();
        Runnable watcher = () -> {};
        engine.visits().watch(watcher, () -> {}, false);
        engine.enter();
        engine.protocol().awaitEnds();
        engine.exit();
        FakeTransport transport = (FakeTransport) engine.transport();
        transport.onArm = () -> {
            transport.onArm = () -> {};
            pair.right.trySend(number(1));
        };
        assertThat(engine.visits().visitMember(watcher)).isTrue();
        assertThat(engine.protocol().messageCount()).isEqualTo(1);
        engine.visits().unwatch();
    }

    @Test
    void selectorThatItHasLeftTakesInNothing() {
        FakePair pair = pair();
        Engine engine = pair.left.engine();
        Runnable first = () -> {};
        AtomicInteger notified = new AtomicInteger();
        Runnable second = notified::incrementAndGet;
        engine.visits().watch(first, () -> {}, false);
        engine.visits().unwatch();
        engine.visits().watch(second, () -> {}, false);
        assertThat(engine.visits().arm(second)).isFalse();
        pair.right.trySend(number(1));
        // A thread that was on its way when the endpoint left.
        assertThat(engine.visits().visit(first, true, true, true)).isFalse();
        assertThat(engine.visits().arm(first)).isFalse();
        assertThat(engine.visits().visitMember(first)).isFalse();
        assertThat(engine.protocol().messageCount()).isZero();
        assertThat(engine.visits().visit(second, true, false, true)).isTrue();
        assertThat(engine.protocol().messageCount()).isEqualTo(1);
        engine.visits().unwatch();
    }

    @Test
    void addDuringCloseThrowsAndLeavesTheEndpointFree() throws Exception {
        EndpointSelector selector = EndpointSelector.open(Duration.ZERO);
        FakePair first = pair();
        selector.add(first.left, ready -> {});
        // Several, some of which stand before it in the selector's map and some behind it.
        List<FakePair> late = new ArrayList<>();
        List<Future<?>> adding = new ArrayList<>();
        CountDownLatch begun = new CountDownLatch(8);
        CountDownLatch closing = new CountDownLatch(1);
        for (int i = 0; i < 8; i++) {
            FakePair pair = pair();
            late.add(pair);
            pair.leftTransport.onWatch = () -> {
                begun.countDown();
                await(closing);
            };
            adding.add(executor.submit(() -> selector.add(pair.left, ready -> {})));
        }
        await(begun);
        first.leftTransport.onLeave = () -> {
            closing.countDown();
            adding.forEach(SelectorOfFakesTest::awaitEnd);
        };
        selector.close();
        for (Future<?> each : adding) {
            assertThatThrownBy(each::get)
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the endpoint selector is closed");
        }
        assertThat(selector.size()).isZero();
        try (EndpointSelector another = EndpointSelector.open(Duration.ZERO)) {
            late.forEach(pair -> {
                pair.leftTransport.onWatch = () -> {};
                another.add(pair.left, ready -> {});
            });
            assertThat(another.size()).isEqualTo(8);
        }
    }

    @Test
    void closeDuringAddThrows() {
        FakePair pair = pair();
        pair.leftTransport.onWatch = pair.left::abort;
        try (EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            assertThatThrownBy(() -> selector.add(pair.left, ready -> {}))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("endpoint left")
                    .hasMessageContaining("is closed");
            assertThat(selector.size()).isZero();
            assertThat(selector.select(Duration.ZERO)).isZero();
        }
    }

    @Test
    void endpointRefusedWithoutDescriptorsMayBeAddedLater() {
        FakePair pair = pair();
        pair.leftTransport.onWatch = () -> {
            throw new VerbsException("epoll_create1(of the simulation)", Errno.EMFILE, "", "");
        };
        try (EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            assertThatThrownBy(() -> selector.add(pair.left, ready -> {}))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("EMFILE");
            pair.leftTransport.onWatch = () -> {};
            selector.add(pair.left, ready -> {});
            assertThat(selector.size()).isEqualTo(1);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Whatever the end is. */
    private static void awaitEnd(Future<?> future) {
        try {
            future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            // Looked at afterwards.
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /** Other threads also wait for the same endpoint and send, so that they take events, arm, and make progress. */
    @Test
    void nothingIsMissedThoughOtherThreadsUseTheEndpointAndItMovesBetweenSelectors() throws Exception {
        int messages = 4_000;
        FakePair pair = pair();
        AtomicInteger got = new AtomicInteger();
        AtomicBoolean done = new AtomicBoolean();
        try (EndpointSelector first = EndpointSelector.open(Duration.ZERO);
                EndpointSelector second = EndpointSelector.open(Duration.ZERO)) {
            List<Future<?>> loops = new ArrayList<>();
            for (EndpointSelector selector : List.of(first, second)) {
                loops.add(executor.submit(() -> {
                    while (!done.get()) {
                        selector.select(PATIENCE);
                    }
                }));
            }
            Future<?> moving = executor.submit(() -> {
                EndpointSelector at = first;
                while (!done.get()) {
                    at.add(pair.left, ready -> ready.poll(message -> got.incrementAndGet()));
                    TimeUnit.MICROSECONDS.sleep(got.get() % 500);
                    at.remove(pair.left);
                    at = at == first ? second : first;
                }
                return null;
            });
            Future<?> beside = executor.submit(() -> {
                while (!done.get()) {
                    pair.left.receive(message -> got.incrementAndGet(), Duration.ofNanos(got.get() % 7 * 100_000));
                }
            });
            Future<?> back = executor.submit(() -> {
                for (int i = 0; i < messages / 4; i++) {
                    assertThat(pair.left.send(number(i), PATIENCE)).isTrue();
                    assertThat(pair.right.receive(message -> {}, PATIENCE)).isTrue();
                }
            });
            for (int i = 0; i < messages; i++) {
                assertThat(pair.right.send(number(i), PATIENCE)).isTrue();
            }
            back.get(60, TimeUnit.SECONDS);
            long start = System.nanoTime();
            while (got.get() < messages && System.nanoTime() - start < PATIENCE.toNanos()) {
                Thread.sleep(1);
            }
            assertThat(got).hasValue(messages);
            done.set(true);
            first.wakeUp();
            second.wakeUp();
            moving.get(60, TimeUnit.SECONDS);
            beside.get(60, TimeUnit.SECONDS);
            for (Future<?> loop : loops) {
                loop.get(60, TimeUnit.SECONDS);
            }
        }
    }
}
