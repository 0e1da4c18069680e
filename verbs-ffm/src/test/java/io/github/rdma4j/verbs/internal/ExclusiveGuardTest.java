// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One thread at a time, and none after the close; whether or not a thread has become the owner. */
@Timeout(600)
class ExclusiveGuardTest {
    private static final int ENOUGH_TO_OWN = 5_000;

    private final ExclusiveGuard guard = new ExclusiveGuard();
    private int unguarded;

    private void enterOften(int times) {
        for (int i = 0; i < times; i++) {
            int entry = guard.enter();
            assertThat(entry).isNotEqualTo(ExclusiveGuard.CLOSED);
            unguarded++;
            guard.exit(entry);
        }
    }

    private static Thread start(boolean virtual, Runnable task) {
        return virtual ? Thread.ofVirtual().start(task) : Thread.ofPlatform().start(task);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void twoThreadsAreNeverInsideTogether(boolean virtual) throws Exception {
        for (int round = 0; round < 20; round++) {
            ExclusiveGuard shared = new ExclusiveGuard();
            int[] counter = new int[1];
            int times = 20_000;
            CountDownLatch second = new CountDownLatch(1);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                boolean first = i == 0;
                threads.add(start(virtual, () -> {
                    for (int j = 0; j < times; j++) {
                        if (first && j == times / 4) {
                            // The first thread is the owner by now.
                            second.countDown();
                        } else if (!first && j == 0) {
                            await(second);
                        }
                        int entry = shared.enter();
                        counter[0]++;
                        shared.exit(entry);
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(counter[0]).isEqualTo(2 * times);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void ownerGoesOnAfterAnotherThreadHasCome() throws Exception {
        enterOften(ENOUGH_TO_OWN);
        start(false, () -> enterOften(ENOUGH_TO_OWN)).join();
        enterOften(ENOUGH_TO_OWN);
        assertThat(unguarded).isEqualTo(3 * ENOUGH_TO_OWN);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, ENOUGH_TO_OWN})
    void threadThatIsInsideHoldsUpOthersAndTheClose(int before) throws Exception {
        enterOften(before);
        int first = guard.enter();
        assertThat(first).isNotEqualTo(ExclusiveGuard.CLOSED);
        AtomicInteger done = new AtomicInteger();
        List<Thread> threads = List.of(
                start(false, () -> {
                    int entry = guard.enter();
                    if (entry != ExclusiveGuard.CLOSED) {
                        guard.exit(entry);
                    }
                    done.incrementAndGet();
                }),
                start(false, () -> {
                    ExclusiveGuard.awaitNobodyInside(List.of(guard));
                    done.incrementAndGet();
                }));
        Thread.sleep(50);
        assertThat(done).hasValue(0);
        guard.exit(first);
        for (Thread thread : threads) {
            thread.join();
        }
        int second = guard.enter();
        assertThat(second).isNotEqualTo(ExclusiveGuard.CLOSED);
        Thread closing = start(false, () -> {
            guard.close();
            done.incrementAndGet();
        });
        Thread.sleep(50);
        assertThat(done).hasValue(2);
        guard.exit(second);
        closing.join();
        assertThat(done).hasValue(3);
        assertThat(guard.enter()).isEqualTo(ExclusiveGuard.CLOSED);
        start(false, () -> assertThat(guard.enter()).isEqualTo(ExclusiveGuard.CLOSED))
                .join();
        guard.reopen();
        enterOften(ENOUGH_TO_OWN);
        guard.close();
        assertThat(guard.enter()).isEqualTo(ExclusiveGuard.CLOSED);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void closeReturnsWithoutCallersInside(int threadCount) throws Exception {
        for (int round = 0; round < 100; round++) {
            ExclusiveGuard closed = new ExclusiveGuard();
            boolean[] freed = new boolean[1];
            AtomicInteger tooLate = new AtomicInteger();
            CountDownLatch running = new CountDownLatch(threadCount);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < threadCount; i++) {
                threads.add(start(i % 2 == 1, () -> {
                    int entry = closed.enter();
                    for (int j = 0; entry != ExclusiveGuard.CLOSED; j++, entry = closed.enter()) {
                        if (freed[0]) {
                            tooLate.incrementAndGet();
                        }
                        closed.exit(entry);
                        if (j == 2_000) {
                            running.countDown();
                        }
                    }
                }));
            }
            running.await();
            closed.close();
            freed[0] = true;
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(tooLate).hasValue(0);
        }
    }
}
