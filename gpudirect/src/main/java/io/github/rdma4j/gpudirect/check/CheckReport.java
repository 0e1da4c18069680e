// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import io.github.rdma4j.gpudirect.topology.Topology;
import java.util.List;

/**
 * All results of a check.
 *
 * @param gpus the checked GPUs, by number
 * @param adapters the checked adapters, by name
 * @param topology the topology of the machine, including GPUs and adapters that were not checked
 * @param findings of the host, then of each GPU, each adapter and each pair
 * @param verdicts the verdict on each pair: by GPU, the nearest adapter first
 */
public record CheckReport(
        List<CheckedGpu> gpus,
        List<CheckedAdapter> adapters,
        Topology topology,
        List<Finding> findings,
        List<PairVerdict> verdicts) {
    /** Copies the lists. */
    public CheckReport {
        gpus = List.copyOf(gpus);
        adapters = List.copyOf(adapters);
        findings = List.copyOf(findings);
        verdicts = List.copyOf(verdicts);
    }

    /** {@return the outcome of all verdicts} */
    public CheckOutcome outcome() {
        if (verdicts.stream().anyMatch(PairVerdict::isDirect)) {
            return CheckOutcome.DIRECT;
        }
        return verdicts.stream().anyMatch(verdict -> verdict.path().isPresent())
                ? CheckOutcome.STAGED
                : CheckOutcome.NOTHING;
    }
}
