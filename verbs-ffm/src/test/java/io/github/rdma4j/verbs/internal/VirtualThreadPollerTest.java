// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The threads that wait for virtual threads: two for all descriptors, and no failure ends them. */
@Timeout(600)
class VirtualThreadPollerTest {
    private static final long LONG = TimeUnit.SECONDS.toNanos(60);

    private final TestDescriptor descriptor = new TestDescriptor();

    @AfterEach
    void close() {
        descriptor.close();
    }

    private static VirtualThreadPoller.Waiter waiter(int descriptor, Runnable action) {
        return new VirtualThreadPoller.Waiter(descriptor) {
            @Override
            void ready() {
                action.run();
            }

            @Override
            void timeOver() {
                action.run();
            }
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void outOfMemoryErrorEndsNeitherTheThreadsNorTheWait(boolean ready) throws Exception {
        CountDownLatch called = new CountDownLatch(2);
        AtomicInteger calls = new AtomicInteger();
        VirtualThreadPoller.Waiter failing = waiter(descriptor.number(), () -> {
            called.countDown();
            if (calls.incrementAndGet() == 1) {
                throw new OutOfMemoryError("as the test wants it");
            }
        });
        VirtualThreadPoller.watch(failing);
        try {
            if (ready) {
                descriptor.signal();
            } else {
                VirtualThreadPoller.limit(failing, System.nanoTime());
            }
            assertThat(called.await(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            VirtualThreadPoller.forget(failing);
        }
    }

    @Test
    void earliestLimitOfAWaiterCountsOnce() throws Exception {
        Semaphore over = new Semaphore(0);
        VirtualThreadPoller.Waiter waiter = waiter(descriptor.number(), over::release);
        VirtualThreadPoller.watch(waiter);
        try {
            long now = System.nanoTime();
            VirtualThreadPoller.limit(waiter, now + LONG);
            VirtualThreadPoller.limit(waiter, now + TimeUnit.MILLISECONDS.toNanos(20));
            VirtualThreadPoller.limit(waiter, now + TimeUnit.MILLISECONDS.toNanos(40));
            assertThat(over.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
            assertThat(System.nanoTime() - now).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
            assertThat(over.tryAcquire(100, TimeUnit.MILLISECONDS)).isFalse();
        } finally {
            VirtualThreadPoller.forget(waiter);
        }
    }

    @Test
    void twoObjectsWaitForOneDescriptor() throws Exception {
        List<ReadinessWaiter> waiters =
                List.of(new ReadinessWaiter(descriptor.number()), new ReadinessWaiter(descriptor.number()));
        List<AtomicReference<Object>> ends = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (ReadinessWaiter waiter : waiters) {
            AtomicReference<Object> end = new AtomicReference<>();
            ends.add(end);
            threads.add(Thread.ofVirtual().start(() -> {
                try {
                    end.set(waiter.await(LONG));
                } catch (Throwable e) {
                    end.set(e);
                }
            }));
        }
        Thread.sleep(100);
        assertThat(ends).allSatisfy(end -> assertThat(end).hasValue(null));
        descriptor.signal();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(ends).allSatisfy(end -> assertThat(end).hasValue(ReadinessWaiter.Outcome.READY));
        // The end of one is not the end of the other.
        waiters.getFirst().close();
        AtomicReference<Object> after = new AtomicReference<>();
        Thread.ofVirtual().start(() -> after.set(waiters.getLast().await(LONG))).join();
        assertThat(after).hasValue(ReadinessWaiter.Outcome.READY);
        waiters.getLast().close();
    }

    @Test
    void reusedDescriptorIsWatchedAgain() throws Exception {
        AtomicInteger first = new AtomicInteger();
        CountDownLatch second = new CountDownLatch(1);
        TestDescriptor gone = new TestDescriptor();
        int number = gone.number();
        VirtualThreadPoller.watch(waiter(number, first::incrementAndGet));
        try (TestDescriptor again = TestDescriptor.inPlaceOf(gone)) {
            VirtualThreadPoller.Waiter waiter = waiter(number, second::countDown);
            VirtualThreadPoller.watch(waiter);
            again.signal();
            assertThat(second.await(60, TimeUnit.SECONDS)).isTrue();
            VirtualThreadPoller.forget(waiter);
        }
    }

    @Test
    void unwatchableDescriptorThrowsAndIsForgotten() {
        VirtualThreadPoller.Waiter waiter = waiter(1_000_000, () -> {});
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> VirtualThreadPoller.watch(waiter))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("EBADF");
        }
    }

    /** Waits on a virtual thread with no descriptor left, and again when there are some. */
    static final class WithoutDescriptors {
        /** No constant of the outer class, which could not be loaded without a descriptor. */
        private static final long LONG = TimeUnit.SECONDS.toNanos(60);

        public static void main(String[] arguments) throws Exception {
            TestDescriptor waited = new TestDescriptor();
            ReadinessWaiter waiter = new ReadinessWaiter(waited.number());
            // A class that is loaded now needs no descriptor later.
            for (String name : List.of(
                    "VirtualThreadPoller",
                    "VirtualThreadPoller$Waiter",
                    "ReadinessWaiter$Watching",
                    "ReadinessWaiter$Parked",
                    "ReadinessWaiter$Outcome")) {
                Class.forName("io.github.rdma4j.verbs.internal." + name, false, ReadinessWaiter.class.getClassLoader());
            }
            try (TestDescriptor one = new TestDescriptor()) {
                FileDescriptors.setNonBlocking(one.number());
            }
            System.out.println(describe(Failures.of("warming up", Errno.EINVAL)));
            List<TestDescriptor> all = TestDescriptor.takeAll();
            System.out.println(await(waiter));
            System.out.println(await(waiter));
            all.forEach(TestDescriptor::close);
            waited.signal();
            System.out.println(await(waiter));
        }

        private static String await(ReadinessWaiter waiter) throws InterruptedException {
            AtomicReference<String> end = new AtomicReference<>();
            Thread.ofVirtual()
                    .start(() -> {
                        try {
                            end.set(waiter.await(LONG).toString());
                        } catch (Throwable e) {
                            end.set(describe(e));
                        }
                    })
                    .join();
            return end.get();
        }

        private static String describe(Throwable e) {
            return e.getClass().getSimpleName() + ": " + e.getMessage();
        }
    }

    @Test
    void waitWithoutDescriptorsIsAnExceptionAndTheNextOneWorks() throws Exception {
        List<String> lines = ChildJvm.run(WithoutDescriptors.class);
        assertThat(lines.subList(lines.size() - 3, lines.size()))
                .satisfiesExactly(
                        failed -> assertThat(failed).contains("VerbsException", "EMFILE", "ulimit -n"),
                        again -> assertThat(again).contains("VerbsException", "EMFILE", "ulimit -n"),
                        there -> assertThat(there).isEqualTo("READY"));
    }
}
