// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.compare.peer.Member;
import io.github.rdma4j.perftest.compare.plan.DefaultIterations;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import java.time.Duration;
import java.util.List;

/**
 * The tests of a pair.
 *
 * @param latencySize the message size of the latency test, in bytes
 * @param bandwidthSize the message size of the bandwidth tests, in bytes
 * @param iterations messages per run; 0 to choose
 * @param repeats how often each test is repeated
 * @param connection type of the queue pairs; null for RC
 * @param warmUp whether the hosts compile the measured code first
 * @param timeoutSeconds the longest a run may take
 * @param arrival the longest wait for the hosts
 * @param gpu the tools' options that choose this host's GPU; empty to measure host memory only
 */
record MeshPlan(
        long latencySize,
        long bandwidthSize,
        int iterations,
        int repeats,
        String connection,
        boolean warmUp,
        int timeoutSeconds,
        Duration arrival,
        List<String> gpu) {
    private static final int END_OF_A_RUN_SECONDS = 120;

    /** Copies the list. */
    MeshPlan {
        gpu = List.copyOf(gpu);
    }

    /** Returns the order of a run. */
    RunOrder order(Probe probe, boolean software, int port, boolean ipv6) {
        long size = probe.tool().isLatency() ? latencySize : bandwidthSize;
        return new RunOrder(
                probe.tool(),
                size,
                iterations > 0 ? iterations : DefaultIterations.of(probe.tool(), size, software),
                null,
                1,
                -1,
                0,
                connection,
                1,
                0,
                0,
                port,
                timeoutSeconds,
                warmUp,
                ipv6,
                probe.isGpu() ? gpu : List.of());
    }

    /**
     * Returns how long rank 0 may have no order for a host: until the last host has arrived, and then while all tests
     * of other pairs run.
     */
    Duration patience() {
        long pair = (long) Probe.values().length * repeats * 2 * (timeoutSeconds + END_OF_A_RUN_SECONDS);
        return Duration.ofSeconds(Math.min(arrival.toSeconds() + pair, Member.MOST_SECONDS));
    }
}
