// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointExceptions;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Silence;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Two state machines whose programs hold received messages for long. No message meets a full receive queue. A program
 * that leaves the peer one buffer gets the peer's next message in the end, whatever goes the other way, and however
 * long slots are claimed before they are sent or given back. The schedule depends only on a seed.
 *
 * <p>{@code -Drdma4j.simulation.schedules=1000000} plays more of them, and {@code -Drdma4j.simulation.seed=N} one
 * again.
 */
class HoldersSimulationTest {
    private static final int SCHEDULES = Integer.getInteger("rdma4j.simulation.schedules", 1_000);
    private static final Long SEED = Long.getLong("rdma4j.simulation.seed");
    private static final int MOST_BUFFERS = 40;
    /** Until an update has come about, is delivered and read. */
    private static final int ROUNDS_OF_AN_UPDATE = 4;

    @Test
    void oneFreeBufferNeverStopsThePeer() {
        if (SEED != null) {
            new Schedule(SEED).play();
            return;
        }
        for (long seed = 1; seed <= SCHEDULES; seed++) {
            try {
                new Schedule(seed).play();
            } catch (Throwable e) {
                throw new AssertionError(
                        "schedule %d; to see it again: -Drdma4j.simulation.seed=%d".formatted(seed, seed), e);
            }
        }
    }

    private static final class Schedule {
        private final Random random;
        private final Side left;
        private final Side right;

        Schedule(long seed) {
            random = new Random(seed * 0x9e3779b97f4a7c15L);
            Object wire = new Object();
            int leftBuffers = 1 + random.nextInt(MOST_BUFFERS);
            int rightBuffers = 1 + random.nextInt(MOST_BUFFERS);
            left = new Side("left", random, wire, leftBuffers, rightBuffers);
            right = new Side("right", random, wire, rightBuffers, leftBuffers);
            FakeTransport.connect(left.transport, right.transport);
        }

        void play() {
            int steps = random.nextInt(300);
            for (int i = 0; i < steps; i++) {
                step(random.nextBoolean() ? left : right);
            }
            // From here on everybody does what there is to do.
            int inVain = 0;
            while (!left.isDone() || !right.isDone()) {
                long before = left.calls() + right.calls();
                left.goOn();
                right.goOn();
                inVain = left.calls() + right.calls() == before ? inVain + 1 : 0;
                if (inVain == ROUNDS_OF_AN_UPDATE) {
                    throw new AssertionError("somebody waits for ever: " + this);
                }
            }
        }

        private void step(Side side) {
            switch (random.nextInt(10)) {
                case 0, 1 -> side.transport.queues.deliver();
                case 2 -> side.transport.queues.acknowledge();
                case 3 -> side.poll();
                case 4, 5 -> side.take();
                case 6 -> side.claim();
                case 7 -> side.useClaim(random);
                default -> side.send();
            }
        }

        @Override
        public String toString() {
            return left + ", " + right;
        }
    }

    /** When a program gives back what it holds. */
    private enum Habit {
        /** All, once there are so many. */
        BATCH,
        /** The oldest, once there are more. */
        WINDOW,
        /** The newest, once there are more: the others are for ever. */
        HOARD
    }

    /** A state machine and its program. */
    private static final class Side {
        private final String name;
        private final Habit habit;
        private final int buffers;
        /** So many it holds, of which a batch may be all. */
        private final int most;

        private final boolean answers;
        private final int toSend;
        private int sent;
        private int taken;
        private final Deque<Integer> held = new ArrayDeque<>();
        private final int mostClaims;
        private final Deque<Integer> claims = new ArrayDeque<>();
        final FakeTransport transport;
        private final Protocol protocol;

        Side(String name, Random random, Object wire, int buffers, int peerBuffers) {
            this.name = name;
            this.buffers = buffers;
            habit = Habit.values()[random.nextInt(Habit.values().length)];
            most = random.nextInt(buffers) + (habit == Habit.BATCH ? 1 : 0);
            answers = random.nextInt(3) == 0;
            toSend = random.nextInt(3) == 0 ? 0 : random.nextInt(5 * MOST_BUFFERS);
            mostClaims = random.nextInt(4);
            int sendDepth = 1 + random.nextInt(8);
            transport = new FakeTransport(wire, false, sendDepth, buffers);
            protocol = new Protocol(
                    name,
                    transport,
                    new Credits(buffers, peerBuffers),
                    sendDepth,
                    64,
                    64,
                    new Silence(Long.MAX_VALUE, false),
                    EndpointExceptions.OF_ENDS);
        }

        boolean isDone() {
            return sent >= toSend;
        }

        /** Returns the number of messages that its program has sent and taken. */
        long calls() {
            return sent + taken;
        }

        void send() {
            if (!isDone()) {
                trySend();
            }
        }

        private void trySend() {
            if (protocol.trySend(MemorySegment.ofArray(new byte[1])) == Endpoint.OK) {
                sent++;
            }
        }

        void claim() {
            int slot = claims.size() < mostClaims && !isDone() ? protocol.claim() : -1;
            if (slot >= 0) {
                transport.buffer(slot);
                claims.add(slot);
            }
        }

        void useClaim(Random random) {
            if (!claims.isEmpty() && random.nextInt(4) == 0) {
                protocol.giveBack(claims.removeLast());
            } else if (!claims.isEmpty()) {
                sendClaim();
            }
        }

        private void sendClaim() {
            protocol.sendClaimed(claims.removeFirst(), 1);
            sent++;
        }

        void poll() {
            transport.poll(protocol);
            protocol.settle();
        }

        void take() {
            int buffer = protocol.take();
            if (buffer < 0) {
                return;
            }
            taken++;
            if (answers) {
                trySend();
            }
            held.add(buffer);
            switch (habit) {
                case BATCH -> {
                    if (held.size() == most) {
                        held.forEach(protocol::release);
                        held.clear();
                    }
                }
                case WINDOW -> {
                    if (held.size() > most) {
                        protocol.release(held.removeFirst());
                    }
                }
                case HOARD -> {
                    if (held.size() > most) {
                        protocol.release(held.removeLast());
                    }
                }
            }
        }

        void goOn() {
            transport.queues.deliverAll();
            poll();
            for (int i = 0; i < buffers; i++) {
                take();
            }
            // Nobody waits for one credit while he keeps another one.
            while (!claims.isEmpty()) {
                sendClaim();
            }
            send();
        }

        @Override
        public String toString() {
            return "%s: %d buffers, %s of %d, %d held, %d owed, %d of %d sent, %d taken, answers: %s, %d credits"
                    .formatted(
                            name,
                            buffers,
                            habit,
                            most,
                            held.size(),
                            protocol.credits().owed(),
                            sent,
                            toSend,
                            taken,
                            answers,
                            protocol.credits().available());
        }
    }
}
