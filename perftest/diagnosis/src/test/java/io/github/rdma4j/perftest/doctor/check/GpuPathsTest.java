// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.Scenario.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.gpudirect.topology.PciDistance;
import io.github.rdma4j.perftest.doctor.machine.AdapterFacts;
import io.github.rdma4j.perftest.doctor.machine.DoctorSources;
import io.github.rdma4j.perftest.doctor.machine.GpuReader;
import io.github.rdma4j.perftest.doctor.machine.GpuReport;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.PairVerdict;
import io.github.rdma4j.perftest.doctor.machine.Problem;
import io.github.rdma4j.perftest.doctor.machine.Support;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the predicted path of a pair, and the outcome of a whole report. */
class GpuPathsTest {
    private static final String PEER_MEMORY_FILE = "sys/module/nvidia_peermem/version";

    @TempDir
    private Path root;

    private Scenario healthy() {
        return Scenario.of("one-switch", root);
    }

    private static GpuReport report(Scenario machine) {
        return machine.diagnosis().gpus().orElseThrow();
    }

    private static PairVerdict verdict(Scenario machine) {
        List<PairVerdict> verdicts = report(machine).verdicts();
        assertThat(verdicts).hasSize(1);
        return verdicts.getFirst();
    }

    private static List<String> refused(PairVerdict verdict) {
        return verdict.decision().orElseThrow().refusals().stream()
                .map(refusal -> refusal.path() + ": " + refusal.reason())
                .toList();
    }

    @Test
    void dmaBufIsTheBestPath() {
        PairVerdict verdict = verdict(healthy());
        assertThat(verdict.path()).contains(GpuPath.DMA_BUF);
        assertThat(refused(verdict)).isEmpty();
        assertThat(verdict.distance()).contains(PciDistance.PIX);
        assertThat(verdict.nearest()).isTrue();
        assertThat(report(healthy()).direct()).isEqualTo(1);
        assertThat(verdict).hasToString("GPU0 - mlx5_0: dma-buf");
    }

    @Test
    void peerMemoryIsTakenWhereTheGpuExportsNoDmaBuf() {
        PairVerdict verdict = verdict(healthy().gpu(attributes(Support.YES, Support.NO, Support.YES)));
        assertThat(verdict.path()).contains(GpuPath.PEER_MEMORY);
        assertThat(refused(verdict)).containsExactly("dma-buf: DMA_BUF_UNSUPPORTED_BY_GPU");
    }

    @Test
    void oldDriverExportsNone() {
        PairVerdict verdict = verdict(healthy().cuda(11040));
        assertThat(verdict.path()).contains(GpuPath.PEER_MEMORY);
        assertThat(refused(verdict)).containsExactly("dma-buf: DRIVER_TOO_OLD");
    }

    @Test
    void unknownAttributeCountsAsNotOffered() {
        PairVerdict verdict = verdict(healthy()
                .gpu(attributes(Support.UNKNOWN, Support.UNKNOWN, Support.UNKNOWN))
                .gpu(Scenario.ordering(-1, -1)));
        assertThat(verdict.path()).contains(GpuPath.STAGED);
        assertThat(refused(verdict)).containsExactly("dma-buf: WRITES_UNORDERED", "peer memory: WRITES_UNORDERED");
    }

    @Test
    void integratedGpuIsStaged() {
        PairVerdict verdict = verdict(healthy().gpu(Scenario.memory(1L << 33, true)));
        assertThat(verdict.path()).contains(GpuPath.STAGED);
        assertThat(refused(verdict)).containsExactly("dma-buf: INTEGRATED_GPU", "peer memory: INTEGRATED_GPU");
    }

    @Test
    void peerMemoryIsTakenWhereTheAdapterImportsNoDmaBuf() {
        PairVerdict verdict = verdict(healthy().adapterDmaBuf(Support.NO));
        assertThat(verdict.path()).contains(GpuPath.PEER_MEMORY);
        assertThat(refused(verdict)).containsExactly("dma-buf: DMA_BUF_UNSUPPORTED_BY_ADAPTER");
    }

    @Test
    void withoutModuleTransfersAreStaged() {
        Scenario machine = healthy().adapterDmaBuf(Support.NO).without(PEER_MEMORY_FILE);
        PairVerdict verdict = verdict(machine);
        assertThat(verdict.path()).contains(GpuPath.STAGED);
        assertThat(verdict.isDirect()).isFalse();
        assertThat(refused(verdict))
                .containsExactly("dma-buf: DMA_BUF_UNSUPPORTED_BY_ADAPTER", "peer memory: PEER_MEMORY_MODULE_ABSENT");
        assertThat(report(machine).direct()).isZero();
        assertThat(machine.diagnosis().outcome()).isEqualTo(Outcome.TROUBLE);
    }

