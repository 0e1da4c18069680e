// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.VerbsException;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two ends of a channel, a wire and streams that exist only here, and programs that ask for anything at any time. Every
 * byte comes, the n-th message to the n-th receive, after the writes before it; nobody touches memory of a transfer
 * that is at its end; every transfer comes to its end; all slots come back. The schedule is made of a seed, and nothing
 * else.
 *
 * <p>{@code -Drdma4j.simulation.schedules=1000000} plays more of them, and {@code -Drdma4j.simulation.seed=N} one
 * again.
 */
class ChannelSimulationTest {
    private static final int SCHEDULES = Integer.getInteger("rdma4j.simulation.schedules", 5_000);
    private static final Long SEED = Long.getLong("rdma4j.simulation.seed");
    private static final int EIO = 5;

    /** The faults of a schedule. */
    private enum Fault {
        NOTHING,
        COPIES,
        POSTS,
        STREAMS,
        CONNECTION,
        LOST_CONTEXT,
        ALL
    }

    @Test
    void everyScheduleKeepsWhatIsPromised() {
        if (SEED != null) {
            new Schedule(SEED).play();
            return;
        }
        for (long seed = 1; seed <= SCHEDULES; seed++) {
            Schedule schedule = new Schedule(seed);
            try {
                schedule.play();
            } catch (Throwable e) {
                throw new AssertionError(
                        "schedule %d; to see it again: -Drdma4j.simulation.seed=%d%n%s".formatted(seed, seed, schedule),
                        e);
            }
        }
    }

