// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** After close() returns, no thread is inside, and none gets in. */
class UseGuardTest {

    @Test
    void closedGuardLetsNobodyIn() throws Exception {
        UseGuard guard = new UseGuard();
        assertThat(guard.enter()).isTrue();
        guard.exit();
        guard.close();
        assertThat(guard.enter()).isFalse();
        assertThat(CompletableFuture.supplyAsync(guard::enter).get(60, TimeUnit.SECONDS))
                .isFalse();
        guard.reopen();
        assertThat(guard.enter()).isTrue();
        guard.exit();
    }

    @Test
    void threadThatEnteredTwiceIsInsideUntilItsSecondExit() throws Exception {
        UseGuard guard = new UseGuard();
        assertThat(guard.enter()).isTrue();
        assertThat(guard.enter()).isTrue();
        Thread closer = Thread.ofPlatform().daemon().start(guard::close);
        while (guard.enter()) {
            guard.exit();
            Thread.onSpinWait();
        }
        guard.exit();
        assertThat(closer.join(Duration.ofMillis(50))).isFalse();
        guard.exit();
        assertThat(closer.join(Duration.ofSeconds(30))).isTrue();
    }

    @Test
    void onlyTheOwnerOfAnOpenGuardEntersAsOwner() throws Exception {
        UseGuard guard = new UseGuard();
        assertThat(guard.enterAsOwner()).as("has no owner yet").isFalse();
        assertThat(guard.enter()).isTrue();
        assertThat(guard.enterAsOwner()).as("is inside already").isFalse();
        guard.exit();
        assertThat(guard.enterAsOwner()).isTrue();
        assertThat(CompletableFuture.supplyAsync(guard::enterAsOwner).get(60, TimeUnit.SECONDS))
                .isFalse();
        Thread closer = Thread.ofPlatform().daemon().start(guard::close);
        assertThat(closer.join(Duration.ofMillis(50))).isFalse();
        guard.exitAsOwner();
        assertThat(closer.join(Duration.ofSeconds(30))).isTrue();
        assertThat(guard.enterAsOwner()).isFalse();
        guard.reopen();
        assertThat(guard.enterAsOwner()).isTrue();
        guard.exitAsOwner();
    }

    /** One use and one close of a guarded object. */
    private static final class Round {
        final UseGuard guard = new UseGuard();
        volatile boolean freed;
        final AtomicLong usersLeft;

        Round(int users) {
            usersLeft = new AtomicLong(users);
        }
    }

    private static final int LEAST_ROUNDS = 100;

    private volatile Round current;
    private volatile boolean over;
    private final AtomicLong violations = new AtomicLong();

    /**
     * One user is the guard's owner, and the others are counted. Without the handshake in close(), this finds about one
     * violation in a thousand rounds on two CPUs, and five seconds are tens of thousands of rounds. So this also fails
     * if a future JDK closes shared arenas without a handshake.
     */
    @Test
    void closeWaitsForTheOwner() throws Exception {
        stress(1, Duration.ofSeconds(5));
    }

    @Test
    void closeWaitsForOthers() throws Exception {
        stress(3, Duration.ofSeconds(2));
    }

    private void stress(int users, Duration duration) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < users; i++) {
            threads.add(Thread.ofPlatform().daemon().start(this::use));
        }
        SplittableRandom random = new SplittableRandom(1);
        long end = System.nanoTime() + duration.toNanos();
        long rounds = 0;
        // On a busy machine a round takes its threads' turns, and there are few in this time.
        while (System.nanoTime() < end || rounds <= LEAST_ROUNDS) {
            Round round = new Round(users);
            current = round;
            for (int i = random.nextInt(2000); i > 0; i--) {
                Thread.onSpinWait();
            }
            round.guard.close();
            round.freed = true;
            awaitUsers(round);
            rounds++;
        }
        over = true;
        for (Thread thread : threads) {
            thread.join(10_000);
            assertThat(thread.isAlive()).isFalse();
        }
        assertThat(violations).as("in %d rounds", rounds).hasValue(0);
    }

    private void use() {
        Round last = null;
        while (!over) {
            Round round = current;
            if (round == last) {
                Thread.onSpinWait();
                continue;
            }
            last = round;
            while (round.guard.enter()) {
                boolean freed = round.freed;
                round.guard.exit();
                if (freed) {
                    violations.incrementAndGet();
                }
            }
            round.usersLeft.decrementAndGet();
        }
    }

    private static void awaitUsers(Round round) {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (round.usersLeft.get() > 0) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("a user does not see that the guard is closed");
            }
            Thread.onSpinWait();
        }
    }
}
