// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One thread at a time, whether or not a thread has become the owner, and waits that end. */
@Timeout(600)
class BiasedLockTest {
    private static final int ENOUGH_TO_OWN = 5_000;
    private static final long LONG = TimeUnit.MINUTES.toNanos(5);

    private final BiasedLock lock = new BiasedLock();
    private int unguarded;
    private boolean open;

    private void enterOften(int times) {
        for (int i = 0; i < times; i++) {
            lock.lock();
            unguarded++;
            lock.unlock();
        }
    }

    private static Thread start(boolean virtual, Runnable task) {
        return virtual ? Thread.ofVirtual().start(task) : Thread.ofPlatform().start(task);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void twoThreadsAreNeverInsideTogether(boolean virtual) throws Exception {
        for (int round = 0; round < 20; round++) {
            BiasedLock shared = new BiasedLock();
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
                        shared.lock();
                        counter[0]++;
                        shared.unlock();
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(counter[0]).isEqualTo(2 * times);
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
    void threadThatIsInsideHoldsUpOthers(int before) throws Exception {
        enterOften(before);
        lock.lock();
        assertThat(CompletableFuture.supplyAsync(this::tryToEnter).get()).isFalse();
        Thread other = start(false, () -> enterOften(1));
        Thread.sleep(50);
        assertThat(unguarded).isEqualTo(before);
        lock.unlock();
        other.join();
        assertThat(unguarded).isEqualTo(before + 1);
        assertThat(CompletableFuture.supplyAsync(this::tryToEnter).get()).isTrue();
        assertThat(tryToEnter()).isTrue();
        enterOften(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, ENOUGH_TO_OWN})
    void threadMayTakeItAgain(int before) throws Exception {
        enterOften(before);
        lock.lock();
        lock.lock();
        assertThat(CompletableFuture.supplyAsync(this::tryToEnter).get()).isFalse();
        lock.lock();
        lock.unlock();
        lock.unlock();
        assertThat(CompletableFuture.supplyAsync(this::tryToEnter).get()).isFalse();
        lock.unlock();
        assertThat(CompletableFuture.supplyAsync(this::tryToEnter).get()).isTrue();
        enterOften(1);
    }

    private boolean tryToEnter() {
        boolean entered = lock.tryLock();
        if (entered) {
            lock.unlock();
        }
        return entered;
    }

    @Test
    void ownerThatTriesGoesOnByTurns() {
        enterOften(ENOUGH_TO_OWN);
        assertThat(lock.isBiased()).isTrue();
        assertThat(tryToEnter()).isTrue();
        assertThat(lock.isBiased()).isFalse();
        enterOften(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void signalEndsTheWaitOfAnyThread(boolean virtual) throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        Thread waiting = start(virtual, () -> {
            enterOften(ENOUGH_TO_OWN);
            waits.countDown();
            awaitOpen();
        });
        waits.await();
        Thread.sleep(20);
        // Nobody owns it while a thread waits, so that the signal reaches that thread.
        enterOften(ENOUGH_TO_OWN);
        assertThat(lock.isBiased()).isFalse();
        assertThat(waiting.isAlive()).isTrue();
        lock.lock();
        open = true;
        lock.signalAll();
        lock.unlock();
        waiting.join();
    }

    private void awaitOpen() {
        lock.lock();
        try {
            while (!open) {
                lock.await(LONG);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            lock.unlock();
        }
    }

    @Test
    void interruptEndsTheWaitWithTheLockHeld() throws Exception {
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread waiting = start(false, () -> {
            lock.lock();
            try {
                while (true) {
                    lock.await(LONG);
                }
            } catch (InterruptedException e) {
                interrupted.complete(true);
            } finally {
                lock.unlock();
            }
        });
        Thread.sleep(20);
        waiting.interrupt();
        assertThat(interrupted.get()).isTrue();
        waiting.join();
        enterOften(1);
    }
}
