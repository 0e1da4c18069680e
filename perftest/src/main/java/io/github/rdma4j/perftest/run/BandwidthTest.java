// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.options.TestParameters;
import io.github.rdma4j.perftest.wire.BandwidthReport;
import io.github.rdma4j.perftest.wire.ControlChannel;
import io.github.rdma4j.perftest.wire.PeerKeys;
import io.github.rdma4j.perftest.wire.SystemData;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * ib_write_bw, ib_read_bw and ib_atomic_bw between two connected sides. One way, the client runs all sizes while the server waits for the message
 * that it is done, and then tells its last figures; both ways, the sides meet before each size (of several, after each
 * too) and add up their figures.
 */
final class BandwidthTest implements ConnectedTest {
    private final TestParameters parameters;
    private final TestResources resources;
    private final ControlChannel channel;
    private final MonitoredRun monitoring;
    private final PeerKeys greeting;
    private final SystemData layout;
    private final TestListener listener;

    BandwidthTest(
            TestParameters parameters,
            TestResources resources,
            ControlChannel channel,
            PeerKeys greeting,
            SystemData layout,
            TestListener listener) {
        this.parameters = parameters;
        this.resources = resources;
        this.channel = channel;
        this.monitoring = new MonitoredRun(parameters, channel, listener);
        this.greeting = greeting;
        this.layout = layout;
        this.listener = listener;
    }

    @Override
    public List<SizeResult> run() {
        List<SizeResult> results =
                parameters.workload().bidirectional() ? runBothWays() : parameters.isServer() ? await() : runOneWay();
        meet("end of the test");
        return results;
    }

    private List<SizeResult> await() {
        waitForPeer("end of the run");
        BandwidthResult result = BandwidthResult.of(
                BandwidthReport.NOTHING.exchange(channel, parameters.peer().timeout()),
                parameters.figures().gigabits());
        listener.result(result);
        return List.of(result);
    }

    private List<SizeResult> runOneWay() {
        List<SizeResult> results = new ArrayList<>();
        BandwidthResult last = null;
        for (long size : parameters.sizes()) {
            List<BandwidthResult> rounds = new ArrayList<>();
            for (int round = 0; round < parameters.figures().rounds(); round++) {
                rounds.add(run(size));
            }
            last = BandwidthResult.together(rounds);
            results.add(last);
            listener.result(last);
        }
        meet("end of the run");
        last.toReport().exchange(channel, parameters.peer().timeout());
        return results;
    }

    private List<SizeResult> runBothWays() {
        List<SizeResult> results = new ArrayList<>();
        for (long size : parameters.sizes()) {
            List<BandwidthResult> rounds = new ArrayList<>();
            for (int round = 0; round < parameters.figures().rounds(); round++) {
                rounds.add(runBothWays(size));
            }
            BandwidthResult both = BandwidthResult.together(rounds);
            results.add(both);
            listener.result(both);
        }
        return results;
    }

    private BandwidthResult runBothWays(long size) {
        meet("start of the run");
        BandwidthResult mine = run(size);
        if (parameters.workload().allSizes()) {
            waitForPeer("end of the run");
        }
        return mine.plus(mine.toReport().exchange(channel, parameters.runTimeout()));
    }

    private void meet(String step) {
        greeting.exchange(channel, step);
    }

    private void waitForPeer(String step) {
        greeting.exchange(channel, step, parameters.runTimeout());
    }

    private BandwidthResult run(long size) {
        RunControl control = new RunControl();
        int moderation = parameters.completionModeration();
        int groupsPerPair = Math.ceilDiv(parameters.iterations(), moderation);
        long groups = (long) groupsPerPair * parameters.queues().queuePairs();
        boolean withPeak = parameters.figures().peak() && !parameters.isTimed() && groups <= GroupTimes.MOST_GROUPS;
        GroupTimes times = new GroupTimes(withPeak ? (int) groups : 0);
        BandwidthLoop loop = new BandwidthLoop(
                streams(size),
                resources.completionQueue(),
                Operation.of(parameters),
                parameters.transmitDepth(),
                moderation,
                size <= resources.inlineSize(),
                times,
                control);
        RunMonitor monitor = monitoring.start(control, size);
        try {
            loop.run(parameters.isTimed() ? Long.MAX_VALUE : parameters.iterations());
        } finally {
            monitor.close();
        }
        monitoring.check(monitor, loop.failure(), control, loop.sampled());
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

    private BandwidthLoop.Stream[] streams(long size) {
        BandwidthLoop.Stream[] streams =
                new BandwidthLoop.Stream[parameters.queues().queuePairs()];
        for (int i = 0; i < streams.length; i++) {
            streams[i] = stream(resources, i, size, layout);
        }
        return streams;
    }

    /** The messages of one queue pair. */
    static BandwidthLoop.Stream stream(TestResources resources, int index, long size, SystemData layout) {
        RemoteMemory target = resources.remote(index);
        Slots slots = Slots.of(size, layout);
        MemorySlice[] local = new MemorySlice[slots.count()];
        RemoteMemory[] remote = new RemoteMemory[slots.count()];
        for (int slot = 0; slot < slots.count(); slot++) {
            local[slot] = resources.slice(resources.sendOffset(index) + slot * slots.step(), size);
            remote[slot] = target.slice(slot * slots.step(), size);
        }
        return new BandwidthLoop.Stream(index, resources.queuePair(index), local, remote);
    }
}
