// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.util.Arrays;
import java.util.Locale;

/**
 * Whether RDMA answers more slowly than TCP, by questions without bytes that go over both in turn. The middle one of
 * {@value #ROUNDS} round trips of each counts: one that met a busy processor does not. Once most of those over RDMA
 * were too slow, the rest is not awaited. Which wire is asked first changes from round to round, since the first
 * question finds the peer asleep, and the second one awake.
 */
final class Comparison {
    static final int ROUNDS = 9;

    /**
     * Questions and answers have the numbers below. This beside an answer says that what was posted before delayed it;
     * beside a question, that the peer, too, is to post nothing else until one without it comes.
     */
    static final int BUSY = 1 << 15;

    /** So many rounds tell something if there is no time for more. */
    private static final int FEWEST_ROUNDS = 3;

    private static final int NUMBERS = BUSY - 1;

    private final double most;
    private final long patience;
    private final long[] overRdma = new long[ROUNDS];
    private final long[] overTcp = new long[ROUNDS];
    private boolean running;
    private long pause;
    /** 0 or 1: whether even rounds or odd ones ask over TCP first. */
    private int roundsOverTcpFirst;

    private int round;
    /** The first answer of this round is there. */
    private boolean half;

    private boolean asked;
    private long askedAt;
    private long due;
    private int number;
    /** More rounds would change nothing. */
    private boolean complete;

    /** Something else that was under way has kept a question from being asked or answered. */
    private boolean hindered;

    /** Any answer has come. */
    private boolean answered;

    /**
     * Nothing is compared yet.
     *
     * @param most how many times as long as TCP's a round trip over RDMA may take
     * @param patience how long to wait for one answer, in nanoseconds
     */
    Comparison(double most, long patience) {
        this.most = most;
        this.patience = patience;
    }

    /** Begins anew, with a pause before each round. Rounds too few to tell anything count on. */
    void begin(long now, long nanosBetween) {
        begin(now, nanosBetween, false);
    }

    /** Begins anew, over TCP and without pauses. */
    void beginOverTcp(long now) {
        begin(now, 0, true);
    }

    private void begin(long now, long nanosBetween, boolean overTcp) {
        running = true;
        round = hasTooFewRounds() ? round : 0;
        roundsOverTcpFirst = overTcp ? round % 2 : 1;
        pause = nanosBetween;
        complete = false;
        hindered = false;
        answered = false;
        beginRound(now);
    }

    private void beginRound(long now) {
        half = false;
        asked = false;
        due = now + pause;
    }

    void stop() {
        running = false;
    }

    /** What was measured was another connection. */
    void forget() {
        stop();
        round = 0;
    }

    /** Whether there are some rounds, and more are needed to tell anything. */
    boolean hasTooFewRounds() {
        return round > 0 && round < FEWEST_ROUNDS;
    }

    boolean isRunning() {
        return running;
    }

    /** Whether more rounds would change nothing; asked with each poll. */
    boolean isComplete() {
        return running && complete;
    }

    /** The question that is due cannot be asked now. */
    void hinder() {
        hindered = true;
    }

    boolean isHindered() {
        return hindered;
    }

    /** How long the first question has been without an answer. */
    long nanosUnanswered(long now) {
        return asked && !answered ? now - askedAt : 0;
    }

    private int tooSlow() {
        double limit = most * middle(overTcp);
        int count = 0;
        for (int i = 0; i < round; i++) {
            count += overRdma[i] > limit ? 1 : 0;
        }
        return count;
    }

    /** Whether there is something to ask now. */
    boolean isDue(long now) {
        if (asked && now - askedAt >= patience) {
            beginRound(now);
        }
        return running && !asked && now - due >= 0;
    }

    /** When there may be something to ask; {@link Long#MAX_VALUE} for never. */
    long nanosToNext(long now) {
        if (!running) {
            return Long.MAX_VALUE;
        }
        return Math.max(0, asked ? patience - (now - askedAt) : due - now);
    }

    /** Of the question that is due. */
    boolean isOverRdma() {
        return half == (round % 2 == roundsOverTcpFirst);
    }

    /** The number of the last question. */
    int number() {
        return number;
    }

    /** The question that is due is asked now; its number. */
    int ask(long now) {
        number = (number + 1) & NUMBERS;
        asked = true;
        askedAt = now;
        return number;
    }

    /**
     * An answer has come. One that nobody waits for any more is no answer.
     *
     * @param answer the question's number, and perhaps {@link #BUSY}: then the round does not count
     */
    void answered(boolean rdma, int answer, long now) {
        if (!running || !asked || rdma != isOverRdma() || (answer & NUMBERS) != number) {
            return;
        }
        answered = true;
        if ((answer & BUSY) != 0) {
            hindered = true;
            beginRound(now);
            return;
        }
        (rdma ? overRdma : overTcp)[round] = now - askedAt;
        if (half) {
            round++;
            complete = round == ROUNDS || tooSlow() > ROUNDS / 2;
            beginRound(now);
        } else {
            half = true;
            asked = false;
            due = now;
        }
    }

    /** What is wrong with RDMA, once it {@link #isComplete} or must end; null if nothing is. */
    String complaint() {
        return round < FEWEST_ROUNDS || tooSlow() <= (complete ? ROUNDS : round) / 2
                ? null
                : "%s (EndpointConfig.maxSlowdown is %s)".formatted(times(), most);
    }

    /** What the round trips took; null if there are too few. */
    String times() {
        return round < FEWEST_ROUNDS
                ? null
                : String.format(
                        Locale.ROOT,
                        "a round trip over RDMA takes %.1f µs, and over TCP %.1f µs",
                        middle(overRdma) / 1e3,
                        middle(overTcp) / 1e3);
    }

    /** Of the rounds so far. */
    private long middle(long[] times) {
        long[] sorted = Arrays.copyOf(times, round);
        Arrays.sort(sorted);
        return sorted[round / 2];
    }
}
