// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Waiting for a descriptor on platform and virtual threads: readiness, time, close and interrupt each end it. */
@Timeout(600)
class ReadinessWaiterTest {
    private static final long LONG = TimeUnit.SECONDS.toNanos(50);

    private final int descriptor = FileDescriptors.createEventFd();
    private final ReadinessWaiter waiter = new ReadinessWaiter(descriptor);

    @AfterEach
    void close() {
        waiter.close();
        FileDescriptors.close(descriptor);
    }

    private static Thread start(boolean virtual, Runnable task) {
        return virtual ? Thread.ofVirtual().start(task) : Thread.ofPlatform().start(task);
    }

    /** Starts a wait in a thread of its own, and returns when it is under way. */
    private Thread startWait(boolean virtual, AtomicReference<ReadinessWaiter.Outcome> outcome) throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        Thread thread = start(virtual, () -> {
            started.countDown();
            outcome.set(waiter.await(LONG));
        });
        started.await();
        Thread.sleep(50);
        return thread;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readyEventIsNotAwaited(boolean virtual) throws Exception {
        AtomicReference<ReadinessWaiter.Outcome> outcome = new AtomicReference<>();
        FileDescriptors.signal(descriptor);
        start(virtual, () -> outcome.set(waiter.await(LONG))).join();
        assertThat(outcome).hasValue(ReadinessWaiter.Outcome.READY);
    }

    /**
     * Each attempt is a system call. An attempt before the wait would be wasted, because the wait reports the same
     * readiness.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void firstWaiterTriesOnceAfterAnEvent(boolean virtual) throws Exception {
        AtomicReference<String> got = new AtomicReference<>();
        AtomicInteger attempts = new AtomicInteger();
        Thread thread = start(
                virtual,
                () -> got.set(waiter.awaitAndTry(
                        () -> "test",
                        Duration.ofSeconds(50),
                        () -> {
                            attempts.incrementAndGet();
                            return "something";
                        },
                        IllegalStateException::new)));
        Thread.sleep(50);
        assertThat(attempts).hasValue(0);
        FileDescriptors.signal(descriptor);
        thread.join();
        assertThat(got).hasValue("something");
        assertThat(attempts).hasValue(1);
    }

    /** To write down what an event source is called took more instructions than to take its event. */
    @Test
    void waitThatIsNotInterruptedMakesNoText() {
        Supplier<String> text = () -> fail("nobody reads this");
        FileDescriptors.signal(descriptor);
        for (Duration timeout : List.of(Duration.ZERO, Duration.ofSeconds(50))) {
            assertThat(waiter.await(text, timeout, () -> "something", IllegalStateException::new))
                    .isEqualTo("something");
            assertThat(waiter.awaitAndTry(text, timeout, () -> "something", IllegalStateException::new))
                    .isEqualTo("something");
        }
    }

