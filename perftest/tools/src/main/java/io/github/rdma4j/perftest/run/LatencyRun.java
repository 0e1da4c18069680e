// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.loop.GpuWriteLatencyLoop;
import io.github.rdma4j.perftest.loop.LatencyRecorder;
import io.github.rdma4j.perftest.loop.RequestQueues;
import io.github.rdma4j.perftest.loop.StagedWriteLatencyLoop;
import io.github.rdma4j.perftest.loop.WriteLatencyLoop;
import io.github.rdma4j.perftest.loop.WrittenMessages;
import io.github.rdma4j.perftest.memory.SealedMessages;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.resources.GpuMessageMemory;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.stream.RunControl;
import java.util.ArrayList;
import java.util.List;

/** ib_write_lat between two connected sides: one ping-pong per size, with nothing exchanged between sizes. */
final class LatencyRun implements ConnectedRun {
    /** A latency is half a round trip. */
    static final int PARTS = 2;

    private final RunParts parts;
    private final RunParameters parameters;
    private final RunResources resources;
    private final MonitoredRun monitoring;

    LatencyRun(RunParts parts) {
        this.parts = parts;
        this.parameters = parts.parameters();
        this.resources = parts.resources();
        this.monitoring = new MonitoredRun(parameters, parts.channel(), parts.listener());
    }

    @Override
    public List<SizeResult> run() {
        List<SizeResult> results = new ArrayList<>();
        for (long size : parts.sizes()) {
            SizeResult result = run(size);
            results.add(result);
            parts.listener().result(result);
        }
        return results;
    }

    private SizeResult run(long size) {
        RunControl control = new RunControl();
        LatencyRecorder recorder = LatencyRecording.recorder(parameters, control, PARTS);
        WriteLatencyLoop loop = loop(resources, size, DataValidation.messages(parameters, resources), control);
        RunMonitor monitor = monitoring.start(control, size);
        try {
            loop.run(parameters.playsServer(), LatencyRecording.messages(parameters), recorder);
        } finally {
            monitor.close();
        }
        monitoring.check(monitor, loop.failure(), control, recorder.count());
        return LatencyRecording.result(parameters, size, recorder, monitor.sampledNanoseconds());
    }

    /** The loop for one size, on stream 0. */
    static WriteLatencyLoop loop(RunResources resources, long size, SealedMessages seals, RunControl control) {
        RequestQueues queues = new RequestQueues(resources.sender(0), resources.completionQueue());
        long sendOffset = resources.sendOffset(0);
        long receiveOffset = resources.receiveOffset(0);
        WrittenMessages messages = new WrittenMessages(
                sendOffset,
                receiveOffset,
                resources.slice(sendOffset, size),
                resources.remote(0).slice(0, size));
        if (!(resources.memory() instanceof GpuMessageMemory memory)) {
            boolean inline = size <= resources.inlineSize();
            return new WriteLatencyLoop(queues, resources.buffer(), messages, inline, seals, control);
        }
        return memory.isStaged()
                ? new StagedWriteLatencyLoop(
                        queues,
                        memory,
                        resources.outgoing(0, size),
                        resources.incoming(receiveOffset, size),
                        messages,
                        seals,
                        control)
                : new GpuWriteLatencyLoop(queues, memory, messages, seals, control);
    }
}
