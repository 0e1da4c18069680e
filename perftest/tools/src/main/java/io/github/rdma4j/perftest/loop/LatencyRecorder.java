// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.figures.LatencySamples;
import io.github.rdma4j.perftest.figures.SampleTimes;
import io.github.rdma4j.perftest.result.Pace;
import io.github.rdma4j.perftest.stream.RunControl;
import java.util.ArrayList;
import java.util.List;

/**
 * Records the times of a latency tool's loop, and paces an open loop. The loop makes one call per message, right before
 * it posts the message and after it has received the previous answer. In a closed loop, the call may also follow the
 * post, while the message is in flight: the time between two calls is the same, and the message does not wait for the
 * clock.
 *
 * <pre>{@code
 * recorder.begin();
 * while (sent < count) {
 *     if (awaits the peer first && !await(...)) return;
 *     if (recorder.paces() && !recorder.due()) return;   // waits until the message is due, and takes the time
 *     post
 *     if (!recorder.paces()) recorder.next();            // takes the time
 *     await the completion (and, where this side sends first, the answer)
 * }
 * if (recorder.paces()) recorder.end();                  // where the last message was also answered
 * }</pre>
 *
 * <p>Closed loop: a sample is the time from one call to the next, as in the C tools; of n messages there are n − 1
 * samples. A counted run of up to {@link #MOST_STAMPS} messages writes its times into an array, which is evaluated
 * afterwards; a longer or a timed one goes into a histogram at once, a timed one only in its measured part.
 *
 * <p>Open loop ({@code --rate}): a sample starts when the message was due, not when it was posted. A delay counts in
 * full; the exchange itself counts as one of its parts (half of it for a round trip that represents one way).
 *
 * <p>A closed loop may wait before each post, {@link #pausing}: as in the C tools ({@code --latency_gap}) the wait is
 * part of the time from one call to the next.
 *
 * <p>Does not allocate between {@link #begin} and {@link #end}. For use by one thread.
 */
public final class LatencyRecorder {
    /** A closed loop with more messages is recorded in a histogram at once, without individual times. */
    static final int MOST_STAMPS = 1 << 22;

    private static final long[] NONE = {};

    private final RunControl control;
    private final int parts;
    private final boolean timed;
    private final double perSecond;
    private final Pacer pacer;
    private final long perRound;
    private final boolean keepTimes;
    private final long[] stamps;
    private final int roundCount;
    private final LatencySamples[] rounds;

    /** Nanoseconds to wait before each post of a closed loop. */
    private long gap;

    private int index;
    private boolean underWay;
    private boolean counting;
    private long due;
    private long start;
    private LatencySamples samples;
    private int round;
    private long left;
    private long firstStart;
    private long lastStart;

    private LatencyRecorder(
            RunControl control,
            int parts,
            boolean timed,
            double perSecond,
            long perRound,
            int stampCount,
            int rounds,
            boolean keepTimes) {
        this.control = control;
        this.parts = parts;
        this.timed = timed;
        this.perSecond = perSecond;
        this.pacer = perSecond > 0 ? new Pacer(perSecond) : null;
        this.perRound = perRound;
        this.keepTimes = keepTimes;
        this.stamps = stampCount == 0 ? NONE : new long[stampCount];
        this.roundCount = rounds;
        // Runs that are evaluated afterwards share one.
        this.rounds = new LatencySamples[stampCount == 0 ? rounds : 1];
        for (int i = 0; i < this.rounds.length; i++) {
            this.rounds[i] = new LatencySamples(parts);
        }
        begin();
    }

    /**
     * For a closed loop of a number of messages.
     *
     * @param control of the run
     * @param parts the number of equal parts of a sample, one of which is the latency: 2 for a round trip that
     *     represents one way, otherwise 1
     * @param perRound messages of a round, at least 2
     * @param rounds how many rounds follow each other in one run, at least 1
     * @param keepTimes whether to keep individual times regardless of their number
     * @throws OutOfMemoryError when they are too many
     */
    public static LatencyRecorder counted(RunControl control, int parts, long perRound, int rounds, boolean keepTimes) {
        long total = perRound * rounds;
        boolean stamped = keepTimes || total <= MOST_STAMPS;
        if (stamped && total > Integer.MAX_VALUE - 8) {
            throw new OutOfMemoryError("more times than an array holds");
        }
        return new LatencyRecorder(control, parts, false, 0, perRound, stamped ? (int) total : 0, rounds, keepTimes);
    }

    /** For a closed loop that lasts a time; only samples that end in the measured part count. */
    public static LatencyRecorder timed(RunControl control, int parts) {
        return new LatencyRecorder(control, parts, true, 0, Long.MAX_VALUE, 0, 1, false);
    }

