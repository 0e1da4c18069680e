// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.WaitInterruptedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads, the lock of those who poll, and an adapter within the process: what comes, comes to one place for all. */
class SleepersTest {
    private static final long PATIENCE = Duration.ofMinutes(10).toNanos();

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final Adapter adapter = new Adapter();
    private final Sleepers sleepers = new Sleepers(adapter);

    @AfterEach
    void close() {
        executor.shutdownNow();
    }

    private static final class Member {
        final AtomicInteger arrived = new AtomicInteger();
        final Sleepers.Sleeper sleeper = new Sleepers.Sleeper(() -> arrived.get() > 0);
    }

    /** Announces what comes only if it was armed, and once. */
    private final class Adapter implements Sleepers.Host {
        private final Queue<Member> came = new ConcurrentLinkedQueue<>();
        private boolean armed;
        private boolean event;
        private boolean woken;
        private int waiting;
        private int mostWaiting;

        synchronized void come(Member member) {
            came.add(member);
            if (armed) {
                armed = false;
                event = true;
                notifyAll();
            }
        }

        @Override
        public void armAndTakeIn() {
            synchronized (this) {
                armed = true;
            }
            handOut();
        }

        private void handOut() {
            // One thread at a time, as the lock of those who poll has it.
            synchronized (came) {
                Member member = came.poll();
                while (member != null) {
                    member.arrived.incrementAndGet();
                    sleepers.notifyArrival(member.sleeper);
                    member = came.poll();
                }
            }
        }

        @Override
        public synchronized void await(long nanos) {
            long end = System.nanoTime() + nanos;
            mostWaiting = Math.max(mostWaiting, ++waiting);
            try {
                while (!event && !woken && System.nanoTime() - end < 0) {
                    TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, end - System.nanoTime()));
                }
                woken = false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new WaitInterruptedException("leading");
            } finally {
                waiting--;
            }
        }

        @Override
        public void takeIn() {
            synchronized (this) {
                event = false;
            }
            handOut();
        }

        @Override
        public synchronized void wake() {
            woken = true;
            notifyAll();
        }
    }

    /** A wake-up that is lost costs the patience, and fails. */
    @Test
    void eachSleeperIsNotifiedOfItsEvents() throws Exception {
        int threads = 8;
        int each = 3_000;
        List<Member> members = new ArrayList<>();
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Member member = new Member();
            members.add(member);
            all.add(executor.submit(() -> {
                int taken = 0;
                while (taken < each) {
                    long start = System.nanoTime();
                    sleepers.sleep(member.sleeper, PATIENCE);
                    assertThat(System.nanoTime() - start).isLessThan(PATIENCE / 2);
                    taken += member.arrived.getAndSet(0);
                }
                assertThat(taken).isEqualTo(each);
            }));
        }
        for (int i = 0; i < each; i++) {
            for (Member member : members) {
                adapter.come(member);
            }
            if (i % 50 == 0) {
                Thread.sleep(1);
            }
        }
        for (Future<?> one : all) {
            one.get(60, TimeUnit.SECONDS);
        }
        assertThat(adapter.mostWaiting).isEqualTo(1);
        assertThat(sleepers.isLed()).isFalse();
    }

    @Test
    void wokenLeaderLeavesAndAnotherLeads() throws Exception {
        Member first = new Member();
        Member second = new Member();
        Future<?> leader = executor.submit(() -> sleepers.sleep(first.sleeper, PATIENCE));
        while (!sleepers.isLed()) {
            Thread.sleep(1);
        }
        Future<?> follower = executor.submit(() -> sleepers.sleep(second.sleeper, PATIENCE));
        Thread.sleep(20);
        sleepers.wake(first.sleeper);
        leader.get(60, TimeUnit.SECONDS);
        adapter.come(second);
        follower.get(60, TimeUnit.SECONDS);
        assertThat(second.arrived).hasValue(1);
        // Also before the sleep.
        sleepers.wake(first.sleeper);
        long start = System.nanoTime();
        sleepers.sleep(first.sleeper, PATIENCE);
        assertThat(System.nanoTime() - start).isLessThan(PATIENCE / 2);
    }

    @Test
    void leaderWhoseTimeIsOverCallsTheNext() throws Exception {
        Member brief = new Member();
        Member patient = new Member();
        Future<?> leader = executor.submit(
                () -> sleepers.sleep(brief.sleeper, Duration.ofMillis(100).toNanos()));
        while (!sleepers.isLed() && !leader.isDone()) {
            Thread.sleep(1);
        }
        Future<?> follower = executor.submit(() -> sleepers.sleep(patient.sleeper, PATIENCE));
        leader.get(60, TimeUnit.SECONDS);
        adapter.come(patient);
        follower.get(60, TimeUnit.SECONDS);
    }

    @Test
    void interruptEndsTheSleepOfAFollowerAndOfALeader() throws Exception {
        Member first = new Member();
        Member second = new Member();
        AtomicReference<Throwable> leadersEnd = new AtomicReference<>();
        AtomicReference<Throwable> followersEnd = new AtomicReference<>();
        Thread leader = Thread.ofPlatform().start(() -> sleep(first, leadersEnd));
        while (!sleepers.isLed()) {
            Thread.sleep(1);
        }
        Thread follower = Thread.ofPlatform().start(() -> sleep(second, followersEnd));
        Thread.sleep(20);
        follower.interrupt();
        assertThat(follower.join(Duration.ofSeconds(60))).isTrue();
        assertThat(followersEnd.get()).isInstanceOf(WaitInterruptedException.class);
        leader.interrupt();
        assertThat(leader.join(Duration.ofSeconds(60))).isTrue();
        assertThat(leadersEnd.get()).isInstanceOf(WaitInterruptedException.class);
        assertThat(sleepers.isLed()).isFalse();
    }

    private void sleep(Member member, AtomicReference<Throwable> end) {
        try {
            sleepers.sleep(member.sleeper, PATIENCE);
        } catch (RuntimeException e) {
            end.set(Thread.currentThread().isInterrupted() ? e : new AssertionError("the status is gone", e));
        }
    }

    /** The leader has nothing for itself, and goes on leading. */
    @Test
    void followerIsWokenByWhatTheLeaderHandsOut() throws Exception {
        Member first = new Member();
        Member second = new Member();
        Future<?> leader = executor.submit(() -> sleepers.sleep(first.sleeper, PATIENCE));
        while (!sleepers.isLed()) {
            Thread.sleep(1);
        }
        Thread follower = Thread.ofPlatform().start(() -> sleepers.sleep(second.sleeper, PATIENCE));
        while (follower.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }
        adapter.come(second);
        assertThat(follower.join(Duration.ofSeconds(60))).isTrue();
        adapter.come(first);
        leader.get(60, TimeUnit.SECONDS);
    }
}
