// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.loop.BandwidthLoop;
import io.github.rdma4j.perftest.loop.BurstLimit;
import io.github.rdma4j.perftest.loop.GroupTimes;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Verb;
import io.github.rdma4j.perftest.plan.Depth;
import io.github.rdma4j.perftest.plan.Slots;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.stream.Lane;
import io.github.rdma4j.perftest.stream.Operation;
import io.github.rdma4j.perftest.stream.RunControl;
import io.github.rdma4j.perftest.wire.BandwidthReport;
import io.github.rdma4j.perftest.wire.SystemData;
import io.github.rdma4j.verbs.RemoteMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs ib_write_bw, ib_read_bw and ib_atomic_bw between two connected sides. In a one-way test, the client runs all
 * sizes while the server waits for the message that the client is done, and then sends its last figures. In a
 * bidirectional test, the sides synchronize before each size, with several sizes also after each, and add up their
 * figures.
 */
final class BandwidthRun implements ConnectedRun {
    /**
     * Fewer slots in the buffer than messages in a round of the warm-up, so that the loop returns to the first slot.
     */
    private static final SystemData FEW_SLOTS = new SystemData(256, 64);

    private final RunParts parts;
    private final RunParameters parameters;
    private final RunResources resources;
    private final MonitoredRun monitoring;
    private RunControl control;
    private GroupTimes times;
    private BandwidthLoop loop;
    private long loopSize;

    BandwidthRun(RunParts parts) {
        this.parts = parts;
        this.parameters = parts.parameters();
        this.resources = parts.resources();
        this.monitoring = new MonitoredRun(parameters, parts.channel(), parts.listener());
    }

    @Override
    public List<SizeResult> run() {
        List<SizeResult> results =
                parameters.workload().bidirectional() ? runBothWays() : !parameters.sends() ? await() : runOneWay();
        synchronize("end of the test");
        return results;
    }

    private List<SizeResult> await() {
        Duration patience = parameters.peer().timeout();
        // A client (--reversed) sends first: a server that has ended its run waits for that message.
        parts.handshake()
                .exchange(
                        parts.channel(),
                        "end of the run",
                        patience,
                        () -> parts.passive().await(patience, parameters.passiveTimeout()));
        BandwidthResult result = BandwidthResult.of(
                BandwidthReport.NOTHING
                        .exchange(parts.channel(), parameters.peer().timeout())
                        .check(parts.channel()),
                parameters.figures().gigabits());
        parts.listener().result(result);
        return List.of(result);
    }

    private List<SizeResult> runOneWay() {
        List<SizeResult> results = new ArrayList<>();
        BandwidthResult last = null;
        for (long size : parts.sizes()) {
            if (parameters.workload().endless()) {
                runEndlessly(size);
            }
            last = BandwidthRounds.run(parameters.figures().rounds(), () -> run(size), parts.listener());
            results.add(last);
            parts.listener().result(last);
        }
        synchronize("end of the run");
        last.toReport().exchange(parts.channel(), parameters.peer().timeout());
        return results;
    }

    /**
     * Reports a result for each period, until the user ends the test. A period may be shorter than the time between two
     * completions, and a machine may pause. Such a period has no messages; only many of them in a row are a failure.
     */
    private void runEndlessly(long size) {
        Duration silence = Duration.ZERO;
        while (true) {
            BandwidthResult result = run(size);
            parts.listener().result(result);
            silence = result.iterations() > 0
                    ? Duration.ZERO
                    : silence.plusSeconds(parameters.workload().durationSeconds());
            monitoring.checkSilence(silence);
        }
    }

    private List<SizeResult> runBothWays() {
        List<SizeResult> results = new ArrayList<>();
        for (long size : parts.sizes()) {
            BandwidthResult both =
                    BandwidthRounds.run(parameters.figures().rounds(), () -> runBothWays(size), parts.listener());
            results.add(both);
            parts.listener().result(both);
        }
        return results;
    }

    private BandwidthResult runBothWays(long size) {
        synchronize("start of the run");
        BandwidthResult mine = run(size);
        if (parameters.workload().allSizes()) {
            waitForPeer("end of the run");
        }
        return mine.plus(mine.toReport()
                .exchange(parts.channel(), parameters.runTimeout())
                .check(parts.channel()));
    }

    private void synchronize(String step) {
        parts.handshake().exchange(parts.channel(), step);
    }

    private void waitForPeer(String step) {
        parts.handshake().exchange(parts.channel(), step, parameters.runTimeout());
    }