    /**
     * For an open loop.
     *
     * @param perSecond messages per second
     * @param timed whether only samples count that end in the measured part of the run
     * @param perRound messages of a round; any number for a timed one
     * @param rounds how many rounds follow each other in one run; 1 for a timed one
     */
    public static LatencyRecorder open(
            RunControl control, int parts, double perSecond, boolean timed, long perRound, int rounds) {
        return new LatencyRecorder(
                control, parts, timed, perSecond, timed ? Long.MAX_VALUE : perRound, 0, rounds, false);
    }

    /** Resets everything at the start of a run. */
    void begin() {
        index = 0;
        underWay = false;
        counting = false;
        for (LatencySamples each : rounds) {
            each.clear();
        }
        round = 0;
        samples = rounds[0];
        left = perRound;
    }

    /**
     * Lets a closed loop wait before each post.
     *
     * @param nanoseconds how long; 0 for not at all
     * @return this
     */
    public LatencyRecorder pausing(long nanoseconds) {
        gap = nanoseconds;
        return this;
    }

    /** Returns whether messages wait until they are due: at a rate, in an open loop, or after a pause. */
    boolean paces() {
        return pacer != null || gap > 0;
    }

    /** Used instead of {@link #next} if messages wait until they are due. Returns false when the run has ended. */
    boolean due() {
        return (gap == 0 || pause()) && next();
    }

    private boolean pause() {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < gap) {
            if (!control.running()) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    /**
     * Called when the answer to the previous message has arrived and the next message is about to be posted or, in a
     * closed loop, has just been posted. Returns false when the run of an open loop has ended.
     */
    public boolean next() {
        long now = System.nanoTime();
        int i = index;
        long[] into = stamps;
        // Unsigned, as the compiler checks the index of an array: so it does not check it again.
        if (Integer.compareUnsigned(i, into.length) < 0) {
            into[i] = now;
            index = i + 1;
            return true;
        }
        return next(now);
    }

    private boolean next(long now) {
        if (underWay) {
            answered(now);
        } else if (pacer != null) {
            pacer.begin(now);
        }
        underWay = true;
        long time = now;
        if (pacer != null) {
            due = pacer.next();
            while (time - due < 0) {
                if (!control.running()) {
                    underWay = false;
                    return false;
                }
                Thread.onSpinWait();
                time = System.nanoTime();
            }
        } else {
            due = time;
        }
        start = time;
        return true;
    }

    private void answered(long now) {
        if (timed && !control.sampling()) {
            return;
        }
        if (left-- == 0) {
            left = perRound - 1;
            samples = rounds[Math.min(++round, rounds.length - 1)];
        }
        if (!counting) {
            counting = true;
            firstStart = start;
        }
        lastStart = start;
        // Late by start - due, which no peer shares; the rest is one exchange.
        samples.record((start - due) * parts + (now - start));
    }

    /**
     * Called when the answer to the last message of an open loop has arrived. Without this call, the last message is
     * not a sample.
     */
    void end() {
        if (pacer != null && underWay) {
            answered(System.nanoTime());
        }
        underWay = false;
    }

    /** Samples of an open or timed loop so far, which are its messages in the measured part. */
    public long count() {
        long sum = 0;
        for (LatencySamples each : rounds) {
            sum += each.count();
        }
        return sum;
    }

    /** The pace of an open loop, due and posted; null for a closed one. */
    public Pace pace() {
        long time = lastStart - firstStart;
        return pacer == null ? null : new Pace(perSecond, counting && time > 0 ? (count() - 1) * 1e9 / time : 0);
    }

    /** Returns the number of equal parts of a sample, one of which is the latency. */
    public int parts() {
        return parts;
    }

    /** The figures of each round, when all of them have been run. */
    public List<LatencyFigures> figures() {
        // With a resolution of milliseconds, the two clocks differ by a constant.
        long offset = System.currentTimeMillis() - System.nanoTime() / 1_000_000;
        List<LatencyFigures> figures = new ArrayList<>();
        if (stamps.length == 0) {
            for (LatencySamples each : rounds) {
                figures.add(each.figures(offset + firstStart / 1_000_000, offset + lastStart / 1_000_000));
            }
            return figures;
        }
        for (int number = 0; number < roundCount; number++) {
            int from = (int) (number * perRound);
            int to = (int) Math.min(from + perRound, index - 1);
            samples.clear();
            for (int i = from; i < to; i++) {
                samples.record(stamps[i + 1] - stamps[i]);
            }
            figures.add(samples.figures(offset + stamps[from] / 1_000_000, offset + stamps[to] / 1_000_000));
        }
        return figures;
    }

    /** The single times; null unless the recorder was made to keep them. */
    public SampleTimes times() {
        return keepTimes ? SampleTimes.between(stamps, index, parts) : null;
    }
}
