// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import io.github.rdma4j.gpudirect.check.CheckReport;
import io.github.rdma4j.perftest.doctor.machine.DoctorSources;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Looks at a machine. Changes nothing, sends nothing; reads some hundred small files and opens each device once. */
public final class Doctor {
    private Doctor() {}

    /** Looks at everything. */
    public static Diagnosis examine(DoctorSources sources) {
        return examine(new Machine(sources));
    }

    /** Looks at all of a machine that has been read. */
    public static Diagnosis examine(Machine machine) {
        List<RdmaDevice> devices = machine.devices();
        List<Finding> findings = new ArrayList<>();
        findings.addAll(new SoftwareChecks(machine).findings());
        devices.forEach(device -> {
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
        Optional<CheckReport> gpuDirect = machine.gpuDirect();
        findings.add(GpuCheck.of(gpuDirect));
        // The sort is stable: within a check, devices and ports keep their order.
        findings.sort(Comparator.comparing(Finding::check));
        return new Diagnosis(devices, findings, gpuDirect);
    }
}