    @Test
    void gpuThatOffersNothingIsStagedThoughTheModuleIsThere() {
        PairVerdict verdict = verdict(healthy().gpu(attributes(Support.NO, Support.NO, Support.NO)));
        assertThat(verdict.path()).contains(GpuPath.STAGED);
        assertThat(refused(verdict).getLast()).isEqualTo("peer memory: GPU_DIRECT_UNSUPPORTED");
    }

    @Test
    void deviceOfSoftwareIsStaged() {
        PairVerdict verdict =
                verdict(Scenario.of("workstation", root).pair(0, "rxe0").adapterDmaBuf(Support.NO));
        assertThat(verdict.path()).contains(GpuPath.STAGED);
        assertThat(verdict.distance()).contains(PciDistance.NONE);
        assertThat(refused(verdict).getFirst()).isEqualTo("dma-buf: DMA_BUF_UNSUPPORTED_BY_ADAPTER");
        assertThat(refused(verdict).getLast()).isEqualTo("peer memory: REGISTRATION_REFUSED");
    }

    @Test
    void withoutCudaThereIsNoPath() {
        Scenario machine = healthy().noCuda("libcuda.so.1 cannot be opened", "install the driver");
        PairVerdict verdict = verdict(machine);
        assertThat(verdict.path()).isEmpty();
        assertThat(verdict.obstacle()).contains("the GPU cannot be used: libcuda.so.1 cannot be opened");
        assertThat(machine.diagnosis().outcome()).isEqualTo(Outcome.BROKEN);
        assertThat(verdict).hasToString("GPU0 - mlx5_0: none");
    }

    @Test
    void withAnAdapterThatCannotBeOpenedThereIsNoPath() {
        PairVerdict verdict = verdict(
                healthy().adapter(facts -> AdapterFacts.unusable(facts.name(), new Problem("EACCES", "see who may"))));
        assertThat(verdict.path()).isEmpty();
        assertThat(verdict.obstacle()).contains("mlx5_0 cannot be used: EACCES");
    }

    @Test
    void gpuThatSysfsDoesNotShowHasAPathAllTheSame() {
        PairVerdict verdict = verdict(healthy().gpu(Scenario.at("0000:77:00.0")));
        assertThat(verdict.path()).contains(GpuPath.DMA_BUF);
        assertThat(verdict.distance()).isEmpty();
    }

    @Test
    void allPairsAreJudgedTheNearestAdapterFirst() {
        Diagnosis diagnosis = Scenario.of("hgx-h100", root).diagnosisOfAll();
        GpuReport report = diagnosis.gpus().orElseThrow();
        assertThat(report.verdicts()).hasSize(80);
        assertThat(report.verdicts(false)).hasSize(8);
        assertThat(report.verdicts().get(70).toString()).isEqualTo("GPU7 - mlx5_9: dma-buf");
        assertThat(report.direct()).isEqualTo(80);
        assertThat(diagnosis.findings().stream()
                        .filter(finding -> finding.check().section() == Check.Section.GPUDIRECT))
                .hasSize(16);
    }

    @Test
    void ofNothingADiagnosisIsMade() {
        Diagnosis diagnosis = Scenario.empty(root)
                .noCuda("no driver", "install it")
                .noVerbs("no libibverbs", "install it")
                .diagnosisOfAll();
        GpuReport report = diagnosis.gpus().orElseThrow();
        assertThat(report.gpus()).isEmpty();
        assertThat(report.adapters()).isEmpty();
        assertThat(diagnosis.outcome()).isEqualTo(Outcome.BROKEN);
        assertThat(diagnosis.findings()).extracting(Finding::check).contains(Check.LIBIBVERBS, Check.GPUDIRECT);
    }

    /** Whatever machine this is. */
    @Test
    void thisMachineIsChecked() {
        Machine machine = new Machine(DoctorSources.thisMachine());
        Diagnosis diagnosis = Doctor.examineGpus(machine, new GpuReader(machine).report(), true);
        assertThat(Scenario.finding(Check.KERNEL).apply(diagnosis).seen())
                .isEqualTo("Linux " + System.getProperty("os.version"));
    }
}
