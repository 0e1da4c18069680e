// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.gpudirect.topology.Topology;
import java.util.List;

/**
 * GPUs, adapters, and the path by which each adapter would register the memory of each GPU.
 *
 * @param inventory what CUDA reports
 * @param gpus by number
 * @param adapters by name
 * @param topology the machine, including GPUs and adapters that were not checked
 * @param verdicts by GPU, the nearest adapter first
 */
public record GpuReport(
        GpuInventory inventory,
        List<CheckedGpu> gpus,
        List<RdmaDevice> adapters,
        Topology topology,
        List<PairVerdict> verdicts) {
    /** Copies the lists. */
    public GpuReport {
        gpus = List.copyOf(gpus);
        adapters = List.copyOf(adapters);
        verdicts = List.copyOf(verdicts);
    }

    /** Returns whether an adapter can use the memory of a GPU, directly or staged through host memory. */
    public boolean isUsable() {
        return verdicts.stream().anyMatch(verdict -> verdict.path().isPresent());
    }

    /** Returns the verdicts on all pairs, or only on pairs for which no adapter is nearer to the GPU. */
    public List<PairVerdict> verdicts(boolean all) {
        return verdicts.stream().filter(verdict -> all || verdict.nearest()).toList();
    }

    /** Returns the number of pairs in which the adapter accesses the GPU's memory directly. */
    public long direct() {
        return verdicts.stream().filter(PairVerdict::isDirect).count();
    }
}
