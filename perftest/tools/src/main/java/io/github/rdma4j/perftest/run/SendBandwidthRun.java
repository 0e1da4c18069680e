// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.loop.CompletionWait;
import io.github.rdma4j.perftest.loop.GroupTimes;
import io.github.rdma4j.perftest.loop.ReceivingSide;
import io.github.rdma4j.perftest.loop.SendBandwidthLoop;
import io.github.rdma4j.perftest.loop.Sender;
import io.github.rdma4j.perftest.loop.SendingSide;
import io.github.rdma4j.perftest.options.ConnectionType;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.plan.Depth;
import io.github.rdma4j.perftest.plan.Slots;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.resources.SendStreams;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.stream.Failures;
import io.github.rdma4j.perftest.stream.Lane;
import io.github.rdma4j.perftest.stream.Receives;
import io.github.rdma4j.perftest.stream.RunControl;
import io.github.rdma4j.perftest.wire.SystemData;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs ib_send_bw, and ib_write_bw with immediate data, between two connected sides. They synchronize before each size,
 * after posting receives, and with several sizes also after each. In a one-way test, the client reports the messages it
 * sent and the server the messages it received. In a bidirectional test they add up their figures.
 */
final class SendBandwidthRun implements ConnectedRun {
    private final RunParts parts;
    private final RunParameters parameters;
    private final RunResources resources;
    private final MonitoredRun monitoring;

    SendBandwidthRun(RunParts parts) {
        this.parts = parts;
        this.parameters = parts.parameters();
        this.resources = parts.resources();
        this.monitoring = new MonitoredRun(parameters, parts.channel(), parts.listener());
    }

    @Override
    public List<SizeResult> run() {
        List<SizeResult> results = new ArrayList<>();
        for (long size : parts.sizes()) {
            BandwidthResult result =
                    BandwidthRounds.run(parameters.figures().rounds(), () -> run(size), parts.listener());
            results.add(result);
            parts.listener().result(result);
        }
        waitForPeer("end of the test");
        return results;
    }

    private BandwidthResult run(long size) {
        RunControl control = new RunControl();
        long count = parameters.isTimed() ? Long.MAX_VALUE : parameters.iterations();
        Depth depth = resources.depth(Depth.of(parameters), size, parts.layout());
        GroupTimes times = times(depth);
        SendingSide sending =
                parameters.sends() ? sending(parameters, resources, size, parts.layout(), depth, times) : null;
        ReceivingSide receiving = null;
        if (parameters.receives()) {
            Receives receives = SendStreams.receives(
                    resources,
                    size,
                    parts.layout(),
                    parameters.receiveDepth(),
                    parameters.queues().receiveList());
            Failures.check(receives.begin(count), receives);
            receiving = new ReceivingSide(
                    receives,
                    resources.queues().receives(),
                    resources.shape().streams(),
                    parameters.queues().pollBatch(),
                    resources.credits(),
                    sending == null);
        }
        boolean answers = parameters.isServer();
        SendBandwidthLoop loop =
                new SendBandwidthLoop(sending, receiving, answers, new CompletionWait(resources.queues()), control);
        if (resources.credits() != null) {
            resources.credits().begin();
        }
        parts.handshake().exchange(parts.channel(), "start of the run");
        RunMonitor monitor = monitoring.start(control, size);
        try {
            loop.run(count);
        } finally {
            monitor.close();
        }
        String failure = loop.failure();
        if (monitor.failure() != null
                && receiving != null
                && parameters.connection().mayLose()) {
            failure = receiving.received() + " messages were received; " + parameters.connection()
                    + " does not send again what was lost: leave room for all of them (-r/--rx-depth), or send fewer"
                    + " (-n)";
        }
        monitoring.check(monitor, failure, control, loop.sampled());
        return synchronizeAfter(result(size, loop, sending, receiving, times, monitor));
    }

    private GroupTimes times(Depth depth) {
        int groupsPerPair = Math.ceilDiv(parameters.iterations(), depth.moderation());
        long groups = (long) groupsPerPair * parameters.queues().queuePairs();
        boolean withPeak = parameters.figures().peak()
                && parameters.sends()
                && !parameters.isTimed()
                && groups <= GroupTimes.MOST_GROUPS;
        return new GroupTimes(withPeak ? (int) groups : 0);
    }

    private BandwidthResult result(
            long size,
            SendBandwidthLoop loop,
            SendingSide sending,
            ReceivingSide receiving,
            GroupTimes times,
            RunMonitor monitor) {
        boolean gigabits = parameters.figures().gigabits();
        if (parameters.isTimed()) {
            return BandwidthResult.of(size, loop.sampled(), monitor.sampledNanoseconds(), 0, gigabits);
        }
        if (sending != null) {
            return BandwidthResult.of(size, sending.completed(), loop.nanoseconds(), times.peak(), gigabits);
        }
        return BandwidthResult.received(
                size, receiving.received(), receiving.timedMessages(), receiving.nanoseconds(), gigabits);
    }

