// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.gpudirect.PathDecision;
import io.github.rdma4j.gpudirect.topology.PciDistance;
import java.util.Optional;

/**
 * The path that registering a GPU's memory with an adapter would use.
 *
 * @param gpu such as {@code GPU0}
 * @param adapter such as {@code mlx5_0}
 * @param distance between the two; empty if the GPU is not in sysfs
 * @param nearest whether no adapter is nearer to this GPU
 * @param decision the path, and why there is no better one; empty if the GPU or the adapter cannot be used at all
 * @param obstacle why one of them cannot be used; empty if both can
 */
public record PairVerdict(
        String gpu,
        String adapter,
        Optional<PciDistance> distance,
        boolean nearest,
        Optional<PathDecision> decision,
        Optional<String> obstacle) {

    /** {@return the pair, as findings name it} */
    public String subject() {
        return gpu + " - " + adapter;
    }

    /** {@return the path; empty if the GPU or the adapter cannot be used at all} */
    public Optional<GpuPath> path() {
        return decision.map(PathDecision::path);
    }

    /** {@return whether the adapter would access the GPU's memory directly} */
    public boolean isDirect() {
        return path().filter(GpuPath::isDirect).isPresent();
    }

    /** {@return pair and path in one line} */
    @Override
    public String toString() {
        return subject() + ": " + path().map(GpuPath::toString).orElse("none");
    }
}
