// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Checksum;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol.State;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Two state machines, a wire that exists only here, and programs that do anything at any time: no message is lost,
 * doubled or reordered, everything is posted in the order of the calls, credits and buffers are conserved, nobody
 * sleeps while there is what he waits for, no message that was changed is received, and in the end everything is
 * released. The schedule is made of a seed, and
 * nothing else.
 *
 * <p>{@code -Drdma4j.simulation.schedules=1000000} plays more of them, and {@code -Drdma4j.simulation.seed=N} one
 * again.
 */
class ProtocolSimulationTest {
    private static final int SCHEDULES = Integer.getInteger("rdma4j.simulation.schedules", 5_000);
    private static final Long SEED = Long.getLong("rdma4j.simulation.seed");

    /** The faults of a schedule. */
    private enum Fault {
        NONE,
        OUT_OF_MEMORY,
        LYING_PEER,
        CORRUPTION,
        CUT_WIRE,
        LOST_CONNECTION,
        REFUSAL,
        ABORT
    }

    @Test
    void everyScheduleKeepsWhatIsPromised() {
        if (SEED != null) {
            new Schedule(SEED).play();
            return;
        }
        long found = 0;
        for (long seed = 1; seed <= SCHEDULES; seed++) {
            try {
                Schedule schedule = new Schedule(seed);
                schedule.play();
                found += schedule.found;
            } catch (Throwable e) {
                throw new AssertionError(
                        "schedule %d; to see it again: -Drdma4j.simulation.seed=%d".formatted(seed, seed), e);
            }
        }
        // So that the schedules are worth something.
        assertThat(found).as("changed messages that were found").isGreaterThan(SCHEDULES / 100);
    }

