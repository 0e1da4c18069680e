// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.endpoint.FakeTransport;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol.State;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two ends move between a TCP connection and RDMA connections that die at any instant, while their programs do anything
 * at any time. No message is lost, doubled or reordered. A write arrives before the message that follows it, and never
 * again after it. Futures complete once, atomic operations happen as often as reported, and credits are conserved. The
 * schedule depends only on a seed: {@code -Drdma4j.simulation.seed=N} plays one again.
 */
class FailoverSimulationTest {
    private static final Long SEED = Long.getLong("rdma4j.simulation.seed");

    @Test
    void everyScheduleKeepsWhatIsPromised() {
        play(4_000);
    }

    @Test
    @Tag("full")
    void millionSchedulesKeepWhatIsPromised() {
        play(1_000_000);
    }

    private static void play(long schedules) {
        if (SEED != null) {
            new Schedule(SEED).play();
            return;
        }
        AtomicLong moves = new AtomicLong();
        for (long seed = 1; seed <= schedules; seed++) {
            try {
                moves.addAndGet(new Schedule(seed).play());
            } catch (Throwable e) {
                throw new AssertionError(
                        "schedule %d; to see it again: -Drdma4j.simulation.seed=%d".formatted(seed, seed), e);
            }
        }
        // So that the schedules are worth something.
        assertThat(moves.get()).isGreaterThan(2 * schedules);
    }

    private enum End {
        STAYS,
        CLOSES,
        TCP_DIES
    }

    private static final class Schedule {
        private final Random random;
        private final FailoverEnd.Fabric fabric = new FailoverEnd.Fabric();
        private final long[] now = {1};
        private final FailoverEnd left;
        private final FailoverEnd right;
        private final End end;

        Schedule(long seed) {
            random = new Random(seed * 0x9e3779b97f4a7c15L);
            end = End.values()[random.nextInt(End.values().length)];
            int leftBuffers = 1 + random.nextInt(5);
            int rightBuffers = 1 + random.nextInt(5);
            left = new FailoverEnd("left", true, random, fabric, 1 + random.nextInt(5), leftBuffers, rightBuffers, now);
            right = new FailoverEnd(
                    "right", false, random, fabric, 1 + random.nextInt(5), rightBuffers, leftBuffers, now);
            FailoverEnd.connect(left, right);
        }

        /** Returns the number of moves. */
        int play() {
            int steps = 300 + random.nextInt(1500);
            // Between none at all and one every few steps.
            int faults = 20 << random.nextInt(6);
            for (int i = 0; i < steps; i++) {
                if (random.nextInt(faults) == 0) {
                    strike();
                }
                step();
            }
            fabric.trouble = null;
            fabric.cut(false);
            switch (end) {
                case STAYS -> {
                    allArrives();
                    if (random.nextBoolean()) {
                        returnsToRdma();
                        allArrives();
                    }
                    left.checkBooks();
                    right.checkBooks();
                }
                case CLOSES -> closesInGoodOrder();
                default -> tcpDies();
            }
            left.destroy();
            right.destroy();
            return left.moves.size() + right.moves.size();
        }

        private FailoverEnd one() {
            return random.nextBoolean() ? left : right;
        }

        private void strike() {
            FakeTransport adapter = one().rdma;
            switch (random.nextInt(9)) {
                case 7 -> {
                    if (adapter != null) {
                        adapter.beforePost = () -> {
                            throw new IllegalStateException("the program has closed the queue pair");
                        };
                    }
                }
                case 6 -> {
                    if (adapter != null) {
                        // Also in the middle of a batch.
                        adapter.refusal = () -> random.nextInt(4) == 0 ? Errno.ENOMEM : 0;
                    }
                }
                case 5 -> {
                    if (adapter != null) {
                        adapter.queues.remove();
                    }
                }
                case 0 -> {
                    if (adapter != null) {
                        adapter.toError();
                    }
                }
                case 1 -> fabric.cut(true);
                case 2 -> {
                    if (adapter != null) {
                        adapter.cut = true;
                    }
                }
                case 3 -> {
                    if (adapter != null) {
                        adapter.lost = "the port is DOWN";
                    }
                }
                case 4 -> fabric.trouble = fabric.trouble == null ? "the device was removed" : null;
                default -> {
                    fabric.cut(false);
                    fabric.trouble = null;
                }
            }
        }

