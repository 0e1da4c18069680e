// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.KernelCalls;
import io.github.rdma4j.verbs.internal.TestDescriptor;
import java.lang.foreign.Linker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests one wait for many sources. The sources are the test's own, so no device is needed. */
@Timeout(600)
class EventPollerTest {
    private static final Duration LONG = Duration.ofSeconds(50);

    private static final class Source implements EventSource, AutoCloseable {
        final TestDescriptor descriptor;
        boolean open = true;

        Source() {
            this(new TestDescriptor());
        }

        Source(TestDescriptor descriptor) {
            this.descriptor = descriptor;
        }

        @Override
        public int fileDescriptor() {
            if (!open) {
                throw new IllegalStateException("source is closed");
            }
            return descriptor.number();
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void close() {
            if (open) {
                open = false;
                descriptor.close();
            }
        }
    }

    private final EventPoller poller = EventPoller.open();
    private final Source a = new Source();
    private final Source b = new Source();

    @AfterEach
    void close() {
        poller.close();
        a.close();
        b.close();
    }

    private List<EventSource> select(Duration timeout) {
        List<EventSource> ready = new ArrayList<>();
        assertThat(poller.select(timeout, ready::add)).isEqualTo(ready.size());
        return ready;
    }

    @Test
    void onlyWhatIsReadyIsHandled() {
        poller.add(a);
        poller.add(b);
        assertThat(poller.size()).isEqualTo(2);
        assertThat(select(Duration.ZERO)).isEmpty();
        b.descriptor.signal();
        assertThat(select(LONG)).containsExactly(b);
        // Until its event is taken.
        assertThat(select(LONG)).containsExactly(b);
        a.descriptor.signal();
        assertThat(select(LONG)).containsExactlyInAnyOrder(a, b);
        b.descriptor.drain();
        a.descriptor.drain();
        assertThat(select(Duration.ofMillis(5))).isEmpty();
    }

    @Test
    void removedOrClosedSourceIsNotHandled() {
        poller.add(a);
        poller.add(b);
        a.descriptor.signal();
        b.descriptor.signal();
        poller.remove(a);
        poller.remove(a);
        assertThat(select(LONG)).containsExactly(b);
        poller.add(a);
        b.close();
        assertThat(select(LONG)).containsExactly(a);
        assertThat(poller.size()).isEqualTo(1);
        poller.remove(b);
    }

    @Test
    void waitMayBeginWithTheTimeThatTheCallerHasRead() {
        poller.add(a);
        long start = System.nanoTime();
        assertThat(poller.select(start, Duration.ofMillis(20).toNanos(), source -> {}))
                .isZero();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
        assertThat(poller.select(start, -1, source -> {})).isZero();
        a.descriptor.signal();
        assertThat(poller.select(0, 0, source -> assertThat(source).isSameAs(a)))
                .isEqualTo(1);
    }

    @Test
    void handlerMayRemoveWhatComesNext() {
        poller.add(a);
        poller.add(b);
        a.descriptor.signal();
        b.descriptor.signal();
        int called = poller.select(LONG, source -> {
            poller.remove(a);
            poller.remove(b);
        });
        assertThat(called).isEqualTo(1);
    }

    @Test
    void handlerThatThrowsForOneSourceKeepsNoOtherFromItsTurn() {
        poller.add(a);
        poller.add(b);
        List<EventSource> handled = new ArrayList<>();
        for (Source broken : List.of(a, b)) {
            handled.clear();
            a.descriptor.signal();
            b.descriptor.signal();
            for (int i = 0; i < 4; i++) {
                try {
                    poller.select(LONG, source -> {
                        if (source == broken) {
                            throw new UnsupportedOperationException("a mistake of the program's");
                        }
                        handled.add(source);
                    });
                } catch (UnsupportedOperationException e) {
                    handled.add(broken);
                }
            }
            assertThat(handled).contains(a, b);
        }
    }

