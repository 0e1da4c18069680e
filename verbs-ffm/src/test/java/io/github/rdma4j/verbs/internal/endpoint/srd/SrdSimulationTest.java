// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.srd;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol.State;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Two state machines over a fabric that delivers in any order, and programs that do anything at any time: no message is
 * lost, doubled or reordered, each comes after the writes before it, a transfer follows the writes of the same bytes,
 * ends are reported in the order of the posts, and each datagram finds a receive. In some schedules further ends share
 * the send queue of one of them, as in a group, and nothing that happens to it harms them. The schedule is made of a
 * seed, and nothing else.
 *
 * <p>{@code -Drdma4j.simulation.schedules=1000000} plays more of them, and {@code -Drdma4j.simulation.seed=N} one
 * again.
 */
class SrdSimulationTest {
    private static final int SCHEDULES = Integer.getInteger("rdma4j.simulation.schedules", 2_500);
    private static final Long SEED = Long.getLong("rdma4j.simulation.seed");

    /** What goes wrong in a schedule. */
    private enum Fault {
        NONE,
        OUT_OF_MEMORY,
        DOUBLED_DATAGRAM,
        LYING_PEER,
        FAILED_REQUEST,
        REFUSAL,
        ABORT
    }

    @Test
    void everyScheduleKeepsWhatIsPromised() {
        if (SEED != null) {
            new Schedule(SEED).play();
            return;
        }
        long overtaken = 0;
        long violations = 0;
        long lacked = 0;
        for (long seed = 1; seed <= SCHEDULES; seed++) {
            try {
                Schedule schedule = new Schedule(seed);
                schedule.play();
                overtaken += schedule.left.overtaken + schedule.right.overtaken;
                violations += schedule.violations;
                lacked += schedule.all.stream()
                        .mapToInt(pair -> pair[0].lackedEntry)
                        .sum();
            } catch (Throwable e) {
                throw new AssertionError(
                        "schedule %d; to see it again: -Drdma4j.simulation.seed=%d".formatted(seed, seed), e);
            }
        }
        // So that the schedules are worth something.
        assertThat(overtaken).as("datagrams that have overtaken others").isGreaterThan(SCHEDULES);
        assertThat(lacked).as("entries that others had").isGreaterThan(SCHEDULES);
        assertThat(violations).as("doubled datagrams that were found").isGreaterThan(SCHEDULES / 100);
    }

    @Test
    void scheduleIsTheSameEachTime() {
        for (long seed = 1; seed <= 20; seed++) {
            Schedule first = new Schedule(seed);
            first.play();
            Schedule second = new Schedule(seed);
            second.play();
            assertThat(second).hasToString(first.toString());
        }
    }

    private static final class Schedule {
        private final Random random;
        private final Fault fault;
        private final SrdEnd left;
        private final SrdEnd right;
        /** Both ends of each connection, first of the one that has the fault. */
        private final List<SrdEnd[]> all = new ArrayList<>();

        private int violations;

        Schedule(long seed) {
            random = new Random(seed * 0x9e3779b97f4a7c15L);
            fault = Fault.values()[random.nextInt(Fault.values().length)];
            int[] shared = {random.nextInt(3)};
            for (int peers = 1 + random.nextInt(3); peers > 0; peers--) {
                add();
            }
            if (all.size() > 1) {
                all.forEach(pair -> pair[0].shared = shared);
            }
            left = all.getFirst()[0];
            right = all.getFirst()[1];
        }

        private void add() {
            int longest = SrdEnd.LEAST + random.nextInt(80);
            int leftBuffers = 1 + random.nextInt(5);
            int rightBuffers = 1 + random.nextInt(5);
            int fragment = 8 + random.nextInt(80);
            SrdEnd one = new SrdEnd("left " + all.size(), random, leftBuffers, rightBuffers, longest, fragment);
            SrdEnd other = new SrdEnd("right " + all.size(), random, rightBuffers, leftBuffers, longest, fragment);
            SrdEnd.connect(one, other);
            all.add(new SrdEnd[] {one, other});
        }

        void play() {
            if (fault == Fault.OUT_OF_MEMORY) {
                left.outOfMemory = true;
                right.outOfMemory = true;
            }
            int steps = 20 + random.nextInt(300);
            int faultAt = random.nextInt(steps);
            int closeAt = random.nextInt(3 * steps);
            for (int i = 0; i < steps; i++) {
                if (i == faultAt) {
                    strike();
                }
                if (i == closeAt) {
                    one().beginClosing();
                }
                for (SrdEnd[] pair : all) {
                    step(pair[random.nextInt(2)]);
                    pair[0].check();
                    pair[1].check();
                }
            }
            end();
        }

        private SrdEnd one() {
            return random.nextBoolean() ? left : right;
        }

        private void strike() {
            switch (fault) {
                case DOUBLED_DATAGRAM -> one().doubles = true;
                case LYING_PEER -> one().lie();
                case FAILED_REQUEST -> one().failsNext = true;
                case REFUSAL -> one().refusesNext = true;
                case ABORT -> one().abandon();
                default -> {}
            }
        }

        private void step(SrdEnd end) {
            switch (random.nextInt(10)) {
                case 0, 1, 2 -> end.deliverOne();
                case 3, 4 -> end.completeOne();
                case 5 -> end.goOnClosing();
                default -> end.act();
            }
        }

        private void end() {
            boolean closed = left.isClosing() || right.isClosing();
            if ((fault == Fault.NONE || fault == Fault.OUT_OF_MEMORY) && !closed) {
                allArrives(left, right);
                closesInGoodOrder(one());
            } else {
                settle();
                if (fault == Fault.DOUBLED_DATAGRAM && !closed) {
                    doubledIsFound(left);
                    doubledIsFound(right);
                }
            }
            left.abandon();
            right.abandon();
            left.checkReleased();
            right.checkReleased();
            for (SrdEnd[] others : all.subList(1, all.size())) {
                allArrives(others[0], others[1]);
            }
        }

        private void settle() {
            for (int i = 0; i < 300; i++) {
                left.move();
                right.move();
            }
        }

        private void doubledIsFound(SrdEnd end) {
            if (end.hasDoubled && end.peer.protocol.state() == State.LOST) {
                assertThat(end.peer.protocol.endReason()).contains("does not keep to the endpoint protocol");
                violations++;
            }
            assertThat(!end.hasDoubled || end.peer.protocol.state() != State.OPEN || end.gone)
                    .as(end.toString())
                    .isTrue();
        }

        private void allArrives(SrdEnd one, SrdEnd other) {
            for (int i = 0; i < 100 || !(one.isIdle() && other.isIdle()); i++) {
                if (i == 2000) {
                    throw new AssertionError("somebody waits for ever: " + this);
                }
                // The others may have the entries of the send queue.
                for (SrdEnd[] pair : all) {
                    pair[0].move();
                    pair[1].move();
                }
            }
            assertThat(one.protocol.state()).isEqualTo(State.OPEN);
            assertThat(other.protocol.state()).isEqualTo(State.OPEN);
            one.checkMemoryOfPeer();
            other.checkMemoryOfPeer();
        }

        private void closesInGoodOrder(SrdEnd end) {
            end.beginClosing();
            for (int i = 0; i < 100; i++) {
                end.goOnClosing();
                left.move();
                right.move();
            }
            assertThat(end.gone).isTrue();
            assertThat(end.peer.protocol.state()).isEqualTo(State.PEER_CLOSED);
        }

        @Override
        public String toString() {
            return fault + ", " + all.stream().map(Arrays::toString).toList();
        }
    }
}
