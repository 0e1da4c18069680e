// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import java.util.function.LongSupplier;

/**
 * Finds out whether RDMA is fast enough, for a {@link Mover}: before each move to RDMA, and now and then when it is in
 * use. The client asks and compares; the server answers.
 *
 * <p>Questions mean something only where nothing else is under way. Where the programs never pause for long enough, the
 * client rests now and then, and has the peer rest: what is posted waits, and the questions follow each other at once.
 */
final class SpeedCheck {
    /** What a step has found. */
    enum Result {
        UNKNOWN,
        /** Or there was no time to find out. The pair may move to RDMA. */
        FAST_ENOUGH,
        TOO_SLOW
    }

    /** A try whose RDMA was too slow doubles the pause before the next one so often at most. */
    private static final int MOST_DOUBLINGS = 6;
    /** A rest begins when what is under way is done, which is no event. */
    private static final long LOOK_IN_REST_NANOS = 100_000;

    /** The first rest is so short a part of an attempt; each one that was too short doubles the next one. */
    private static final int FIRST_REST = 8;

    private static final int REST_DOUBLINGS = 2;

    private static final int NONE = -1;

    private final boolean client;
    private final Outbox outbox;
    private final Mover.Ground ground;
    private final LongSupplier clock;
    private final long attemptNanos;
    private final long pauseNanos;
    private final long longestRestNanos;
    /** So long a rest waits for its first answer, which comes over TCP. */
    private final long unansweredNanos;
    /** Null if RDMA may be as slow as it likes, and on the server's side. */
    private final Comparison comparison;

    private int attempt;
    private long begun;
    private boolean beforeMove;
    private String complaint;
    /** How often in a row RDMA was too slow. */
    private int slow;

    // Resting. The client's:
    private long restDue;
    private int restsInVain;
    // Of both:
    private long restEnd;
    /** The peer's question that is answered as soon as nothing delays the answer. */
    private int owed = NONE;

    private boolean owedOverRdma;
    /** The peer's last question of a rest that is over. */
    private int restedUntil = NONE;

    /** Nothing is asked yet. */
    SpeedCheck(boolean client, Outbox outbox, Mover.Ground ground, LongSupplier clock, EndpointConfig config) {
        this.client = client;
        this.outbox = outbox;
        this.ground = ground;
        this.clock = clock;
        this.attemptNanos = Engine.nanos(config.rdmaTimeout());
        this.pauseNanos = Engine.nanos(config.recoveryInterval());
        this.unansweredNanos = attemptNanos / 32;
        // What waits meanwhile must not pass for a wire that is dead.
        this.longestRestNanos = Math.min(attemptNanos / 2, Engine.nanos(config.silenceTimeout()) / 4);
        this.comparison =
                client && config.maxSlowdown() > 0 ? new Comparison(config.maxSlowdown(), attemptNanos) : null;
    }

    /** Whether the two wires are to be compared before a move. */
    boolean isWanted() {
        return comparison != null;
    }

    /** An attempt to use RDMA begins. */
    void begin(int number, long now) {
        attempt = number;
        begun = now;
        restedUntil = NONE;
        if (comparison != null) {
            comparison.forget();
        }
        endRest();
    }

    /** RDMA works, and is not used yet. */
    void beginBeforeMove() {
        beforeMove = true;
        comparison.begin(clock.getAsLong(), 0);
        restDue = begun + attemptNanos / 4;
    }

    /** RDMA is used from now on. */
    void moved() {
        beforeMove = false;
        if (comparison != null) {
            beginAgain(clock.getAsLong());
        }
    }

    private void beginAgain(long now) {
        comparison.begin(now, pauseNanos / Comparison.ROUNDS);
        // A rest that was too short for RDMA's answers was not in vain.
        long pause = doubled(comparison.hasTooFewRounds() ? 0 : restsInVain);
        restDue = now + Math.min(pause, Long.MAX_VALUE >> 2) * 2;
    }

    /** One of the two wires is gone. */
    void stop() {
        if (comparison != null) {
            comparison.stop();
        }
        endRest();
    }

    /** The pause between tries to use RDMA. */
    long pause() {
        return doubled(slow);
    }

    /** The pause between tries, after so many in vain. */
    private long doubled(int times) {
        return pauseNanos > Long.MAX_VALUE >> MOST_DOUBLINGS + 1
                ? pauseNanos
                : pauseNanos << Math.min(times, MOST_DOUBLINGS);
    }

    /** What is wrong with RDMA, if it was {@link Result#TOO_SLOW}. */
    String complaint() {
        return complaint;
    }

    /** What the round trips before the move took; null if they were not compared. */
    String times() {
        return comparison == null ? null : comparison.times();
    }

