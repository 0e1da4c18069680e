// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.gpudirect.check.FindingState.NOTE;
import static io.github.rdma4j.gpudirect.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.check.CheckReport;
import io.github.rdma4j.gpudirect.check.PairVerdict;
import io.github.rdma4j.perftest.doctor.machine.Machine;

/** One line of what gpudirect-check comes to. CUDA is asked only where a GPU is on the bus. */
final class GpuCheck {
    private static final String SOURCE = "rdma4j gpudirect-check";

    private GpuCheck() {}

    static Finding of(Machine machine) {
        if (machine.topology().gpus().isEmpty()) {
            return new Finding(
                    Check.GPUDIRECT, "", "/sys/bus/pci/devices", NOTE, "no GPU of NVIDIA is on the PCI bus", "", "");
        }
        CheckReport report = machine.gpuDirect();
        return switch (report.outcome()) {
            case DIRECT ->
                Finding.ok(
                        Check.GPUDIRECT,
                        "",
                        SOURCE,
                        "adapters get at GPU memory themselves in "
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
                        "the copies cost bandwidth and processor time",
                        "rdma4j gpudirect-check tells why, pair by pair");
            case NOTHING ->
                new Finding(
                        Check.GPUDIRECT,
                        "",
                        SOURCE,
                        WARNING,
                        "no GPU can be used together with an adapter",
                        "programs that ask for GPU memory fail",
                        "rdma4j gpudirect-check tells why");
        };
    }
}
