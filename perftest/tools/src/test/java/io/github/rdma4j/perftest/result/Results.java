// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.figures.LatencySamples;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.TransportType;
import java.time.Instant;
import java.util.Collections;
import java.util.List;

/** Results for the tests of reports. */
public final class Results {
    /** A GPU whose messages are staged. */
    public static final GpuInfo STAGED = new GpuInfo(
            "CUDA device 0, NVIDIA H200, 0000:17:00.0",
            "device memory",
            "staged",
            "each message is copied",
            List.of(
                    new GpuInfo.Refused("dmabuf", "the adapter cannot"),
                    new GpuInfo.Refused("peermem", "no module (modprobe nvidia_peermem)")));

    private Results() {}

    /** All samples are 9.53 µs but one, which is 97.07 µs. */
    public static LatencyFigures figures(int samples) {
        LatencySamples collected = new LatencySamples(2);
        for (int i = 0; i < samples; i++) {
            collected.record(i == 3 ? 194_140 : 19_060);
        }
        return collected.figures(1_700_000_000_000L, 1_700_000_001_000L);
    }

    /** One round of a closed loop. */
    public static LatencyResult latency(long size, int messages) {
        return latency(size, messages, 1, null);
    }

    /** Several rounds; open with a pace. */
    public static LatencyResult latency(long size, int messages, int rounds, Pace pace) {
        List<LatencyFigures> figures = Collections.nCopies(rounds, figures(messages - 1));
        return LatencyResult.of(size, (long) messages * rounds, figures, pace, null);
    }

    /** A timed run. */
    public static TimedLatencyResult timed(long size, int messages, Pace pace) {
        return new TimedLatencyResult(size, messages, 9.62, messages / 2.0, figures(messages), pace);
    }

    /** Several rounds of a bandwidth test, both ways or one. */
    public static BandwidthResult bandwidth(long size, int rounds, boolean bothWays) {
        BandwidthResult one = BandwidthResult.of(size, 1000, 1_000_000_000, 2e-6, false);
        BandwidthResult round = bothWays ? one.plus(one.toReport()) : one;
        return BandwidthResult.together(Collections.nCopies(rounds, round));
    }

    /** A test on rxe0 with these parameters. */
    public static RunInfo info(RunParameters parameters) {
        return info(parameters, null);
    }

    /** The same with the memory of a GPU. */
    public static RunInfo info(RunParameters parameters, GpuInfo gpu) {
        return new RunInfo(
                parameters,
                "rxe0",
                TransportType.INFINIBAND,
                LinkLayer.ETHERNET,
                parameters.queues().queuePairs(),
                4096,
                1,
                0,
                16,
                "6.06",
                "20000 messages",
                "NUMA node 0, the only one",
                gpu);
    }

    /** A test with these results. */
    public static RunOutcome outcome(RunInfo info, List<? extends SizeResult> results) {
        Environment environment = new Environment(
                "0.1.0",
                "rxe0",
                1,
                true,
                null,
                null,
                "Ethernet",
                4096,
                1,
                "Linux 6.12",
                "amd64",
                null,
                2,
                null,
                "0-1",
                null,
                "System.nanoTime",
                "OpenJDK",
                List.of("-Xmx1g"),
                null);
        return new RunOutcome(info, Instant.ofEpochSecond(1_700_000_000), 1.5, environment, List.copyOf(results));
    }
}