    private BandwidthResult run(long size) {
        if (loop == null || size != loopSize) {
            prepare(size);
        }
        if (parameters.workload().messagesBefore()) {
            int list = parameters.queues().postList();
            RunMonitor monitor = monitoring.startCounted(control, size);
            runMonitored(monitor, parameters.transmitDepth() / list * list);
        }
        RunMonitor monitor = monitoring.start(control, size);
        runMonitored(monitor, parameters.isTimed() ? Long.MAX_VALUE : parameters.iterations());
        return parameters.isTimed()
                ? BandwidthResult.of(
                        size,
                        loop.sampled(),
                        monitor.sampledNanoseconds(),
                        0,
                        parameters.figures().gigabits())
                : BandwidthResult.of(
                        size,
                        loop.completed(),
                        loop.nanoseconds(),
                        times.peak(),
                        parameters.figures().gigabits());
    }

    private void runMonitored(RunMonitor monitor, long count) {
        try {
            loop.run(count);
        } finally {
            monitor.close();
        }
        if (count == Long.MAX_VALUE) {
            monitoring.check(monitor, loop.failure(), control, loop.sampled());
        } else {
            monitoring.checkCounted(monitor, loop.failure());
        }
    }

    /** Calls of the loop for a few small messages on a queue pair of this process, in all modes. */
    static WarmUp.Round warmUp(RunParameters parameters, RunResources pair, RunControl control, RoundLimit limit) {
        int list = parameters.queues().postList();
        int messages = list > 1 ? 3 * list : WarmUp.MESSAGES;
        BandwidthLoop[] loops = new BandwidthLoop[4];
        for (int i = 0; i < loops.length; i++) {
            int moderation = !parameters.connection().moderates() ? 1 : list > 1 ? list : 1 + i % 2;
            Depth depth = new Depth(Math.max(WarmUp.DEPTH, 2 * list), moderation, list);
            int operation = Operation.of(parameters);
            BandwidthLoop.Stream[] streams = {
                stream(pair, 0, operation, WarmUp.SIZE, FEW_SLOTS, depth),
                stream(pair, 1, operation, WarmUp.SIZE, FEW_SLOTS, depth)
            };
            boolean other = i == loops.length - 1;
            BandwidthLoop.Manner manner = new BandwidthLoop.Manner(
                    operation,
                    depth,
                    false,
                    other && parameters.queues().events(),
                    other && parameters.rate().limited() ? new BurstLimit(1e9, list) : null,
                    parameters.queues().pollBatch());
            GroupTimes times = new GroupTimes(i < 2 ? 0 : 2 * messages);
            loops[i] = new BandwidthLoop(streams, pair.completionQueue(), manner, times, control);
        }
        return number -> {
            limit.endWhenStuck();
            control.enter(number % 2 == 0 ? RunControl.STARTING : RunControl.SAMPLING);
            BandwidthLoop loop = loops[number / 2 % loops.length];
            loop.run(messages);
            return limit.outcome(loop.completed(), loop.failure());
        };
    }

    /** Prepares one loop for all rounds of a size: a timed loop leaves messages in flight for the next round. */
    private void prepare(long size) {
        Depth depth = resources.depth(Depth.of(parameters), size, parts.layout());
        int groupsPerPair = Math.ceilDiv(parameters.iterations(), depth.moderation());
        long groups = (long) groupsPerPair * parameters.queues().queuePairs();
        boolean withPeak = parameters.figures().peak() && !parameters.isTimed() && groups <= GroupTimes.MOST_GROUPS;
        times = new GroupTimes(withPeak ? (int) groups : 0);
        control = new RunControl();
        BandwidthLoop.Stream[] streams =
                new BandwidthLoop.Stream[parameters.queues().queuePairs()];
        for (int i = 0; i < streams.length; i++) {
            streams[i] = stream(resources, i, Operation.of(parameters), size, parts.layout(), depth);
        }
        BandwidthLoop.Manner manner = new BandwidthLoop.Manner(
                Operation.of(parameters),
                depth,
                size <= resources.inlineSize() && parameters.tool().verb() == Verb.WRITE,
                parameters.queues().events(),
                parameters.rate().limited()
                        ? new BurstLimit(parameters.rate().messagesPerSecond(size), parameters.burst())
                        : null,
                parameters.queues().pollBatch());
        loop = new BandwidthLoop(streams, resources.completionQueue(), manner, times, control);
        loopSize = size;
    }

    /** The messages of one queue pair. */
    static BandwidthLoop.Stream stream(
            RunResources resources, int index, int operation, long size, SystemData layout, Depth depth) {
        RemoteMemory target = resources.remote(index);
        Slots slots = Slots.of(size, layout);
        Lane lane = operation == Operation.WRITE
                ? resources.outgoing(index, size, slots, depth)
                : resources.incoming(index, size, slots, depth);
        RemoteMemory[] remote = new RemoteMemory[lane.slices().length];
        for (int i = 0; i < remote.length; i++) {
            remote[i] = target.slice(i % slots.count() * slots.step(), size);
        }
        return new BandwidthLoop.Stream(
                index, resources.sender(index), lane.slices(), remote, depth.moderation(), lane.passage());
    }
}