    /** Wherever an error interrupts a transfer, its chunks, slots and posts stay accounted for. */
    @ParameterizedTest
    @CsvSource({
        "WRITE, copy",
        "SEND, copy",
        "READ, copy",
        "RECEIVE, copy",
        "WRITE, post",
        "SEND, post",
        "READ, post",
        "RECEIVE, post"
    })
    void errorInTheProtocolLeavesNothingBehind(Transfer.Kind kind, String place) {
        SimulatedSide left = new SimulatedSide("left", 4, 3, 8, 8, 64);
        SimulatedSide right = new SimulatedSide("right", 4, 3, 8, 8, 64);
        SimulatedSide.connect(left, right);
        SimulatedJob job = left.start(kind, true, new byte[40]);
        boolean message = kind == Transfer.Kind.SEND || kind == Transfer.Kind.RECEIVE;
        if (message) {
            Transfer.Kind other = kind == Transfer.Kind.SEND ? Transfer.Kind.RECEIVE : Transfer.Kind.SEND;
            right.start(other, true, new byte[40]);
        }
        int[] calls = new int[1];
        BooleanSupplier second = () -> {
            if (++calls[0] == 2) {
                throw new OutOfMemoryError("injected");
            }
            return false;
        };
        if (place.equals("post")) {
            left.cannotPost = second;
        } else {
            (ChannelProtocol.leaves(kind) ? left.out : left.in).refusesCopies = second;
        }
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 1000; i++) {
                        left.move();
                        right.move();
                    }
                })
                .hasMessage("injected");
        GpuTransferException cause = new GpuTransferException("interrupted");
        left.breakDown(cause);
        left.protocol.interrupted(cause);
        for (int i = 0; i < 1000; i++) {
            left.move();
        }
        left.vanish();
        for (int i = 0; i < 1000; i++) {
            left.move();
        }
        assertThat(job.state()).isEqualTo(Transfer.State.FAILED);
        assertThat(left.protocol.isIdle()).isTrue();
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
        private final int chunk;
        private final SimulatedSide left;
        private final SimulatedSide right;
        private boolean faulty = true;

        Schedule(long seed) {
            random = new Random(seed * 0x9e3779b97f4a7c15L);
            fault = Fault.values()[random.nextInt(Fault.values().length)];
            chunk = 1 + random.nextInt(4);
            left = side("left");
            right = side("right");
            SimulatedSide.connect(left, right);
        }

        private SimulatedSide side(String name) {
            SimulatedSide side = new SimulatedSide(
                    name, chunk, 1 + random.nextInt(4), 1 + random.nextInt(6), 1 + random.nextInt(4), 400);
            random.nextBytes(side.window);
            for (SimulatedCopier copier : new SimulatedCopier[] {side.out, side.in}) {
                copier.refusesCopies = sometimes(20, Fault.COPIES);
                copier.refusesEvents = sometimes(20, Fault.COPIES);
                copier.refusesQuestions = sometimes(3, Fault.COPIES);
            }
            side.cannotPost = sometimes(30, Fault.POSTS);
            BooleanSupplier full = sometimes(5, Fault.POSTS);
            BooleanSupplier refused = sometimes(100, Fault.POSTS);
            side.posting = () -> {
                if (full.getAsBoolean()) {
                    return false;
                }
                if (refused.getAsBoolean()) {
                    throw new VerbsException("posting", EIO, "", "");
                }
                return true;
            };
            side.breaks = sometimes(150, Fault.CONNECTION);
            side.notifyFails = sometimes(200, Fault.CONNECTION);
            return side;
        }

        /** In the mean once in so many times, if that goes wrong in this schedule. */
        private BooleanSupplier sometimes(int once, Fault what) {
            return () -> faulty && has(what) && random.nextInt(once) == 0;
        }

        private boolean has(Fault what) {
            return fault == what || fault == Fault.ALL;
        }

        void play() {
            int steps = 30 + random.nextInt(300);
            for (int i = 0; i < steps; i++) {
                step(random.nextBoolean() ? left : right);
            }
            faulty = false;
            boolean broken = left.isBroken() || right.isBroken() || hasLostContext();
            if (!broken) {
                balance(left);
                balance(right);
                drain();
                if (!left.isBroken() && !right.isBroken()) {
                    assertAllEnded();
                    assertPairs(left);
                    assertPairs(right);
                }
            }
            close(left);
            close(right);
            drain();
            assertAllEnded();
        }

        private boolean hasLostContext() {
            return left.out.lost || left.in.lost || right.out.lost || right.in.lost;
        }

        private void step(SimulatedSide side) {
            switch (random.nextInt(12)) {
                case 0, 1 -> ask(side);
                case 2 -> makeReady(side);
                case 3 -> loseContext(side);
                case 4, 5 -> side.deliverOne();
                case 6, 7 -> side.pollOne();
                case 8 -> side.out.copyOne();
                case 9 -> side.in.copyOne();
                default -> side.protocol.advance();
            }
        }

        private void ask(SimulatedSide side) {
            if (side.isBroken()) {
                return;
            }
            Transfer.Kind kind = Transfer.Kind.values()[random.nextInt(4)];
            byte[] memory = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(20)];
            random.nextBytes(memory);
            boolean oneSided = kind == Transfer.Kind.WRITE || kind == Transfer.Kind.READ;
            if (oneSided && !side.hasWindowFor(memory.length)) {
                return;
            }
            SimulatedJob job = side.start(kind, random.nextBoolean(), memory);
            job.ready = random.nextInt(4) != 0;
            job.neverReady = has(Fault.STREAMS) && random.nextInt(5) == 0;
            job.cannotFlush = has(Fault.STREAMS) && random.nextInt(10) == 0;
            if (has(Fault.STREAMS) && random.nextInt(15) == 0) {
                side.protocol.fail(job, new IllegalStateException("no event"));
            }
        }

        private void makeReady(SimulatedSide side) {
            side.jobs.forEach(job -> job.ready |= random.nextBoolean());
        }

        private void loseContext(SimulatedSide side) {
            if (has(Fault.LOST_CONTEXT) && random.nextInt(15) == 0) {
                side.out.lose();
                side.in.lose();
            }
        }

        /** Each send of a side gets its receive, each receive of the other its send. */
        private void balance(SimulatedSide side) {
            SimulatedSide peer = side.peer();
            while (side.sends.size() < peer.receives.size()) {
                side.start(Transfer.Kind.SEND, random.nextBoolean(), new byte[random.nextInt(20)]);
            }
            while (peer.receives.size() < side.sends.size()) {
                peer.start(Transfer.Kind.RECEIVE, random.nextBoolean(), new byte[random.nextInt(20)]);
            }
        }

        private void drain() {
            left.jobs.forEach(job -> job.ready = true);
            right.jobs.forEach(job -> job.ready = true);
            int still = 0;
            while (still < 3) {
                still = left.move() | right.move() ? 0 : still + 1;
            }
        }

        private void close(SimulatedSide side) {
            if (random.nextBoolean()) {
                side.vanish();
            } else {
                side.breakDown(new GpuTransferException("closed"));
            }
        }

        private void assertAllEnded() {
            for (SimulatedSide side : new SimulatedSide[] {left, right}) {
                assertThat(side.jobs).as("ended").allMatch(Job::isEnded);
            }
            assertThat(left.protocol.isIdle()).isTrue();
            assertThat(right.protocol.isIdle()).isTrue();
        }

        /** A message that did not leave whole was received by nobody. */
        private static void assertPairs(SimulatedSide side) {
            for (int i = 0; i < side.sends.size(); i++) {
                SimulatedJob send = side.sends.get(i);
                SimulatedJob receive = side.peer().receives.get(i);
                if (send.state() == Transfer.State.FAILED) {
                    assertThat(receive.state()).as("%s of %s", receive, send).isEqualTo(Transfer.State.FAILED);
                }
            }
        }

        /** {@return what goes wrong, and all transfers} */
        @Override
        public String toString() {
            return fault + "\n" + left + "\n" + right;
        }
    }
}
