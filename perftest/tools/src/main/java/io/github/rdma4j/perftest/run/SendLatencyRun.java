// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.loop.LatencyRecorder;
import io.github.rdma4j.perftest.loop.SendLatencyLoop;
import io.github.rdma4j.perftest.loop.Sender;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.resources.SendStreams;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.stream.Failures;
import io.github.rdma4j.perftest.stream.Receives;
import io.github.rdma4j.perftest.stream.RunControl;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs ib_send_lat, and ib_write_lat with immediate data, between two connected sides. They synchronize before each
 * size, after posting receives. The send tool also synchronizes at the end. The client sends first in ib_send_lat; the
 * server writes first in ib_write_lat.
 */
final class SendLatencyRun implements ConnectedRun {
    /** A latency is half a round trip. */
    static final int PARTS = 2;

    private final RunParts parts;
    private final RunParameters parameters;
    private final RunResources resources;
    private final MonitoredRun monitoring;

    SendLatencyRun(RunParts parts) {
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
        if (!resources.messagesAreWritten()) {
            parts.handshake().exchange(parts.channel(), "end of the test", parameters.runTimeout());
        }
        return results;
    }

    private SizeResult run(long size) {
        RunControl control = new RunControl();
        LatencyRecorder recorder = LatencyRecording.recorder(parameters, control, PARTS);
        long count = LatencyRecording.messages(parameters);
        Receives receives = SendStreams.receivesOf(resources, 0, size, parts.layout(), parameters.receiveDepth());
        SendLatencyLoop loop = loop(resources, 0, size, receives, control);
        Failures.check(receives.begin(count), receives);
        parts.handshake().exchange(parts.channel(), "start of the run");
        RunMonitor monitor = monitoring.start(control, size);
        try {
            loop.run(parameters.isServer() == resources.messagesAreWritten(), count, recorder);
        } finally {
            monitor.close();
        }
        monitoring.check(monitor, loop.failure(), control, recorder.count());
        return LatencyRecording.result(parameters, size, recorder, monitor.sampledNanoseconds());
    }

    /**
     * For {@link WarmUp}: messages of stream 0 return through stream 1, so that the loop exchanges messages with
     * itself.
     */
    static WarmUp.Round warmUp(RunParameters parameters, RunResources pair, RunControl control, RoundLimit limit) {
        Receives receives = SendStreams.receivesOf(pair, 1, WarmUp.SIZE, WarmUp.FEW_SLOTS, WarmUp.RECEIVES);
        SendLatencyLoop loop = loop(pair, 1, WarmUp.SIZE, receives, control);
        List<LatencyRecorder> recorders = LatencyRecording.ofWarmUp(parameters, control, PARTS, WarmUp.MESSAGES);
        LatencyRecorder stamps = recorders.getFirst();
        LatencyRecorder other = recorders.getLast();
        return number -> {
            control.enter(number % 2 == 0 ? RunControl.STARTING : RunControl.SAMPLING);
            if (number % WarmUp.SPIN_EVERY == 0 && !parameters.queues().events()) {
                limit.endSoon();
                loop.receive();
                control.enter(RunControl.STARTING);
            }
            limit.endWhenStuck();
            boolean opens = number % 4 != 3;
            int messages = opens ? WarmUp.MESSAGES : 1;
            // A side that does not send first waits for one message before it sends, and does not read its own last
            // message.
            if (!receives.begin(opens ? messages : 2)) {
                return limit.outcome(0, receives.failure());
            }
            if (!opens && !loop.send()) {
                return limit.outcome(0, loop.failure());
            }
            long sent = loop.run(opens, messages, number % 3 == 0 ? other : stamps);
            boolean empty = opens || loop.receive();
            return limit.outcome(empty ? sent : 0, loop.failure());
        };
    }

    /** Creates the loop for one size, on stream 0, with messages that arrive through a stream. */
    static SendLatencyLoop loop(
            RunResources resources, int receiving, long size, Receives receives, RunControl control) {
        long length = SendStreams.length(resources, size);
        return new SendLatencyLoop(
                Sender.ofOneMessage(resources, 0, size),
                resources.slice(resources.sendOffset(0), size),
                size <= resources.inlineSize(),
                receives,
                resources.queues(),
                resources.outgoing(0, size),
                resources.incoming(resources.receiveOffset(receiving), length),
                control);
    }
}
