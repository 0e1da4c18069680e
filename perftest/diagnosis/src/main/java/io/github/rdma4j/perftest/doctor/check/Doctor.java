// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import io.github.rdma4j.perftest.doctor.machine.DoctorSources;
import io.github.rdma4j.perftest.doctor.machine.GpuReader;
import io.github.rdma4j.perftest.doctor.machine.GpuReport;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Examines a machine. Changes nothing and sends nothing; reads some hundred small files and opens each device once. */
public final class Doctor {
    private Doctor() {}

    /** Examines everything. */
    public static Diagnosis examine(DoctorSources sources) {
        return examine(new Machine(sources));
    }

    /** Examines a machine that has been read. CUDA is opened only if a GPU is on the PCI bus. */
    public static Diagnosis examine(Machine machine) {
        List<Finding> findings = findings(machine);
        Optional<GpuReport> gpus =
                machine.topology().gpus().isEmpty() ? Optional.empty() : Optional.of(new GpuReader(machine).report());
        gpus.ifPresentOrElse(
                report -> findings.addAll(new GpuDirectChecks(machine.files(), report).findings(false)),
                () -> findings.add(GpuDirectChecks.noGpu()));
        return diagnosis(machine, findings, gpus, false);
    }

    /**
     * Examines a machine that has been read for the requirements of GPUDirect.
     *
     * @param report the GPUs and adapters to examine
     * @param allPairs whether to examine the pairs for which another adapter is nearer to the GPU
     */
    public static Diagnosis examineGpus(Machine machine, GpuReport report, boolean allPairs) {
        List<String> adapters = report.adapters().stream().map(RdmaDevice::name).toList();
        List<Finding> findings = findings(machine);
        findings.removeIf(finding -> !finding.check().isSharedWithGpus()
                || !finding.subject().isEmpty() && !adapters.contains(finding.subject()));
        findings.addAll(new GpuDirectChecks(machine.files(), report).findings(allPairs));
        return diagnosis(machine, findings, Optional.of(report), true);
    }

    /** Returns the findings that have nothing to do with GPUs. */
    private static List<Finding> findings(Machine machine) {
        List<Finding> findings = new ArrayList<>();
        findings.addAll(new SoftwareChecks(machine).findings());
        machine.devices().forEach(device -> {
            findings.addAll(new DeviceChecks(machine, device).findings());
            if (machine.isWithheld(device)) {
                return;
            }
            findings.addAll(new AddressChecks(machine, device).findings());
            findings.addAll(new FabricChecks(machine, device).findings());
            findings.addAll(new CounterChecks(machine, device).findings());
        });
        findings.addAll(new LimitChecks(machine).findings());
        findings.addAll(new HostChecks(machine).findings());
        findings.addAll(new PlacementChecks(machine).findings());
        return findings;
    }

    private static Diagnosis diagnosis(
            Machine machine, List<Finding> findings, Optional<GpuReport> gpus, boolean gpuOnly) {
        // The sort is stable: within a check, devices and ports keep their order.
        findings.sort(Comparator.comparing(Finding::check));
        return new Diagnosis(machine.devices(), findings, gpus, gpuOnly);
    }
}