        private void step() {
            FailoverEnd which = one();
            switch (random.nextInt(12)) {
                case 0, 1 -> which.tcp.queues.deliver();
                case 2 -> which.tcp.queues.acknowledge();
                case 3, 4 -> {
                    if (which.rdma != null && !which.rdma.closed) {
                        which.rdma.queues.deliver();
                    }
                }
                case 5 -> {
                    if (which.rdma != null && !which.rdma.closed) {
                        which.rdma.queues.acknowledge();
                    }
                }
                case 6 -> {
                    now[0] += random.nextInt((int) FailoverEnd.SILENCE_NANOS / 4);
                    which.checkTimeouts(now[0]);
                }
                default -> which.act();
            }
        }

        private void round() {
            for (FailoverEnd which : new FailoverEnd[] {left, right}) {
                which.tcp.queues.deliverAll();
                if (which.rdma != null && !which.rdma.closed) {
                    which.rdma.queues.deliverAll();
                }
                which.readAll();
            }
            now[0] += FailoverEnd.SILENCE_NANOS / 8;
            left.checkTimeouts(now[0]);
            right.checkTimeouts(now[0]);
        }

        private void allArrives() {
            for (int i = 0; i < 20 || !(left.isDone() && right.isDone()); i++) {
                if (i == 5_000) {
                    throw new AssertionError("somebody waits for ever: " + this);
                }
                round();
                stayOpen();
            }
        }

        private void stayOpen() {
            assertThat(left.protocol.state()).isEqualTo(State.OPEN);
            assertThat(right.protocol.state()).isEqualTo(State.OPEN);
        }

        private void returnsToRdma() {
            for (int i = 0; !(isOnRdma(left) && isOnRdma(right)); i++) {
                if (i == 5_000) {
                    throw new AssertionError("it stays with TCP for ever: " + this);
                }
                round();
                if (random.nextBoolean()) {
                    one().act();
                }
            }
            stayOpen();
        }

        private static boolean isOnRdma(FailoverEnd which) {
            return which.transport.mover().transport() == Transport.RDMA;
        }

        /** In the middle of whatever goes on. */
        private void closesInGoodOrder() {
            FailoverEnd closer = one();
            FailoverEnd other = closer == left ? right : left;
            closer.beginClosing();
            for (int i = 0; i < 3_000 && other.protocol.state() == State.OPEN; i++) {
                round();
                closer.goOnClosing();
                if (closer.rdma != null && other.rdma != null && random.nextInt(4) == 0) {
                    // The adapter has the last message, and its program never sees it there.
                    closer.rdma.queues.deliver();
                    other.rdma.queues.remove();
                }
                if (random.nextInt(20) == 0) {
                    strike();
                }
                if (random.nextInt(10) == 0) {
                    fabric.cut(false);
                }
            }
            assertThat(other.protocol.state()).isEqualTo(State.PEER_CLOSED);
            for (int i = 0; i < 20; i++) {
                round();
            }
            other.require(other.readsEverything(), "the close came before the last message");
        }

        private void tcpDies() {
            left.tcp.cut = true;
            right.tcp.cut = true;
            fabric.cut(true);
            for (int i = 0; i < 500; i++) {
                now[0] += FailoverEnd.SILENCE_NANOS / 2;
                left.checkTimeouts(now[0]);
                right.checkTimeouts(now[0]);
            }
            now[0] += 4_000_000_000L;
            for (FailoverEnd which : new FailoverEnd[] {left, right}) {
                which.checkTimeouts(now[0]);
                now[0] += 4_000_000_000L;
                which.checkTimeouts(now[0]);
                assertThat(which.protocol.state()).as(which.toString()).isEqualTo(State.LOST);
                which.checkAllDecided();
            }
        }

        @Override
        public String toString() {
            return end + ", " + left + ", " + right;
        }
    }
}
