// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.Check.ACCESS_CONTROL;
import static io.github.rdma4j.perftest.doctor.check.Check.CUDA_VISIBLE;
import static io.github.rdma4j.perftest.doctor.check.Check.DISTANCE;
import static io.github.rdma4j.perftest.doctor.check.Check.GPU_BAR1;
import static io.github.rdma4j.perftest.doctor.check.Check.PLATFORM;
import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.OK;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.gpudirect.topology.PciAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Findings that apply only to x86 servers with PCI Express cards are not reported for other machines. */
class PlatformFindingsTest {
    private static final String BRIDGES = "sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/";

    @TempDir
    private Path root;

    private static Finding find(Check id, Scenario machine) {
        return Scenario.finding(id).apply(machine.diagnosis());
    }

    private Scenario graceHopper() {
        return Scenario.of("grace-hopper", root).gpu(Scenario.coherent());
    }

    @Test
    void ofACoherentGpuNeitherDistanceNorBar1IsJudged() {
        Finding distance = find(DISTANCE, graceHopper());
        assertThat(distance.state()).isEqualTo(NOTE);
        assertThat(distance.seen())
                .contains("NODE: several host bridges", "connected to its processor by a coherent link");
        assertThat(distance.meaning()).contains("means little");
        Finding bar1 = find(GPU_BAR1, graceHopper());
        assertThat(bar1.state()).isEqualTo(NOTE);
        assertThat(bar1.seen()).contains("BAR1 is 32 MiB", "how much of it is in use", "coherent link");
        assertThat(bar1.meaning()).contains("does not limit it");
        // The same functions without the link are judged.
        Scenario cards = Scenario.of("grace-hopper", root);
        assertThat(find(DISTANCE, cards).state()).isEqualTo(WARNING);
        assertThat(find(GPU_BAR1, cards).state()).isEqualTo(WARNING);
    }

    @Test
    void filesUnreadableInAContainerAreUnknown() {
        Finding finding = find(ACCESS_CONTROL, Scenario.of("container", root));
        assertThat(finding.state()).isEqualTo(UNKNOWN);
        assertThat(finding.seen()).contains("is readable beyond 64 bytes only for root of the host");
        assertThat(finding.remedy()).contains("a container's root lacks CAP_SYS_ADMIN", "--privileged");
    }

    /** 256 bytes are all that a conventional PCI device has; a port of PCI Express has more, shown or not. */
    @Test
    void portWhoseSpaceIsCutAt256BytesIsUnknown() {
        String space = ": @0 00 10 10 c0 07 04 10 00 @34 48 @40 10 00 62 00 @48 05 40 00 00 @ff 00";
        Scenario cut = Scenario.of("container", root)
                .with(BRIDGES + "config" + space + "\n" + BRIDGES + "0000:17:00.0/config" + space + "\n" + BRIDGES
                        + "0000:17:01.0/config" + space);
        Finding finding = find(ACCESS_CONTROL, cut);
        assertThat(finding.state()).isEqualTo(UNKNOWN);
        assertThat(finding.seen()).contains("ends after 256 bytes, although it is a PCI Express port");
        // Without the capability, and with a list of capabilities that leads round in circles: a conventional bridge.
        String conventional = ": @0 00 10 10 c0 07 04 10 00 @34 48 @40 01 48 @48 05 40 00 00 @ff 00";
        cut.with(BRIDGES + "config" + conventional + "\n" + BRIDGES + "0000:17:00.0/config" + conventional + "\n"
                + BRIDGES + "0000:17:01.0/config" + conventional);
        assertThat(find(ACCESS_CONTROL, cut).state()).isEqualTo(OK);
    }

    @Test
    void wsl2StagesEverythingAndReportsIt() {
        Scenario machine =
                Scenario.plain("wsl2", root).gpus(List.of(Scenario.gpu(0, PciAddress.parse("0000:01:00.0"))));
        Finding finding = find(PLATFORM, machine);
        assertThat(finding.state()).isEqualTo(NOTE);
        assertThat(finding.seen()).isEqualTo("WSL2 (Linux 5.15.153.1-microsoft-standard-WSL2)");
        assertThat(finding.meaning()).contains("no dma-bufs", "staged", "pinned memory is scarce");
        assertThat(machine.diagnosisOfAll().gpus().orElseThrow().gpus())
                .singleElement()
                .satisfies(gpu -> assertThat(gpu.function()).isEmpty());
    }

    /** As on WSL2, whose bus has no GPU. */
    @Test
    void gpuOutsideTheBusHasOnlyCudasNumber() {
        Scenario machine = Scenario.plain("wsl2", root)
                .with("proc/self/environ: A=1")
                .gpus(List.of(Scenario.gpu(0, PciAddress.parse("0000:01:00.0"))));
        Finding finding = find(CUDA_VISIBLE, machine);
        assertThat(finding.state()).isEqualTo(OK);
        assertThat(finding.seen()).isEqualTo("CUDA_VISIBLE_DEVICES is not set");
    }

    @Test
    void onAJetsonPinnedHostMemoryIsTheWay() {
        Finding finding = find(PLATFORM, Scenario.plain("jetson-orin", root));
        assertThat(finding.state()).isEqualTo(NOTE);
        assertThat(finding.seen()).isEqualTo("NVIDIA Jetson AGX Orin Developer Kit, whose GPU is integrated");
        assertThat(finding.remedy()).contains("CudaContext.allocateHost");
        assertThat(find(
                                PLATFORM,
                                Scenario.of("one-switch", root.resolve("spark"))
                                        .with("sys/class/dmi/id/product_name: NVIDIA_DGX_Spark"))
                        .seen())
                .isEqualTo("NVIDIA_DGX_Spark, whose GPU is integrated");
    }

    @Test
    void virtualGpuIsNamedByItsType() {
        Finding finding = find(PLATFORM, Scenario.of("vgpu-guest", root));
        assertThat(finding.state()).isEqualTo(NOTE);
        assertThat(finding.seen()).isEqualTo("virtual GPU (vGPU): NVIDIA H100-80C");
        for (String type : List.of("GRID A100-10C", "NVIDIA H100XM-1-10CME", "NVIDIA A40-48Q", "GRID T4-16A")) {
            assertThat(find(
                                    PLATFORM,
                                    Scenario.of("one-switch", root.resolve(type))
                                            .gpu(Scenario.named(type)))
                            .seen())
                    .contains(type);
        }
        for (String card : List.of("NVIDIA A100-SXM4-80GB", "Tesla V100-SXM2-32GB", "NVIDIA A10", "NVIDIA GB200")) {
            assertThat(find(
                                    PLATFORM,
                                    Scenario.of("one-switch", root.resolve(card))
                                            .gpu(Scenario.named(card)))
                            .state())
                    .as(card)
                    .isEqualTo(OK);
        }
    }

    /** No GPU that can be registered has so little memory: that need not be known. */
    @Test
    void smallBar1IsAWarningAlsoWhereCudaCannotBeAsked() {
        Finding small = find(GPU_BAR1, Scenario.of("workstation", root).noCuda("no libcuda.so.1", ""));
        assertThat(small.state()).isEqualTo(WARNING);
        assertThat(small.seen()).isEqualTo("BAR1 is 256 MiB; how much of it is in use is unknown: no NVML");
        assertThat(small.meaning()).contains("registered at the same time", "nvidia_peermem");
    }
}
