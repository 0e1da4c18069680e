// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.doctor.machine.RdmaPort;
import java.util.List;

/**
 * All that the doctor found.
 *
 * @param devices that were looked at
 * @param findings in the order in which RDMA would fail
 */
public record Diagnosis(List<RdmaDevice> devices, List<Finding> findings) {
    /** Copies the lists. */
    public Diagnosis {
        devices = List.copyOf(devices);
        findings = List.copyOf(findings);
    }

    /** What it comes to. */
    public Outcome outcome() {
        if (usablePorts().isEmpty()) {
            return Outcome.BROKEN;
        }
        return trouble().isEmpty() ? Outcome.OK : Outcome.TROUBLE;
    }

    /** Ports that data can go through, such as {@code mlx5_0/1}. */
    public List<String> usablePorts() {
        return devices.stream()
                .flatMap(device -> device.ports().stream().filter(device::canUse))
                .map(RdmaPort::name)
                .toList();
    }

    /** What is slow or broken, the first to be mended first. */
    public List<Finding> trouble() {
        return findings.stream().filter(Finding::isTrouble).toList();
    }
}
