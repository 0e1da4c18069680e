// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.options.IllegalParameterException;
import io.github.rdma4j.perftest.options.TestParameters;
import io.github.rdma4j.perftest.wire.ControlChannel;
import io.github.rdma4j.perftest.wire.PeerKeys;
import io.github.rdma4j.verbs.RemoteMemory;
import java.util.ArrayList;
import java.util.List;

/** ib_write_lat between two connected sides: one ping-pong per size, with nothing exchanged between sizes. */
final class LatencyTest implements ConnectedTest {
    private static final long[] NO_STAMPS = {};

    private final TestParameters parameters;
    private final TestResources resources;
    private final MonitoredRun monitoring;
    private final PeerKeys remote;
    private final TestListener listener;

    LatencyTest(
            TestParameters parameters,
            TestResources resources,
            ControlChannel channel,
            PeerKeys remote,
            TestListener listener) {
        this.parameters = parameters;
        this.resources = resources;
        this.monitoring = new MonitoredRun(parameters, channel, listener);
        this.remote = remote;
        this.listener = listener;
    }

    @Override
    public List<SizeResult> run() {
        List<SizeResult> results = new ArrayList<>();
        long[] stamps = parameters.isTimed() ? NO_STAMPS : allocate(parameters.iterations());
        for (long size : parameters.sizes()) {
            SizeResult result = run(size, stamps);
            results.add(result);
            listener.result(result);
        }
        return results;
    }

    private SizeResult run(long size, long[] stamps) {
        RunControl control = new RunControl();
        WriteLatencyLoop loop = loop(resources, resources.remote(remote), size, control);
        long count = parameters.isTimed() ? Long.MAX_VALUE : parameters.iterations();
        RunMonitor monitor = monitoring.start(control, size);
        try {
            loop.run(parameters.isServer(), count, stamps);
        } finally {
            monitor.close();
        }
        monitoring.check(monitor, loop.failure(), control, loop.sampled());
        return parameters.isTimed()
                ? TimedLatencyResult.of(size, loop.sampled(), monitor.sampledNanoseconds())
                : LatencyResult.ofStamps(size, stamps, parameters.iterations());
    }

    /** The loop for one size, on queue pair 0. */
    static WriteLatencyLoop loop(TestResources resources, RemoteMemory target, long size, RunControl control) {
        long sendOffset = resources.sendOffset(0);
        return new WriteLatencyLoop(
                resources.queuePair(0),
                resources.completionQueue(),
                resources.buffer(),
                resources.slice(sendOffset, size),
                sendOffset + size - 1,
                resources.receiveOffset(0) + size - 1,
                target.slice(0, size),
                size <= resources.inlineSize(),
                control);
    }

    private static long[] allocate(int count) {
        try {
            return new long[count];
        } catch (OutOfMemoryError _) {
            throw new IllegalParameterException("-n/--iters: " + count + " times need "
                    + (count * 8L >> 20) + " MiB of heap, which has "
                    + (Runtime.getRuntime().maxMemory() >> 20)
                    + " MiB; use -D/--duration, or a larger heap (JAVA_TOOL_OPTIONS=-Xmx…)");
        }
    }
}