    @Test
    void mistakesAreExceptions() {
        poller.add(a);
        assertThatThrownBy(() -> poller.add(a))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("was added already");
        b.close();
        assertThatThrownBy(() -> poller.add(b)).isInstanceOf(IllegalStateException.class);
        poller.close();
        poller.close();
        assertThat(poller.isOpen()).isFalse();
        for (Runnable use : new Runnable[] {
            () -> poller.add(a), () -> poller.wakeUp(), () -> poller.select(Duration.ZERO, source -> {})
        }) {
            assertThatThrownBy(use::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the event poller is closed");
        }
    }

    @Test
    void wakeUpBeforeTheSelectCountsToo() {
        poller.wakeUp();
        assertThat(select(LONG)).isEmpty();
        assertThat(select(Duration.ofMillis(5))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eventAWakeUpAndACloseEndTheSelect(boolean virtual) throws Exception {
        poller.add(a);
        for (Runnable end : new Runnable[] {a.descriptor::signal, poller::wakeUp, poller::close}) {
            AtomicReference<Object> result = new AtomicReference<>();
            Runnable task = () -> {
                try {
                    result.set(poller.select(LONG, source -> a.descriptor.drain()));
                } catch (IllegalStateException e) {
                    result.set(e.getMessage());
                }
            };
            Thread thread = virtual
                    ? Thread.ofVirtual().start(task)
                    : Thread.ofPlatform().start(task);
            Thread.sleep(50);
            assertThat(result).hasValue(null);
            end.run();
            thread.join();
            if (!poller.isOpen()) {
                assertThat(result).hasValue("the event poller is closed");
            } else {
                assertThat(result.get()).isIn(0, 1);
            }
        }
    }

    @Test
    void interruptEndsTheSelect() throws Exception {
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                poller.select(LONG, source -> {});
            } catch (WaitInterruptedException e) {
                end.set(e);
            }
        });
        Thread.sleep(50);
        thread.interrupt();
        thread.join();
        assertThat(end.get()).hasMessageContaining("EventPoller.select").hasMessageContaining("EINTR");
    }

    @Test
    void uninterruptibleWaitGetsEventsAndKeepsTheInterrupt() {
        poller.add(b);
        Thread.currentThread().interrupt();
        b.descriptor.signal();
        List<EventSource> ready = new ArrayList<>();
        assertThat(poller.selectUninterruptibly(System.nanoTime(), LONG.toNanos(), ready::add))
                .isEqualTo(1);
        assertThat(ready).containsExactly(b);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void uninterruptibleWaitContinuesAndIsWokenUp() throws Exception {
        assumeThat(Linker.nativeLinker().defaultLookup().find("epoll_pwait2")).isPresent();
        assumeTrue(KernelCalls.hasNanosecondWaits());
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            assertThat(poller.selectUninterruptibly(System.nanoTime(), LONG.toNanos(), source -> {}))
                    .isZero();
            interrupted.complete(Thread.interrupted());
        });
        Thread.sleep(50);
        thread.interrupt();
        assertThat(thread.join(Duration.ofMillis(50))).isFalse();
        poller.wakeUp();
        assertThat(interrupted.get(60, TimeUnit.SECONDS)).isTrue();
    }

