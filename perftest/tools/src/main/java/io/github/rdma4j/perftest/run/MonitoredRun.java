// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.result.RunListener;
import io.github.rdma4j.perftest.stream.Failures;
import io.github.rdma4j.perftest.stream.RunControl;
import io.github.rdma4j.perftest.wire.ControlChannel;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Starts the monitor for a test's parameters, and converts its result or the loop's into an exception. */
final class MonitoredRun {
    /** After a request has failed, a dead peer's control connection closes within this time. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

    private final RunParameters parameters;
    private final ControlChannel channel;
    private final BooleanSupplier peerClosed;
    private final RunListener listener;

    MonitoredRun(RunParameters parameters, ControlChannel channel, RunListener listener) {
        this.parameters = parameters;
        this.channel = channel;
        this.peerClosed = channel::peerClosed;
        this.listener = listener;
    }

    /** A class and not a lambda, which would be linked, at length, right before the measured run. */
    private record Progress(RunListener listener, long size, long total) implements RunMonitor.ProgressSink {
        @Override
        public void progress(long messages, long elapsedNanoseconds) {
            listener.progress(size, messages, total, elapsedNanoseconds);
        }

        @Override
        public void sampling(boolean begins) {
            listener.sampling(begins);
        }
    }

    /** Starts the monitor. Call it right before the loop. */
    RunMonitor start(RunControl control, long size) {
        long total = parameters.isTimed()
                ? 0
                : parameters.tool().isLatency()
                        ? LatencyRecording.messages(parameters)
                        : (long) parameters.iterations() * parameters.queues().queuePairs() * directions();
        RunMonitor.ProgressSink sink = new Progress(listener, size, total);
        control.enter(RunControl.STARTING);
        return parameters.isTimed()
                ? RunMonitor.ofTimed(
                        control,
                        peerClosed,
                        parameters.peer().timeout(),
                        sink,
                        Duration.ofSeconds(parameters.workload().durationSeconds()),
                        parameters.workload().margin())
                : RunMonitor.ofCounted(control, peerClosed, parameters.peer().timeout(), sink);
    }

    /** Starts the monitor of an unmeasured loop with a fixed number of messages. Call it right before the loop. */
    RunMonitor startCounted(RunControl control, long size) {
        control.enter(RunControl.STARTING);
        return RunMonitor.ofCounted(control, peerClosed, parameters.peer().timeout(), new Progress(listener, size, 0));
    }

    /** Counts received messages also, when their receives complete. */
    private int directions() {
        return parameters.usesReceives() && parameters.workload().bidirectional() ? 2 : 1;
    }

    /**
     * Throws an exception if the run has failed.
     *
     * @param monitor a closed monitor
     * @param loopFailure the failure that the loop reports
     * @param control the control of the run
     * @param sampled messages of the measured part of a timed run
     */
    void check(RunMonitor monitor, String loopFailure, RunControl control, long sampled) {
        // After the measured part a timed run's peer may end first, and its queue pair with it.
        boolean measured = parameters.isTimed() && control.phase() >= RunControl.STOPPING;
        checkCounted(monitor, measured ? null : loopFailure);
        boolean endless = parameters.workload().endless();
        if (endless && sampled == 0 && channel.peerClosed()) {
            throw lostPeer(RunMonitor.PEER_CLOSED, null);
        }
        if (parameters.isTimed() && (sampled == 0 && !endless || monitor.sampledNanoseconds() <= 0)) {
            throw new RunFailedException(
                    "no message completed in the measured part of the run", "run longer: -D/--duration");
        }
    }

    /**
     * Ends an endless run that makes no more progress.
     *
     * @param silence how long no message has completed
     */
    void checkSilence(Duration silence) {
        if (silence.compareTo(parameters.peer().timeout()) > 0) {
            throw lostPeer(RunMonitor.nothingMoved(silence), null);
        }
    }

    private RunFailedException lostPeer(String reason, String loopFailure) {
        return RunFailedException.ofLostPeer(
                reason + " (peer " + channel.peer() + ")" + (loopFailure == null ? "" : "; " + loopFailure),
                "read what the peer printed");
    }

    /**
     * Returns whether the peer also closes its end of the control connection after a request has failed. A process that
     * is killed loses its memory and queue pairs first, so that requests complete with errors that blame a key or a
     * receive.
     */
    private boolean peerHasGone() {
        long begin = System.nanoTime();
        while (!channel.peerClosed()) {
            if (System.nanoTime() - begin > CLOSE_TIMEOUT.toNanos()) {
                return false;
            }
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
        return true;
    }

    /** Throws what went wrong in a run of a number of messages. */
    void checkCounted(RunMonitor monitor, String loopFailure) {
        if (monitor.failure() != null) {
            throw lostPeer(monitor.failure(), loopFailure);
        }
        if (loopFailure != null && peerHasGone()) {
            throw RunFailedException.ofLostPeer(
                    "the peer " + channel.peer()
                            + " has gone: it closed the control connection in the middle of the run; "
                            + Failures.withoutUsualCause(loopFailure),
                    "read what the peer printed, or find out who ended it");
        }
        if (loopFailure != null) {
            throw new RunFailedException(
                    loopFailure,
                    "see that the peer still runs with the same options, and that the network loses nothing;"
                            + " -u/--qp-timeout gives a slow peer more time");
        }
    }
}