    private BandwidthResult synchronizeAfter(BandwidthResult mine) {
        // The write tools synchronize before they exchange figures, the send tools after.
        boolean synchronizes = parameters.workload().allSizes();
        boolean first = parameters.workload().withImmediate();
        if (synchronizes && first) {
            waitForPeer("end of the run");
        }
        BandwidthResult result = mine;
        if (parameters.workload().bidirectional() && !parameters.isTimed()) {
            result = mine.plus(mine.toReport()
                    .exchange(parts.channel(), parameters.runTimeout())
                    .check(parts.channel()));
        }
        if (synchronizes && !first) {
            waitForPeer("end of the run");
        }
        return result;
    }

    private void waitForPeer(String step) {
        parts.handshake().exchange(parts.channel(), step, parameters.runTimeout());
    }

    /**
     * Creates a round for {@link WarmUp}: the pair receives its own messages, in one loop for both directions or in one
     * for each.
     */
    static WarmUp.Round warmUp(RunParameters parameters, RunResources pair, RunControl control, RoundLimit limit) {
        SendBandwidthLoop[] sending = new SendBandwidthLoop[2];
        SendBandwidthLoop[] both = new SendBandwidthLoop[2];
        // SRD does not wait for a receive: between two polls of receives as many messages can arrive as are under way,
        // and
        // as many that are posted in their place.
        int few = parameters.connection() == ConnectionType.SRD ? 2 * WarmUp.DEPTH : WarmUp.RECEIVES;
        Receives some = SendStreams.receives(pair, WarmUp.SIZE, WarmUp.FEW_SLOTS, few, 1);
        // The receiver does not replace receives in this round, so there must be one for each message.
        int enough = WarmUp.MESSAGES * pair.shape().queuePairs();
        Receives all = SendStreams.receives(pair, WarmUp.SIZE, WarmUp.FEW_SLOTS, enough, 1);
        int batch = parameters.queues().pollBatch();
        ReceivingSide side = new ReceivingSide(some, pair.queues().receives(), 2, batch);
        CompletionWait wait = new CompletionWait(pair.queues());
        SendBandwidthLoop receiving = new SendBandwidthLoop(
                null, new ReceivingSide(all, pair.queues().receives(), 2, batch), false, wait, control);
        for (int i = 0; i < 2; i++) {
            GroupTimes times = new GroupTimes(i == 0 ? 0 : 2 * WarmUp.MESSAGES);
            Depth depth = new Depth(WarmUp.DEPTH, parameters.connection().moderates() ? 1 + i : 1, 1);
            SendingSide messages = sending(parameters, pair, WarmUp.SIZE, WarmUp.FEW_SLOTS, depth, times);
            sending[i] = new SendBandwidthLoop(messages, null, false, wait, control);
            both[i] = new SendBandwidthLoop(messages, side, false, wait, control);
        }
        return number -> {
            limit.endWhenStuck();
            control.enter(number % 2 == 0 ? RunControl.STARTING : RunControl.SAMPLING);
            boolean bothWays = number % 3 == 0;
            SendBandwidthLoop loop = bothWays ? both[number % 2] : sending[number % 2];
            Receives receives = bothWays ? some : all;
            if (!receives.begin(WarmUp.MESSAGES)) {
                return limit.outcome(0, receives.failure());
            }
            loop.run(WarmUp.MESSAGES);
            if (!bothWays) {
                receiving.run(WarmUp.MESSAGES);
            }
            return limit.outcome(2 * WarmUp.MESSAGES, loop.failure(), receiving.failure());
        };
    }

    /** The sending half for one size, on all streams. */
    static SendingSide sending(
            RunParameters parameters,
            RunResources resources,
            long size,
            SystemData layout,
            Depth depth,
            GroupTimes times) {
        SendingSide.Stream[] streams = new SendingSide.Stream[resources.shape().streams()];
        for (int i = 0; i < streams.length; i++) {
            Lane lane = resources.outgoing(i, size, Slots.of(size, layout), depth);
            Sender sender = parameters.workload().withImmediate()
                    ? Sender.writing(resources, i, size, layout, lane.slices().length)
                    : new Sender(resources, i);
            streams[i] = new SendingSide.Stream(sender, lane);
        }
        return new SendingSide(
                streams,
                resources.queues().sends(),
                depth,
                size <= resources.inlineSize(),
                times,
                resources.credits(),
                parameters.queues().pollBatch());
    }
}