    @Test
    void scheduleIsTheSameEachTime() {
        for (long seed = 1; seed <= 50; seed++) {
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
        private final SimulatedEnd left;
        private final SimulatedEnd right;
        private long now;
        /** The number of changed messages that were reported. */
        private int found;

        Schedule(long seed) {
            random = new Random(seed * 0x9e3779b97f4a7c15L);
            fault = Fault.values()[random.nextInt(Fault.values().length)];
            boolean sums = fault == Fault.CORRUPTION || random.nextBoolean();
            Object wire = new Object();
            int leftBuffers = 1 + random.nextInt(5);
            int rightBuffers = 1 + random.nextInt(5);
            left = new SimulatedEnd("left", random, wire, 1 + random.nextInt(5), leftBuffers, rightBuffers, sums);
            right = new SimulatedEnd("right", random, wire, 1 + random.nextInt(5), rightBuffers, leftBuffers, sums);
            SimulatedEnd.connect(left, right);
        }

        void play() {
            begin();
            int steps = 20 + random.nextInt(200);
            int faultAt = random.nextInt(steps);
            int closeAt = random.nextInt(2 * steps);
            for (int i = 0; i < steps; i++) {
                if (i == faultAt) {
                    strike();
                }
                if (i == closeAt) {
                    one().beginClosing();
                }
                step();
                check();
            }
            end();
        }

        private void begin() {
            left.transport.neverFlushes = random.nextInt(4) == 0;
            right.transport.neverFlushes = random.nextInt(4) == 0;
            right.transport.lying = fault == Fault.LYING_PEER;
            if (fault == Fault.OUT_OF_MEMORY) {
                left.transport.outOfMemory = () -> random.nextInt(6) == 0;
                right.transport.outOfMemory = () -> random.nextInt(6) == 0;
            }
        }

        private SimulatedEnd one() {
            return random.nextBoolean() ? left : right;
        }

        private void strike() {
            switch (fault) {
                case CUT_WIRE -> {
                    // One direction, or both.
                    left.transport.cut = true;
                    right.transport.cut = random.nextBoolean();
                }
                case LOST_CONNECTION -> one().transport.lost = "the connection was lost";
                case REFUSAL -> one().transport.refusal = () -> random.nextInt(4) == 0 ? Errno.ENOMEM : 0;
                case ABORT -> one().abandon();
                case CORRUPTION -> one().tamper();
                default -> {}
            }
        }

        private void step() {
            SimulatedEnd end = one();
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> end.transport.queues.deliver();
                case 3, 4 -> end.transport.queues.acknowledge();
                case 5 -> {
                    if (fault == Fault.LYING_PEER && random.nextInt(4) == 0) {
                        lie();
                    }
                }
                case 6 -> look(end);
                case 7 -> end.goOnClosing();
                default -> end.act();
            }
        }

        private void lie() {
            switch (random.nextInt(6)) {
                case 0 -> right.transport.queues.lie(true, Frame.of(Frame.MESSAGE, 0), 8);
                case 1 -> right.transport.queues.lie(true, Frame.of(random.nextInt(0x10000), 0), 8);
                case 2 ->
                    right.transport.queues.lie(true, Frame.of(Frame.CREDIT, random.nextInt(Frame.MAX_CREDITS)), 0);
                case 4 -> left.transport.overrun = true;
                case 3 -> right.transport.queues.lie(true, Frame.of(Frame.MESSAGE, 0), 65 + random.nextInt(1000));
                default -> right.transport.queues.lie(false, random.nextInt(), random.nextInt(100));
            }
        }

        /** Time passes for an end whose adapter works, or whose wire is cut. */
        private void look(SimulatedEnd end) {
            end.transport.queues.deliverAll();
            now += random.nextInt((int) SimulatedEnd.SILENCE_NANOS / 4);
            end.checkTimeouts(now);
        }

        private void check() {
            left.check();
            right.check();
        }

        private void end() {
            boolean closed = left.isClosing() || right.isClosing();
            if (fault == Fault.CUT_WIRE) {
                checkTimeouts();
            } else if ((fault == Fault.NONE || fault == Fault.OUT_OF_MEMORY) && !closed) {
                allArrives();
                if (random.nextBoolean()) {
                    closesInGoodOrder(one());
                }
            }
            if (fault == Fault.CORRUPTION) {
                corruptionIsFound(left);
                corruptionIsFound(right);
            }
            left.abandon();
            right.abandon();
            left.checkReleased();
            right.checkReleased();
        }

        /** A changed message is reported as corruption. The ends check that it is never received. */
        private void corruptionIsFound(SimulatedEnd end) {
            if (end.gone) {
                return;
            }
            end.checkTimeouts(now);
            Checksum counted = end.protocol.sums();
            // Messages after the peer's death or its last message are not checked.
            boolean reported = end.isTampered() && end.transport.lost() == null && !end.isClosing();
            if (reported) {
                assertThat(counted.corrupt()).as(end.toString()).isOne();
                assertThat(end.protocol.ended("receiving")).isInstanceOf(CorruptMessageException.class);
                found++;
            } else if (!end.isTampered()) {
                assertThat(counted.corrupt()).as(end.toString()).isZero();
            }
        }

        private void checkTimeouts() {
            for (int i = 0; i < 200; i++) {
                now += SimulatedEnd.SILENCE_NANOS;
                left.checkTimeouts(now);
                right.checkTimeouts(now);
            }
            if (!left.gone) {
                assertThat(left.protocol.state())
                        .as("left state behind a cut wire")
                        .isNotEqualTo(State.OPEN);
            }
            now += 2_000_000_000L;
            for (int i = 0; i < 2; i++) {
                left.checkTimeouts(now);
                now += 2_000_000_000L;
            }
            if (!left.gone) {
                assertThat(left.protocol.slots().isIdle())
                        .as("nobody waits for a completion that never comes")
                        .isTrue();
            }
        }

        private void allArrives() {
            for (int i = 0; i < 100 || !(left.isIdle() && right.isIdle()); i++) {
                if (i == 1000) {
                    throw new AssertionError("somebody waits for ever: " + this);
                }
                left.transport.queues.deliverAll();
                right.transport.queues.deliverAll();
                left.readAll();
                right.readAll();
                check();
            }
            assertThat(left.protocol.state()).isEqualTo(State.OPEN);
            assertThat(right.protocol.state()).isEqualTo(State.OPEN);
        }

        private void closesInGoodOrder(SimulatedEnd end) {
            SimulatedEnd other = end == left ? right : left;
            end.beginClosing();
            for (int i = 0; i < 100; i++) {
                end.goOnClosing();
                left.transport.queues.deliverAll();
                right.transport.queues.deliverAll();
                other.readAll();
                if (!end.gone) {
                    end.checkTimeouts(now);
                }
            }
            assertThat(end.gone).isTrue();
            other.checkTimeouts(now);
            assertThat(other.protocol.state()).isEqualTo(State.PEER_CLOSED);
        }

        @Override
        public String toString() {
            return fault + ", " + left + ", " + right;
        }
    }
}
