// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.gpudirect.OrderedSide.Stream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * Streams that play ping-pong over simulated proxies and a simulated wire. In each turn a stream starts some writes
 * without waiting for them. The last write notifies the peer, whose stream must find the data of all of them. Requests
 * keep the order of their stream, each is posted once, and every stream ends whatever fails or is lost. The schedule
 * depends only on a seed.
 *
 * <p>{@code -Drdma4j.simulation.schedules=1000000} plays more of them, and {@code -Drdma4j.simulation.seed=N} one
 * again.
 */
class OrderedSimulationTest {
    private static final int SCHEDULES = Integer.getInteger("rdma4j.simulation.schedules", 5_000);
    private static final Long SEED = Long.getLong("rdma4j.simulation.seed");
    private static final long LIMIT = 1_000_000;

    /** The faults of a schedule. */
    private enum Fault {
        NOTHING,
        FULL_QUEUES,
        POSTS,
        CONNECTION,
        LOST_NOTICES,
        ERRORS,
        CLOSES,
        SILENT_ADAPTER
    }

    @Test
    void everyStreamComesToItsEnd() {
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

    private static final class Schedule {
        private static final int PAIRS = 2;

        private final Random random;
        private final Fault fault;
        private final int rounds;
        /** Writes of a turn. */
        private final int writes;

        private final OrderedSide left;
        private final OrderedSide right;
        private final BooleanSupplier closes = sometimes(100, Fault.CLOSES);
        private boolean faulty = true;
        private boolean playing;
        private int errors = 6;
        private long now;

        Schedule(long seed) {
            random = new Random(seed * 0x9e3779b97f4a7c15L);
            fault = Fault.values()[random.nextInt(Fault.values().length)];
            rounds = 1 + random.nextInt(6);
            writes = 1 + random.nextInt(3);
            int capacity = PAIRS * (writes + 1);
            left = new OrderedSide("left", capacity, LIMIT);
            right = new OrderedSide("right", capacity, LIMIT);
            left.peer = right;
            right.peer = left;
            for (OrderedSide side : sides()) {
                configure(side);
                for (int pair = 0; pair < PAIRS; pair++) {
                    side.streams.add(new Stream());
                }
            }
            // The slots of both sides have the same numbers.
            for (int pair = 0; pair < PAIRS; pair++) {
                prepare(left, right, pair);
            }
        }

        private OrderedSide[] sides() {
            return new OrderedSide[] {left, right};
        }

        private void configure(OrderedSide side) {
            BooleanSupplier refused = sometimes(30, Fault.POSTS);
            BooleanSupplier full = sometimes(2, Fault.FULL_QUEUES);
            side.posting = () -> {
                if (full.getAsBoolean()) {
                    return false;
                }
                if (refused.getAsBoolean()) {
                    throw new GpuTransferException("the queue pair is closed");
                }
                return true;
            };
            side.fails = sometimes(30, Fault.CONNECTION);
            side.losesNotice = sometimes(10, Fault.LOST_NOTICES);
            BooleanSupplier overflows = sometimes(10, Fault.ERRORS);
            side.overflows = () -> playing && errors > 0 && overflows.getAsBoolean() && errors-- > 0;
            side.bellRings = () -> random.nextInt(3) == 0;
        }

        private BooleanSupplier sometimes(int once, Fault what) {
            return () -> faulty && fault == what && random.nextInt(once) == 0;
        }

        private void prepare(OrderedSide one, OrderedSide other, int pair) {
            // The write that starts last notifies the peer. It need not be the last one created.
            int last = random.nextInt(writes);
            List<Integer> slots = new ArrayList<>();
            for (int i = 0; i < writes; i++) {
                int tag = i == last ? pair : -1;
                slots.add(one.addWrite(tag));
                assertThat(other.addWrite(tag)).isEqualTo(slots.getLast());
            }
            Integer notice = slots.remove(last);
            Collections.shuffle(slots, random);
            slots.add(notice);
            int arrival = one.protocol.addArrival(pair);
            assertThat(other.protocol.addArrival(pair)).isEqualTo(arrival);
            for (int round = 0; round < rounds; round++) {
                turn(one, pair, slots, round);
                expectTurn(other, pair, slots, arrival, round);
                turn(other, pair, slots, round);
                expectTurn(one, pair, slots, arrival, round);
            }
        }

        private void turn(OrderedSide side, int pair, List<Integer> slots, int round) {
            Stream stream = side.streams.get(pair);
            for (int slot : slots) {
                // The source of the previous write must stay unchanged until the write completes. In the first turn
                // there is none.
                side.await(stream, slot);
                side.write(stream, slot, 1 + round);
                side.start(stream, slot);
            }
        }

        private void expectTurn(OrderedSide side, int pair, List<Integer> slots, int arrival, int round) {
            Stream stream = side.streams.get(pair);
            side.start(stream, arrival);
            side.await(stream, arrival);
            for (int slot : slots) {
                side.expect(stream, slot, arrival, 1 + round);
            }
        }

        void play() {
            playing = true;
            int steps = random.nextInt(400);
            for (int i = 0; i < steps; i++) {
                step(sides()[random.nextInt(2)]);
            }
            if (fault == Fault.SILENT_ADAPTER) {
                left.silence();
            }
            // A clock that goes on while a queue is full would be the fault of the test.
            faulty = fault != Fault.FULL_QUEUES;
            drain();
            assertEnded();
        }

        private void step(OrderedSide side) {
            now += 1 + random.nextInt(100);
            if (closes.getAsBoolean()) {
                side.protocol.breakDown(new GpuTransferException("closed"), now);
            }
            switch (random.nextInt(4)) {
                case 0, 1 -> side.streams.get(random.nextInt(PAIRS)).tryStep();
                case 2 -> side.look(now);
                default -> side.deliver(now);
            }
        }

        /** Fair from here on: everybody has a turn again and again, and the clock goes on when nobody has anything. */
        private void drain() {
            for (int idle = 0; idle < 40; ) {
                boolean moved = false;
                for (OrderedSide side : sides()) {
                    for (Stream stream : side.streams) {
                        moved |= stream.tryStep();
                    }
                    moved |= side.look(now);
                    moved |= side.deliver(now);
                }
                idle = moved ? 0 : idle + 1;
                now += moved ? 1 : Math.max(LIMIT, OrderedProtocol.END_NANOS) / 8;
            }
        }

        private void assertEnded() {
            for (OrderedSide side : sides()) {
                for (Stream stream : side.streams) {
                    assertThat(stream.isDone())
                            .as("%s, a stream waits for ever", side.name)
                            .isTrue();
                }
                assertThat(side.protocol.isBusy()).isFalse();
                assertThat(side.protocol.taken())
                        .isEqualTo(side.streams.stream()
                                .mapToLong(stream -> stream.started.size())
                                .sum());
                assertThat(side.error).isEqualTo(side.protocol.failure() != null);
                assertOrder(side);
            }
            if (fault == Fault.NOTHING || fault == Fault.FULL_QUEUES) {
                for (OrderedSide side : sides()) {
                    assertThat(side.protocol.failure()).isNull();
                    assertThat(side.posts).hasSize(PAIRS * writes * rounds);
                    assertThat(side.flushes).isEqualTo(PAIRS * rounds);
                    assertThat(side.protocol.completed(0)).isEqualTo(rounds);
                }
            }
        }

        /** Requests are posted once and in the order of their stream, and none is posted after a failure. */
        private void assertOrder(OrderedSide side) {
            for (int pair = 0; pair < PAIRS; pair++) {
                int first = pair * (writes + 1);
                var started = side.streams.get(pair).started.stream()
                        .filter(slot -> slot < first + writes)
                        .toList();
                var posted = side.posts.stream()
                        .filter(slot -> slot >= first && slot < first + writes)
                        .toList();
                assertThat(started.subList(0, posted.size())).isEqualTo(posted);
            }
        }

        @Override
        public String toString() {
            return "%s, %d rounds of %d writes; left %s, right %s"
                    .formatted(fault, rounds, writes, left.protocol, right.protocol);
        }
    }
}
