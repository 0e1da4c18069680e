// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.loop.LatencyRecorder;
import io.github.rdma4j.perftest.loop.RequestLatencyLoop;
import io.github.rdma4j.perftest.loop.RequestQueues;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.stream.Operation;
import io.github.rdma4j.perftest.stream.RunControl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs ib_read_lat and ib_atomic_lat between two connected sides: the client runs all sizes, while the server's adapter
 * answers and the server waits for the message that the client is done.
 */
final class RequestLatencyRun implements ConnectedRun {
    /** A latency is the time from a request to its answer. */
    static final int PARTS = 1;

    private static final int WARM_UP_SIZE = 8;
    private static final int WARM_UP_MESSAGES = 9;

    private final RunParts parts;
    private final RunParameters parameters;
    private final RunResources resources;
    private final MonitoredRun monitoring;

    RequestLatencyRun(RunParts parts) {
        this.parts = parts;
        this.parameters = parts.parameters();
        this.resources = parts.resources();
        this.monitoring = new MonitoredRun(parameters, parts.channel(), parts.listener());
    }

    @Override
    public List<SizeResult> run() {
        if (!parameters.sends()) {
            Duration patience = parameters.peer().timeout();
            parts.handshake()
                    .exchange(
                            parts.channel(),
                            "end of the test",
                            patience,
                            () -> parts.passive().await(patience, parameters.passiveTimeout()));
            return List.of();
        }
        List<SizeResult> results = new ArrayList<>();
        for (long size : parts.sizes()) {
            SizeResult result = run(size);
            results.add(result);
            parts.listener().result(result);
        }
        parts.handshake().exchange(parts.channel(), "end of the test");
        return results;
    }

    private SizeResult run(long size) {
        RunControl control = new RunControl();
        LatencyRecorder recorder = LatencyRecording.recorder(parameters, control, PARTS);
        RequestLatencyLoop loop =
                loop(parameters, resources, size, parameters.queues().events(), control);
        RunMonitor monitor = monitoring.start(control, size);
        try {
            loop.run(LatencyRecording.messages(parameters), recorder);
        } finally {
            monitor.close();
        }
        monitoring.check(monitor, loop.failure(), control, recorder.count());
        return LatencyRecording.result(parameters, size, recorder, monitor.sampledNanoseconds());
    }

    /** Calls of the loop for a few small messages on a queue pair of this process, in all modes. */
    static WarmUp.Round warmUp(RunParameters parameters, RunResources pair, RunControl control, RoundLimit limit) {
        RequestLatencyLoop loop = loop(parameters, pair, WARM_UP_SIZE, false, control);
        RequestLatencyLoop sleeping =
                loop(parameters, pair, WARM_UP_SIZE, parameters.queues().events(), control);
        List<LatencyRecorder> recorders = LatencyRecording.ofWarmUp(parameters, control, PARTS, WARM_UP_MESSAGES);
        LatencyRecorder stamps = recorders.getFirst();
        LatencyRecorder other = recorders.getLast();
        return number -> {
            control.enter(number % 2 == 0 ? RunControl.STARTING : RunControl.SAMPLING);
            if (number % WarmUp.SPIN_EVERY == 0) {
                limit.endSoon();
                loop.awaitCompletion();
                control.enter(RunControl.STARTING);
            }
            limit.endWhenStuck();
            RequestLatencyLoop next = number % WarmUp.SPIN_EVERY == 1 ? sleeping : loop;
            long answered = next.run(WARM_UP_MESSAGES, number % 3 == 0 ? other : stamps);
            return limit.outcome(answered, next.failure());
        };
    }

    /** The loop for one size, on queue pair 0. */
    static RequestLatencyLoop loop(
            RunParameters parameters, RunResources resources, long size, boolean events, RunControl control) {
        return new RequestLatencyLoop(
                new RequestQueues(resources.sender(0), resources.completionQueue()),
                Operation.of(parameters),
                events,
                resources.slice(resources.sendOffset(0), size),
                resources.remote(0).slice(0, size),
                resources.incoming(resources.sendOffset(0), size),
                control);
    }
}
