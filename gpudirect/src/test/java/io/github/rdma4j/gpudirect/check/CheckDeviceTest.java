// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.gpudirect.PathRefusal;
import io.github.rdma4j.gpudirect.PathRefusal.Reason;
import io.github.rdma4j.verbs.Device;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The check with real adapters, and the stand-in for a GPU, which is on no bus. */
@Tag("device")
@ExtendWith(StandInDriver.class)
class CheckDeviceTest {
    @Test
    void everyAdapterIsOpenedAndSoftwareDevicesAreStaged() {
        CheckReport report = GpuDirectCheck.run(GpuDirectCheck.thisMachine());
        assertThat(report.gpus())
                .singleElement()
                .satisfies(gpu -> assertThat(gpu.function()).isEmpty());
        assertThat(report.adapters().stream().map(CheckedAdapter::name))
                .containsExactlyInAnyOrderElementsOf(
                        Device.list().stream().map(Device::name).toList());
        List<CheckId> good = List.of(
                CheckId.ADAPTER_OPEN,
                CheckId.PORT,
                CheckId.GID_TYPE,
                CheckId.RDMA_DEVICES,
                CheckId.CUDA,
                CheckId.GPU_RDMA);
        assertThat(report.findings().stream().filter(finding -> good.contains(finding.id())))
                .hasSizeGreaterThanOrEqualTo(good.size())
                .allMatch(finding -> finding.state() == FindingState.OK, "OK");
        CheckedAdapter software = report.adapters().stream()
                .filter(adapter -> adapter.place().isSoftware())
                .findFirst()
                .orElseThrow(() -> new AssertionError("this test needs a device of software, such as rxe0"));
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