    /** How long it may be until {@link #step}. */
    long nanosToStep(long now) {
        long toLook = outbox.isResting() ? Math.clamp(restEnd - now, 0, LOOK_IN_REST_NANOS) : Long.MAX_VALUE;
        if (comparison == null || !comparison.isRunning()) {
            return toLook;
        }
        long toEnd = beforeMove ? Math.max(0, begun + attemptNanos / 2 - now) : Long.MAX_VALUE;
        long toRest = outbox.isResting() || !comparison.isHindered() ? Long.MAX_VALUE : Math.max(0, restDue - now);
        long toNext = outbox.isQuiet() ? comparison.nanosToNext(now) : Long.MAX_VALUE;
        return Math.min(Math.min(toLook, toEnd), Math.min(toRest, toNext));
    }

    /** Asks or answers what is due now, and draws the conclusion when everything is answered. */
    Result step() {
        if (!client) {
            answerOwed();
            return Result.UNKNOWN;
        }
        if (comparison == null || !comparison.isRunning()) {
            return Result.UNKNOWN;
        }
        long now = clock.getAsLong();
        if (comparison.isComplete() || isOverdue(now)) {
            return conclude(now);
        }
        if (!outbox.isResting() && comparison.isHindered() && now - restDue >= 0) {
            comparison.beginOverTcp(now);
            restDue = now;
            // Before the move the end of the comparison is near.
            long wanted =
                    beforeMove ? attemptNanos : attemptNanos / FIRST_REST << Math.min(restsInVain, REST_DOUBLINGS);
            beginRest(now, Math.min(longestRestNanos, wanted));
        } else if (comparison.isDue(now)) {
            if (outbox.isQuiet()) {
                ask(now);
            } else {
                comparison.hinder();
            }
        }
        return Result.UNKNOWN;
    }

    private boolean isOverdue(long now) {
        if (outbox.isResting() && (now - restEnd >= 0 || comparison.nanosUnanswered(now) >= unansweredNanos)) {
            // Nobody may be inside the endpoint of the peer's.
            return true;
        }
        return beforeMove && now - begun >= attemptNanos / 2;
    }

    private void ask(long now) {
        boolean overRdma = comparison.isOverRdma();
        int number = comparison.ask(now) | (outbox.isResting() ? Comparison.BUSY : 0);
        if (!overRdma) {
            ground.say(MoveWords.of(MoveWords.Kind.PING, attempt, number));
        } else {
            ground.sendEcho(Frame.of(Frame.PING, number));
        }
    }

    private Result conclude(long now) {
        complaint = comparison.complaint();
        if (outbox.isResting()) {
            restsInVain = comparison.isComplete() ? 0 : restsInVain + 1;
            endRest();
            // For the peer, too; nobody waits for the answer.
            ground.say(MoveWords.of(MoveWords.Kind.PING, attempt, comparison.number()));
        }
        comparison.stop();
        if (complaint != null) {
            slow++;
            return Result.TOO_SLOW;
        }
        if (beforeMove) {
            return Result.FAST_ENOUGH;
        }
        slow = 0;
        beginAgain(now);
        return Result.UNKNOWN;
    }

    // ---- Resting, so that nothing delays questions and answers ----

    private void beginRest(long now, long longest) {
        outbox.rest(true);
        restEnd = now + longest;
    }

    private void endRest() {
        outbox.rest(false);
        owed = NONE;
    }

    // ---- Questions and answers ----

    private void answerOwed() {
        if (!outbox.isResting()) {
            return;
        }
        if (clock.getAsLong() - restEnd >= 0) {
            endRest();
        } else if (owed != NONE && outbox.isQuiet()) {
            int number = owed;
            owed = NONE;
            reply(owedOverRdma, number | Comparison.BUSY);
        }
    }

    /**
     * The peer has asked.
     *
     * @param number the question's, and perhaps {@link Comparison#BUSY}
     * @param mayRest whether there still is RDMA
     */
    void asked(boolean overRdma, int number, boolean mayRest) {
        boolean rests = (number & Comparison.BUSY) != 0;
        int asked = number & ~Comparison.BUSY;
        if (!client && !rests) {
            endRest();
            restedUntil = asked;
        } else if (!client && asked != restedUntil && mayRest) {
            // It may come late, by the other wire than the end of the rest.
            boolean begins = !outbox.isResting();
            if (begins) {
                beginRest(clock.getAsLong(), longestRestNanos);
            }
            // The first one is answered at once, so that the client knows that somebody is inside.
            if (!begins && !outbox.isQuiet()) {
                owed = asked;
                owedOverRdma = overRdma;
                return;
            }
        }
        reply(overRdma, asked | (outbox.isQuiet() ? 0 : Comparison.BUSY));
    }

    private void reply(boolean overRdma, int answer) {
        if (overRdma) {
            ground.sendEcho(Frame.of(Frame.PONG, answer));
        } else {
            ground.say(MoveWords.of(MoveWords.Kind.PONG, attempt, answer));
        }
    }

    /** The peer has answered. */
    void answered(boolean overRdma, int answer) {
        if (comparison != null) {
            comparison.answered(overRdma, answer, clock.getAsLong());
        }
    }
}