    @Test
    void firstWaiterTriesAfterTheTimeoutAndWithoutAny() {
        for (Duration timeout : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofMillis(5))) {
            assertThat(waiter.awaitAndTry(() -> "test", timeout, () -> "something", IllegalStateException::new))
                    .isEqualTo("something");
            assertThat(waiter.<String>awaitAndTry(() -> "test", timeout, () -> null, IllegalStateException::new))
                    .isNull();
        }
    }

    @Test
    void interruptedFirstWaiterTakesAReadyEvent() {
        Thread.currentThread().interrupt();
        assertThat(waiter.awaitAndTry(
                        () -> "test", Duration.ofSeconds(50), () -> "something", IllegalStateException::new))
                .isEqualTo("something");
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThatThrownBy(() -> waiter.awaitAndTry(
                        () -> "test", Duration.ofSeconds(50), () -> null, IllegalStateException::new))
                .isInstanceOf(WaitInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readinessEndsTheWait(boolean virtual) throws Exception {
        AtomicReference<ReadinessWaiter.Outcome> outcome = new AtomicReference<>();
        Thread thread = startWait(virtual, outcome);
        assertThat(outcome).hasValue(null);
        FileDescriptors.signal(descriptor);
        thread.join();
        assertThat(outcome).hasValue(ReadinessWaiter.Outcome.READY);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void timeEndsTheWaitAndNotEarlier(boolean virtual) throws Exception {
        AtomicReference<ReadinessWaiter.Outcome> outcome = new AtomicReference<>();
        long start = System.nanoTime();
        start(virtual, () -> outcome.set(waiter.await(30_000_000))).join();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(30_000_000);
        assertThat(outcome).hasValue(ReadinessWaiter.Outcome.TIMED_OUT);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachWaitEndsAtItsOwnTime(boolean virtual) throws Exception {
        AtomicReference<ReadinessWaiter.Outcome> longest = new AtomicReference<>();
        Thread waitsOn = startWait(virtual, longest);
        Queue<String> wrong = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int millis : new int[] {80, 20, 0, 40, 1, 3}) {
            threads.add(start(virtual, () -> {
                long start = System.nanoTime();
                for (int i = 1; i <= 3; i++) {
                    ReadinessWaiter.Outcome end = waiter.await(TimeUnit.MILLISECONDS.toNanos(millis));
                    long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
                    if (end != ReadinessWaiter.Outcome.TIMED_OUT || took < (long) i * millis) {
                        wrong.add("%s after %d ms, wait %d of %d ms".formatted(end, took, i, millis));
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            assertThat(thread.join(Duration.ofSeconds(30))).isTrue();
        }
        assertThat(wrong).isEmpty();
        assertThat(longest).hasValue(null);
        FileDescriptors.signal(descriptor);
        waitsOn.join();
        assertThat(longest).hasValue(ReadinessWaiter.Outcome.READY);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closeEndsTheWait(boolean virtual) throws Exception {
        AtomicReference<ReadinessWaiter.Outcome> outcome = new AtomicReference<>();
        Thread thread = startWait(virtual, outcome);
        waiter.close();
        thread.join();
        assertThat(outcome).hasValue(ReadinessWaiter.Outcome.CLOSED);
        start(virtual, () -> outcome.set(waiter.await(LONG))).join();
        assertThat(outcome).hasValue(ReadinessWaiter.Outcome.CLOSED);
        waiter.reopen();
        start(virtual, () -> outcome.set(waiter.await(1))).join();
        assertThat(outcome).hasValue(ReadinessWaiter.Outcome.TIMED_OUT);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void interruptEndsTheWaitAndRemainsSet(boolean virtual) throws Exception {
        AtomicReference<ReadinessWaiter.Outcome> outcome = new AtomicReference<>();
        AtomicReference<ReadinessWaiter.Outcome> next = new AtomicReference<>();
        CountDownLatch started = new CountDownLatch(1);
        Thread thread = start(virtual, () -> {
            started.countDown();
            outcome.set(waiter.await(LONG));
            next.set(waiter.await(LONG));
        });
        started.await();
        Thread.sleep(50);
        thread.interrupt();
        thread.join();
        assertThat(outcome).hasValue(ReadinessWaiter.Outcome.INTERRUPTED);
        assertThat(next).hasValue(ReadinessWaiter.Outcome.INTERRUPTED);
        // The signal that ended one wait does not disturb the next waiter.
        start(virtual, () -> outcome.set(waiter.await(1_000_000))).join();
        assertThat(outcome).hasValue(ReadinessWaiter.Outcome.TIMED_OUT);
    }

    /**
     * The JVM interrupts a platform thread in two steps: it sets the status and then wakes the thread. A thread that
     * clears the status between them and waits again must not be interrupted a second time.
     */
    @Test
    void interruptEndsOneWait() throws Exception {
        AtomicInteger endedByStatus = new AtomicInteger();
        AtomicInteger endedAgain = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        Thread thread = start(false, () -> {
            while (!over.get()) {
                if (waiter.await(LONG) == ReadinessWaiter.Outcome.INTERRUPTED) {
                    (Thread.interrupted() ? endedByStatus : endedAgain).incrementAndGet();
                }
            }
        });
        long start = System.nanoTime();
        while ((System.nanoTime() - start < 300_000_000 || endedByStatus.get() == 0) && endedAgain.get() == 0) {
            thread.interrupt();
        }
        over.set(true);
        FileDescriptors.signal(descriptor);
        thread.join();
        assertThat(endedByStatus).hasPositiveValue();
        assertThat(endedAgain).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void allWaitsAreEndedAtOnce(boolean virtual) throws Exception {
        Queue<ReadinessWaiter.Outcome> outcomes = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        // For those who come later than the wake-up.
        long seen = waiter.wakeUps();
        for (int i = 0; i < 8; i++) {
            threads.add(start(virtual, () -> outcomes.add(waiter.await(LONG, seen))));
        }
        Thread.sleep(100);
        waiter.wakeAll();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(outcomes).hasSize(8).containsOnly(ReadinessWaiter.Outcome.READY);
    }

    @Test
    void waitingVirtualThreadsLeaveTheirCarriers() throws Exception {
        int count = Runtime.getRuntime().availableProcessors() * 4 + 16;
        CountDownLatch waiting = new CountDownLatch(count);
        Queue<ReadinessWaiter.Outcome> outcomes = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            threads.add(start(true, () -> {
                waiting.countDown();
                outcomes.add(waiter.await(LONG));
            }));
        }
        // Were carriers held, those behind the first few could not even start.
        assertThat(waiting.await(20, TimeUnit.SECONDS)).isTrue();
        FileDescriptors.signal(descriptor);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(outcomes).hasSize(count).containsOnly(ReadinessWaiter.Outcome.READY);
    }

    @Test
    void triesUntilSomethingComesOrTheTimeIsOver() throws Exception {
        AtomicReference<String> box = new AtomicReference<>();
        assertThat(waiter.<String>await(() -> "waiting", Duration.ofMillis(5), box::get, IllegalStateException::new))
                .isNull();
        box.set("there");
        assertThat(waiter.<String>await(() -> "waiting", Duration.ZERO, box::get, IllegalStateException::new))
                .isEqualTo("there");
        box.set(null);
        Thread thread = start(false, () -> {
            sleep(30);
            box.set("later");
            FileDescriptors.signal(descriptor);
        });
        assertThat(waiter.<String>await(() -> "waiting", Duration.ofSeconds(50), box::get, IllegalStateException::new))
                .isEqualTo("later");
        thread.join();
    }

    @Test
    void closedWaiterAndAnInterruptAreExceptions() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> waiter.await(
                        () -> "taking an event", Duration.ofDays(1), () -> null, IllegalStateException::new))
                .isInstanceOf(WaitInterruptedException.class)
                .hasMessageStartingWith(
                        "taking an event failed: EINTR (Interrupted system call): the thread was interrupted while it"
                                + " waited");
        assertThat(Thread.interrupted()).isTrue();
        waiter.close();
        assertThatThrownBy(() -> waiter.await(
                        () -> "taking an event",
                        Duration.ofDays(1),
                        () -> null,
                        () -> new IllegalStateException("the channel is closed")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the channel is closed");
    }

    @Test
    void waiterLeavesNoDescriptorBehind() throws Exception {
        AtomicReference<ReadinessWaiter.Outcome> outcome = new AtomicReference<>();
        start(true, () -> outcome.set(waiter.await(1))).join();
        long before = openDescriptors();
        for (int i = 0; i < 200; i++) {
            int fd = FileDescriptors.createEventFd();
            ReadinessWaiter one = new ReadinessWaiter(fd);
            one.await(1);
            start(true, () -> one.await(1)).join();
            one.close();
            FileDescriptors.close(fd);
        }
        assertThat(openDescriptors()).isLessThan(before + 20);
    }

    @Test
    void descriptorThatIsNotOpenIsAnException() {
        assertThatThrownBy(() -> FileDescriptors.setNonBlocking(1_000_000))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EBADF");
    }

    private static long openDescriptors() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
