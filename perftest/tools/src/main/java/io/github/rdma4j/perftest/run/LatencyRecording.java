// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.loop.LatencyRecorder;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.result.LatencyResult;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.result.TimedLatencyResult;
import io.github.rdma4j.perftest.stream.RunControl;
import java.util.List;

/** Configures the recorder of a latency test from its parameters: the number of messages and rounds, and the pace. */
final class LatencyRecording {
    /** Messages per second of an open loop in a warm-up: it waits sometimes, but not for long. */
    private static final double OPEN_LOOP_RATE = 1e6;

    /** Nanoseconds of a pause in a warm-up. */
    private static final long SHORT_GAP = 1000;

    private LatencyRecording() {}

    /** Returns the number of messages of one size, over all rounds; {@link Long#MAX_VALUE} for a timed run. */
    static long messages(RunParameters parameters) {
        return parameters.isTimed()
                ? Long.MAX_VALUE
                : (long) parameters.iterations() * parameters.figures().rounds();
    }

    /**
     * Returns the recorder for the run of one size.
     *
     * @param parts 2 where the loop plays ping-pong, so that a latency is half a round trip; 1 where it waits for a
     *     completion
     * @throws IllegalParameterException when the heap is too small for the list of all times
     */
    static LatencyRecorder recorder(RunParameters parameters, RunControl control, int parts) {
        double rate = parameters.workload().rate();
        if (rate > 0) {
            return LatencyRecorder.open(
                    control,
                    parts,
                    rate,
                    parameters.isTimed(),
                    parameters.iterations(),
                    parameters.figures().rounds());
        }
        long gap = parameters.workload().latencyGap().toNanos();
        if (parameters.isTimed()) {
            return LatencyRecorder.timed(control, parts).pausing(gap);
        }
        try {
            return LatencyRecorder.counted(
                            control,
                            parts,
                            parameters.iterations(),
                            parameters.figures().rounds(),
                            parameters.figures().listsTimes())
                    .pausing(gap);
        } catch (OutOfMemoryError _) {
            throw new IllegalParameterException("-H/-U: to list " + messages(parameters) + " times takes "
                    + (messages(parameters) * 8 >> 20) + " MiB of heap and more, which has "
                    + (Runtime.getRuntime().maxMemory() >> 20)
                    + " MiB; use --out_hgrm, or a larger heap (JAVA_TOOL_OPTIONS=-Xmx…)");
        }
    }

    /**
     * The two recorders of a warm-up, which together cover all code paths of the measured run's recorder.
     *
     * @param messages of a round
     */
    static List<LatencyRecorder> ofWarmUp(RunParameters parameters, RunControl control, int parts, int messages) {
        long gap = parameters.workload().latencyGap().isZero() ? 0 : SHORT_GAP;
        return List.of(
                LatencyRecorder.counted(control, parts, messages, 1, false).pausing(gap),
                parameters.workload().rate() > 0
                        ? LatencyRecorder.open(control, parts, OPEN_LOOP_RATE, true, messages, 1)
                        : LatencyRecorder.timed(control, parts).pausing(gap));
    }

    /**
     * The result of the run of one size.
     *
     * @param recorder of a run that has ended without a failure
     * @param nanoseconds length of the measured part of a timed run
     */
    static SizeResult result(RunParameters parameters, long size, LatencyRecorder recorder, long nanoseconds) {
        return parameters.isTimed()
                ? timed(size, recorder, nanoseconds)
                : LatencyResult.of(size, messages(parameters), recorder.figures(), recorder.pace(), recorder.times());
    }

    /**
     * The result of a timed run.
     *
     * @param nanoseconds length of the measured part
     */
    static TimedLatencyResult timed(long size, LatencyRecorder recorder, long nanoseconds) {
        long iterations = recorder.count();
        LatencyFigures latency = recorder.figures().getFirst();
        return new TimedLatencyResult(
                size,
                iterations,
                recorder.pace() == null ? nanoseconds / (1000.0 * recorder.parts() * iterations) : latency.mean(),
                iterations * 1e9 / nanoseconds,
                latency,
                recorder.pace());
    }
}
