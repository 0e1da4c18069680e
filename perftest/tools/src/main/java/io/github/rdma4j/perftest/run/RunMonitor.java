// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.placement.Placement;
import io.github.rdma4j.perftest.stream.RunControl;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A thread that monitors a run: starts and ends the measured part of a timed run, aborts the run when the peer has gone
 * or there was no progress for too long, and reports progress. Therefore the measuring thread needs neither a clock nor
 * a system call to end reliably.
 *
 * <p>Started by the constructor, ended by {@link #close()}.
 */
final class RunMonitor implements AutoCloseable {
    /** The interval of checking the peer and the progress. */
    private static final long TICK = Duration.ofMillis(100).toNanos();

    /**
     * A peer that has closed its end may have finished its run: wait until its last message can have arrived.
     */
    private static final long GRACE = Duration.ofSeconds(1).toNanos();

    /** A timed run with less than this remaining has ended when the peer closes: the peer's clock was ahead. */
    private static final long SKEW = Duration.ofMillis(500).toNanos();

    /** Shorter runs show no progress. */
    private static final long QUIET = Duration.ofSeconds(1).toNanos();

    static final String PEER_CLOSED = "the peer closed the connection in the middle of the run";

    static String nothingMoved(Duration silence) {
        return "nothing has moved for " + silence.toSeconds() + " s in the middle of the run (--timeout)";
    }

    /** Receives the progress. */
    interface ProgressSink {
        /**
         * @param messages done so far
         * @param elapsedNanoseconds time since the run began
         */
        void progress(long messages, long elapsedNanoseconds);

        /**
         * Called when the measured part of a timed run starts or ends.
         *
         * @param begins whether it starts
         */
        default void sampling(boolean begins) {}
    }

    private final RunControl control;
    private final BooleanSupplier peerClosed;
    private final long patience;
    private final ProgressSink sink;
    private final long begin = System.nanoTime();

    /** The times of the transitions of a timed run; for a counted run, they are never reached. */
    private final long sampleAt;

    private final long stopAt;
    private final long endAt;

    private final Thread thread;
    private volatile boolean closing;
    private volatile String failure;
    private long sampleBegin;
    private long sampleEnd;

    /** Watches a run with a fixed number of messages. */
    static RunMonitor ofCounted(RunControl control, BooleanSupplier peerClosed, Duration patience, ProgressSink sink) {
        return new RunMonitor(control, peerClosed, patience, sink, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** Monitors a run of a given duration, without a margin at both ends. */
    static RunMonitor ofTimed(
            RunControl control,
            BooleanSupplier peerClosed,
            Duration patience,
            ProgressSink sink,
            Duration duration,
            Duration margin) {
        return new RunMonitor(
                control,
                peerClosed,
                patience,
                sink,
                margin.toNanos(),
                duration.minus(margin).toNanos(),
                duration.toNanos());
    }

    private RunMonitor(
            RunControl control,
            BooleanSupplier peerClosed,
            Duration patience,
            ProgressSink sink,
            long sampleAt,
            long stopAt,
            long endAt) {
        this.control = control;
        this.peerClosed = peerClosed;
        this.patience = patience.toNanos();
        this.sink = sink;
        this.sampleAt = sampleAt;
        this.stopAt = stopAt;
        this.endAt = endAt;
        this.thread = Thread.ofPlatform().daemon().name("rdma4j-run-monitor").start(this::watch);
    }

    private void watch() {
        Placement.leaveMeasuringCpus();
        long lastProgress = control.progress();
        long progressAt = 0;
        long closedAt = Long.MAX_VALUE;
        long nextTick = TICK;
        while (!closing && control.running()) {
            long now = System.nanoTime() - begin;
            changePhase(now);
            if (now >= nextTick) {
                nextTick = now + TICK;
                long progress = control.progress();
                if (progress != lastProgress) {
                    lastProgress = progress;
                    progressAt = now;
                }
                if (closedAt == Long.MAX_VALUE && progressAt != now && peerClosed.getAsBoolean()) {
                    closedAt = now;
                }
                judge(now, progressAt, closedAt);
                if (now > QUIET) {
                    sink.progress(progress, now);
                }
            }
            LockSupport.parkNanos(this, Math.max(1, Math.min(nextTick, nextTransition()) - now));
        }
    }

    private long nextTransition() {
        return switch (control.phase()) {
            case RunControl.STARTING -> sampleAt;
            case RunControl.SAMPLING -> stopAt;
            default -> endAt;
        };
    }

    private void changePhase(long now) {
        if (control.phase() == RunControl.STARTING && now >= sampleAt) {
            sink.sampling(true);
            sampleBegin = System.nanoTime();
            control.enter(RunControl.SAMPLING);
        } else if (control.phase() == RunControl.SAMPLING && now >= stopAt) {
            stopSampling();
        }
        if (control.phase() == RunControl.STOPPING && now >= endAt) {
            control.enter(RunControl.ENDED);
        }
    }

    private void stopSampling() {
        control.enter(RunControl.STOPPING);
        sampleEnd = System.nanoTime();
        sink.sampling(false);
    }

    private void judge(long now, long progressAt, long closedAt) {
        if (closedAt != Long.MAX_VALUE && endAt != Long.MAX_VALUE && endAt - now < SKEW) {
            if (control.phase() == RunControl.SAMPLING) {
                stopSampling();
            }
            control.enter(RunControl.ENDED);
        } else if (closedAt != Long.MAX_VALUE && now - Math.max(closedAt, progressAt) > GRACE) {
            breakOff(PEER_CLOSED);
        } else if (now - progressAt > patience) {
            breakOff(nothingMoved(Duration.ofNanos(patience)));
        }
    }

    private void breakOff(String reason) {
        failure = reason;
        control.enter(RunControl.ENDED);
    }

    /** Nanoseconds of the measured part; 0 when it was not reached. Valid after {@link #close()}. */
    long sampledNanoseconds() {
        return sampleEnd - sampleBegin;
    }

    /** Returns why the run was aborted; null when it was not. Valid after {@link #close()}. */
    String failure() {
        return failure;
    }

    /** Ends the thread and waits for it: its fields may be read then. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
