// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.gpudirect.PathDecision;
import io.github.rdma4j.gpudirect.topology.PciDistance;
import java.util.Optional;

/**
 * What would happen if a GPU's memory were registered with an adapter.
 *
 * @param gpu such as {@code GPU0}
 * @param adapter such as {@code mlx5_0}
 * @param distance between the two; empty if the GPU is not in sysfs
 * @param nearest whether no adapter is nearer to this GPU
 * @param decision the path that would be taken, and why not a better one; empty if GPU or adapter cannot be used at all
 * @param obstacle why they cannot; empty if they can
 */
public record PairVerdict(
        String gpu,
        String adapter,
        Optional<PciDistance> distance,
        boolean nearest,
        Optional<PathDecision> decision,
        Optional<String> obstacle) {

    /** {@return the pair, as findings name it} */
    public Subject subject() {
        return Subject.pair(gpu, adapter);
    }

    /** {@return the path that would be taken; empty if GPU or adapter cannot be used at all} */
    public Optional<GpuPath> path() {
        return decision.map(PathDecision::path);
    }

    /** {@return whether the adapter would get at the GPU's memory itself} */
    public boolean isDirect() {
        return path().filter(GpuPath::isDirect).isPresent();
    }

    /** {@return pair and path in one line} */
    @Override
    public String toString() {
        return subject() + ": " + path().map(GpuPath::toString).orElse("none");
    }
}
