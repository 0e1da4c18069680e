// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import io.github.rdma4j.perftest.doctor.machine.GpuReport;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.doctor.machine.RdmaPort;
import java.util.List;
import java.util.Optional;

/**
 * All of the doctor's findings.
 *
 * @param devices the devices that were checked
 * @param findings in the order in which RDMA would fail
 * @param gpus GPUs, adapters and the path of each pair; empty if no GPU is on the PCI bus
 * @param gpuOnly whether it is about GPUDirect only
 */
public record Diagnosis(List<RdmaDevice> devices, List<Finding> findings, Optional<GpuReport> gpus, boolean gpuOnly) {
    /** Copies the lists. */
    public Diagnosis {
        devices = List.copyOf(devices);
        findings = List.copyOf(findings);
    }

    /** Returns the outcome of all findings. */
    public Outcome outcome() {
        boolean usable = gpuOnly
                ? gpus.filter(GpuReport::isUsable).isPresent()
                : !usablePorts().isEmpty();
        if (!usable) {
            return Outcome.BROKEN;
        }
        return trouble().isEmpty() ? Outcome.OK : Outcome.TROUBLE;
    }

    /** Returns the ports that can carry data, such as {@code mlx5_0/1}. */
    public List<String> usablePorts() {
        return devices.stream()
                .flatMap(device -> device.ports().stream().filter(port -> canUse(device, port)))
                .map(RdmaPort::name)
                .toList();
    }

    /**
     * Returns whether data of this process can go through a port: an active port is useless if no queue can be created.
     */
    public boolean canUse(RdmaDevice device, RdmaPort port) {
        return device.canUse(port) && findings.stream().noneMatch(finding -> forbids(finding, device));
    }

    private static boolean forbids(Finding finding, RdmaDevice device) {
        return finding.state() == FindingState.FAIL
                && finding.check().section() == Check.Section.LIMITS
                && (finding.subject().isEmpty() || finding.subject().equals(device.name()));
    }

    /** Returns the findings of slow or broken things, in the order in which to fix them. */
    public List<Finding> trouble() {
        return findings.stream().filter(Finding::isTrouble).toList();
    }
}
