// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.topology.Topology;
import io.github.rdma4j.perftest.doctor.machine.CheckedGpu;
import io.github.rdma4j.perftest.doctor.machine.GpuReport;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import io.github.rdma4j.perftest.doctor.machine.PairVerdict;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Checks what GPUDirect needs of the machine, of each GPU, each adapter and each pair. */
final class GpuDirectChecks {
    private static final String SOURCE = "/sys/bus/pci/devices";

    private final MachineFiles files;
    private final Topology topology;
    private final GpuReport report;

    GpuDirectChecks(MachineFiles files, GpuReport report) {
        this.files = files;
        this.topology = report.topology();
        this.report = report;
    }

    /** Returns the only finding about a machine without a GPU. */
    static Finding noGpu() {
        return new Finding(Check.GPUDIRECT, "", SOURCE, NOTE, "no NVIDIA GPU is on the PCI bus", "", "");
    }

    /**
     * Returns all findings.
     *
     * @param allPairs whether to check the pairs for which another adapter is nearer to the GPU
     */
    List<Finding> findings(boolean allPairs) {
        List<Finding> findings = new ArrayList<>();
        findings.add(best());
        findings.add(PlatformCheck.of(files, report.inventory()));
        findings.addAll(new DriverChecks(files, topology, report.inventory()).findings());
        findings.add(new VisibleDevices(files, topology, report.inventory()).finding());
        findings.addAll(new StorageChecks(files).findings());
        findings.addAll(new NcclChecks(files).findings());
        List<KernelGpu> kernelGpus = KernelGpu.all(files);
        report.gpus().forEach(gpu -> findings.addAll(new GpuChecks(gpu, kernelGpus).findings()));
        report.adapters().forEach(adapter -> findings.addAll(new GpuAdapterChecks(adapter).findings()));
        Map<String, CheckedGpu> gpus =
                report.gpus().stream().collect(Collectors.toMap(CheckedGpu::label, Function.identity()));
        Map<String, RdmaDevice> adapters =
                report.adapters().stream().collect(Collectors.toMap(RdmaDevice::name, Function.identity()));
        PairChecks pairs = new PairChecks(topology);
        for (PairVerdict verdict : report.verdicts(allPairs)) {
            findings.addAll(pairs.findings(gpus.get(verdict.gpu()), adapters.get(verdict.adapter()), verdict));
        }
        return findings;
    }

    private Finding best() {
        if (report.direct() > 0) {
            return Finding.ok(
                    Check.GPUDIRECT,
                    "",
                    SOURCE,
                    "adapters access GPU memory directly in " + report.direct() + " of "
                            + report.verdicts().size() + " pairs of GPU and adapter");
        }
        return report.isUsable()
                ? new Finding(
                        Check.GPUDIRECT,
                        "",
                        SOURCE,
                        WARNING,
                        "transfers of GPU memory work, but each goes through host memory",
                        "the copies cost bandwidth and CPU time",
                        "see below why each pair has no direct path")
                : new Finding(
                        Check.GPUDIRECT,
                        "",
                        SOURCE,
                        WARNING,
                        "no GPU can be used together with an adapter",
                        "programs that transfer GPU memory fail",
                        "see below why no pair can be used");
    }
}
