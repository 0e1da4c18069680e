// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.compare.result.HostGpu;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.result.RunState;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The result of a mesh.
 *
 * @param started when the measurement began
 * @param seconds its duration
 * @param launcher what has started the hosts
 * @param environment of rank 0; null if its device could not be opened
 * @param plan what was measured
 * @param hosts by rank
 * @param pairs the measured pairs, in the order of their end
 * @param state how it ended
 */
record MeshResult(
        Instant started,
        double seconds,
        String launcher,
        Environment environment,
        MeshPlan plan,
        List<Host> hosts,
        List<PairResult> pairs,
        RunState state) {
    /** Copies the lists. */
    MeshResult {
        hosts = List.copyOf(hosts);
        pairs = List.copyOf(pairs);
    }

    /**
     * A host.
     *
     * @param name its name in the list of hosts, or else its own name
     * @param address the address by which rank 0 reaches it; null if it has not arrived
     * @param device its RDMA device; null if it has not arrived
     * @param failure why it took no part, or not until the end; null if it did
     * @param gpu its GPU memory; null if it has not arrived, or GPU memory is not measured
     */
    record Host(String name, String address, String device, String failure, HostGpu gpu) {
        /** A host that takes no part. */
        Host(String name, String failure) {
            this(name, null, null, failure, null);
        }

        /** Returns whether its GPU memory is measured. */
        boolean hasGpu() {
            return gpu != null && gpu.isUsable();
        }
    }

    /** Returns whether GPU memory was measured between any hosts. */
    boolean hasGpuFigures() {
        return pairs.stream().anyMatch(pair -> pair.figures().keySet().stream().anyMatch(Probe::isGpu));
    }

    /** Returns the ranks that took part. */
    List<Integer> present() {
        return IntStream.range(0, hosts.size())
                .filter(rank -> hosts.get(rank).device() != null)
                .boxed()
                .toList();
    }
}
