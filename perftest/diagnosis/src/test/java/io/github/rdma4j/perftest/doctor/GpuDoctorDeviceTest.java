// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.gpudirect.PathRefusal;
import io.github.rdma4j.gpudirect.PathRefusal.Reason;
import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Diagnosis;
import io.github.rdma4j.perftest.doctor.check.Doctor;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import io.github.rdma4j.perftest.doctor.machine.DoctorSources;
import io.github.rdma4j.perftest.doctor.machine.GpuReader;
import io.github.rdma4j.perftest.doctor.machine.GpuReport;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.PairVerdict;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.verbs.Device;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The doctor's findings of GPUDirect with real adapters, and the stand-in for a GPU, which is on no bus. */
@Tag("device")
@ExtendWith(StandInDriver.class)
class GpuDoctorDeviceTest {
    @Test
    void everyAdapterIsOpenedAndSoftwareDevicesAreStaged() {
        Machine machine = new Machine(DoctorSources.thisMachine());
        GpuReport report = new GpuReader(machine).report();
        Diagnosis diagnosis = Doctor.examineGpus(machine, report, true);
        assertThat(report.gpus())
                .singleElement()
                .satisfies(gpu -> assertThat(gpu.function()).isEmpty());
        assertThat(report.adapters().stream().map(RdmaDevice::name))
                .containsExactlyInAnyOrderElementsOf(
                        Device.list().stream().map(Device::name).toList());
        assertThat(report.adapters()).allMatch(RdmaDevice::isOpen, "open");
        List<Check> good = List.of(Check.CUDA, Check.GPU_RDMA);
        assertThat(diagnosis.findings().stream().filter(finding -> good.contains(finding.check())))
                .hasSize(good.size())
                .allMatch(finding -> finding.state() == FindingState.OK, "OK");
        RdmaDevice software = report.adapters().stream()
                .filter(RdmaDevice::isSoftware)
                .findFirst()
                .orElseThrow(() -> new AssertionError("this test needs a software device, such as rxe0"));
        PairVerdict pair = report.verdicts().stream()
                .filter(verdict -> verdict.adapter().equals(software.name()))
                .findFirst()
                .orElseThrow();
        assertThat(pair.path()).contains(GpuPath.STAGED);
        assertThat(pair.decision().orElseThrow().refusals().stream().map(PathRefusal::reason))
                .containsExactly(Reason.DMA_BUF_UNSUPPORTED_BY_ADAPTER, Reason.REGISTRATION_REFUSED);
        // It has only looked.
        assertThat(StandInDriver.open()).isEmpty();
    }
}
