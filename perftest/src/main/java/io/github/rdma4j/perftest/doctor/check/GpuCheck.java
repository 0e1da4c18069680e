// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.gpudirect.check.FindingState.NOTE;
import static io.github.rdma4j.gpudirect.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.check.CheckReport;
import io.github.rdma4j.gpudirect.check.PairVerdict;
import java.util.Optional;

/** Sums the findings of GPUDirect up in one finding. */
final class GpuCheck {
    private static final String SOURCE = "rdma4j doctor --gpu";

    private GpuCheck() {}

    static Finding of(Optional<CheckReport> checked) {
        if (checked.isEmpty()) {
            return new Finding(
                    Check.GPUDIRECT, "", "/sys/bus/pci/devices", NOTE, "no GPU of NVIDIA is on the PCI bus", "", "");
        }
        CheckReport report = checked.get();
        return switch (report.outcome()) {
            case DIRECT ->
                Finding.ok(
                        Check.GPUDIRECT,
                        "",
                        SOURCE,
                        "adapters access GPU memory directly in "
                                + report.verdicts().stream()
                                        .filter(PairVerdict::isDirect)
                                        .count()
                                + " of " + report.verdicts().size() + " pairs of GPU and adapter");
            case STAGED ->
                new Finding(
                        Check.GPUDIRECT,
                        "",
                        SOURCE,
                        WARNING,
                        "transfers of GPU memory work, and each goes through host memory",
                        "the copies cost bandwidth and CPU time",
                        "run 'rdma4j doctor --gpu', which names the reason for each pair");
            case NOTHING ->
                new Finding(
                        Check.GPUDIRECT,
                        "",
                        SOURCE,
                        WARNING,
                        "no GPU can be used together with an adapter",
                        "programs that ask for GPU memory fail",
                        "run 'rdma4j doctor --gpu', which names the reason");
        };
    }
}