    /**
     * Linux before 5.11 has no epoll_pwait2. Containers whose seccomp filter is older than the call refuse it with
     * EPERM.
     */
    @ParameterizedTest
    @ValueSource(ints = {Errno.ENOSYS, Errno.EPERM})
    void whereTheKernelHasNoWaitInNanosecondsThereIsAnother(int errno) throws Exception {
        poller.add(b);
        CompletableFuture<Thread> waiting = new CompletableFuture<>();
        CompletableFuture<WaitInterruptedException> end = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                KernelCalls.refuse(KernelCalls.EPOLL_PWAIT2, errno);
                assertThat(KernelCalls.hasNanosecondWaits()).isFalse();
                assertThat(select(Duration.ofMillis(1))).isEmpty();
                b.descriptor.signal();
                assertThat(select(LONG)).containsExactly(b);
                b.descriptor.drain();
                poller.wakeUp();
                assertThat(select(LONG)).isEmpty();
                waiting.complete(Thread.currentThread());
                // It may end: the call that need not has not been made.
                poller.selectUninterruptibly(System.nanoTime(), LONG.toNanos(), source -> {});
                end.complete(null);
            } catch (WaitInterruptedException e) {
                assertThat(Thread.interrupted()).isTrue();
                b.descriptor.signal();
                assertThat(select(LONG)).containsExactly(b);
                end.complete(e);
            } catch (Throwable e) {
                waiting.completeExceptionally(e);
                end.completeExceptionally(e);
            }
        });
        waiting.get(60, TimeUnit.SECONDS).interrupt();
        assertThat(end.get(60, TimeUnit.SECONDS)).hasMessageContaining("EventPoller.select");
        thread.join();
    }

    /** Each of the two is the one that waits in the kernel for the set itself, at some time. */
    @Test
    void interruptOfOneThreadEndsNoSelectOfAnother() throws Exception {
        AtomicInteger interrupts = new AtomicInteger();
        AtomicInteger ends = new AtomicInteger();
        CountDownLatch started = new CountDownLatch(2);
        List<Thread> threads = Stream.generate(() -> Thread.ofPlatform().start(() -> {
                    started.countDown();
                    while (poller.isOpen()) {
                        try {
                            poller.select(LONG, source -> {});
                            ends.incrementAndGet();
                        } catch (WaitInterruptedException e) {
                            interrupts.addAndGet(Thread.interrupted() ? 1 : 100);
                        } catch (IllegalStateException closed) {
                            return;
                        }
                    }
                }))
                .limit(2)
                .toList();
        started.await();
        for (int i = 0; i < 40; i++) {
            int before = interrupts.get();
            threads.get(i % 2).interrupt();
            while (interrupts.get() == before) {
                Thread.sleep(1);
            }
        }
        poller.close();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(interrupts).hasValue(40);
        assertThat(ends).hasValue(0);
    }

    /** Both come to the same wait: it ends by one of them, and the next one by the other. */
    @Test
    void interruptTakesNoWakeUpAway() throws Exception {
        AtomicInteger interrupts = new AtomicInteger();
        AtomicInteger wakeUps = new AtomicInteger();
        Thread selecting = Thread.ofPlatform().start(() -> {
            while (poller.isOpen()) {
                try {
                    poller.select(LONG, source -> {});
                    wakeUps.incrementAndGet();
                } catch (WaitInterruptedException e) {
                    // First: the next interrupt comes as soon as this one is counted.
                    Thread.interrupted();
                    interrupts.incrementAndGet();
                } catch (IllegalStateException closed) {
                    return;
                }
            }
        });
        for (int i = 1; i <= 200; i++) {
            Thread.sleep(1);
            selecting.interrupt();
            poller.wakeUp();
            while (interrupts.get() < i || wakeUps.get() < i) {
                Thread.sleep(1);
            }
        }
        poller.close();
        selecting.join();
        assertThat(interrupts).hasValue(200);
    }

    /**
     * Closes pollers on a virtual thread while platform and virtual threads select, with one carrier: a virtual thread
     * that waited for another inside the poller could never leave it.
     */
    static final class ClosingOnAVirtualThread {
        private static final int ROUNDS = 100;

        public static void main(String[] arguments) throws Exception {
            for (int round = 0; round < ROUNDS; round++) {
                EventPoller poller = EventPoller.open();
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    Runnable selecting = () -> selectUntilClosed(poller);
                    threads.add(
                            i % 2 == 0
                                    ? Thread.ofPlatform().daemon().start(selecting)
                                    : Thread.ofVirtual().start(selecting));
                }
                threads.add(Thread.ofVirtual().start(poller::close));
                for (Thread thread : threads) {
                    if (!thread.join(Duration.ofSeconds(60))) {
                        System.out.println(thread + " does not end, in round " + round);
                        System.exit(1);
                    }
                }
            }
            System.out.println("closed " + ROUNDS);
        }

        private static void selectUntilClosed(EventPoller poller) {
            try {
                while (true) {
                    poller.select(Duration.ofNanos(1), source -> {});
                    // Virtual threads share the carrier only where they wait. One that yields without end can keep it
                    // from
                    // those that have not begun yet: the closing one was seen not to run for a minute.
                    LockSupport.parkNanos(1_000);
                }
            } catch (IllegalStateException e) {
                // The poller is closed.
            }
        }
    }

    @Test
    @Timeout(600)
    void closeOnAVirtualThreadStopsNoOtherVirtualThread() throws Exception {
        assertThat(ChildJvm.run(
                        ClosingOnAVirtualThread.class,
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=1"))
                .contains("closed 100");
    }

    /** A source whose descriptor belongs to somebody else, as a native context that two objects stand for. */
    private record Borrowed(TestDescriptor descriptor, AtomicBoolean open) implements EventSource {
        @Override
        public int fileDescriptor() {
            return descriptor.number();
        }

        @Override
        public boolean isOpen() {
            return open.get();
        }
    }

    @Test
    void sourcesThatShareADescriptorAreAllHandled() {
        Borrowed first = new Borrowed(a.descriptor, new AtomicBoolean(true));
        Borrowed second = new Borrowed(a.descriptor, new AtomicBoolean(true));
        poller.add(first);
        poller.add(second);
        assertThat(poller.size()).isEqualTo(2);
        a.descriptor.signal();
        assertThat(select(LONG)).containsExactly(first, second);
        poller.remove(first);
        assertThat(select(LONG)).containsExactly(second);
        poller.remove(second);
        assertThat(select(Duration.ZERO)).isEmpty();
        poller.add(first);
        assertThat(select(LONG)).containsExactly(first);
    }

    @Test
    void closedSourceWhoseDescriptorStaysOpenWakesNobody() throws Exception {
        Borrowed first = new Borrowed(a.descriptor, new AtomicBoolean(true));
        poller.add(first);
        a.descriptor.signal();
        first.open().set(false);
        // The first look may find the closed source, and forgets it.
        select(Duration.ZERO);
        AtomicReference<Object> result = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().start(() -> result.set(poller.select(LONG, source -> {})));
        Thread.sleep(50);
        assertThat(result).hasValue(null);
        Borrowed second = new Borrowed(a.descriptor, new AtomicBoolean(true));
        poller.add(second);
        thread.join();
        assertThat(result).hasValue(1);
    }

    /** As when a descriptor is closed and the next one opened has its number, the lowest that is free. */
    private static Source withTheNumberOf(Source closed) {
        closed.open = false;
        return new Source(TestDescriptor.inPlaceOf(closed.descriptor));
    }

    @Test
    void numberThatIsUsedAgainWhileItsEventWaitsBelongsToTheNewSource() {
        poller.add(a);
        poller.add(b);
        a.descriptor.signal();
        b.descriptor.signal();
        List<EventSource> handled = new ArrayList<>();
        Source[] next = new Source[1];
        poller.select(LONG, source -> {
            handled.add(source);
            if (next[0] == null) {
                // The kernel has already reported both.
                next[0] = withTheNumberOf(source == a ? b : a);
                poller.add(next[0]);
            }
        });
        try (Source third = next[0]) {
            assertThat(handled).doesNotContain(handled.getFirst() == a ? b : a);
            (a.isOpen() ? a : b).descriptor.drain();
            assertThat(select(Duration.ofMillis(5))).isEmpty();
            third.descriptor.signal();
            assertThat(select(LONG)).containsExactly(third);
            poller.remove(a.isOpen() ? b : a);
            assertThat(select(LONG)).containsExactly(third);
            poller.remove(third);
            assertThat(select(Duration.ofMillis(5))).isEmpty();
            assertThat(poller.size()).isEqualTo(1);
        }
    }

    @Test
    void numberThatSomebodyElseUsesNowIsNotWaitedFor() {
        poller.add(a);
        try (Source foreign = withTheNumberOf(a)) {
            foreign.descriptor.signal();
            assertThat(select(Duration.ofMillis(5))).isEmpty();
            poller.remove(a);
            poller.add(foreign);
            assertThat(select(LONG)).containsExactly(foreign);
        }
    }

    @Test
    void reopenedSourceIsPolledByItsNewDescriptor() {
        TestDescriptor second = new TestDescriptor();
        try (second) {
            AtomicReference<TestDescriptor> current = new AtomicReference<>(a.descriptor);
            EventSource source = new EventSource() {
                @Override
                public int fileDescriptor() {
                    return current.get().number();
                }

                @Override
                public boolean isOpen() {
                    return true;
                }
            };
            poller.add(source);
            current.set(second);
            poller.add(source);
            a.descriptor.signal();
            assertThat(select(Duration.ofMillis(5))).isEmpty();
            second.signal();
            assertThat(select(LONG)).containsExactly(source);
            assertThat(poller.size()).isOne();
        }
    }
}
