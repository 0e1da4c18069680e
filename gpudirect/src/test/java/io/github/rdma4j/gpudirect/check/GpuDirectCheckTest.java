// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import static io.github.rdma4j.gpudirect.check.Scenario.attributes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.gpudirect.topology.PciDistance;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which path is foretold for a pair, and what a whole report comes to. */
class GpuDirectCheckTest {
    private static final String PEER_MEMORY_FILE = "sys/module/nvidia_peermem/version";

    @TempDir
    private Path root;

    private Scenario healthy() {
        return Scenario.of("one-switch", root);
    }

    private static PairVerdict verdict(Scenario machine) {
        assertThat(machine.report().verdicts()).hasSize(1);
        return machine.report().verdicts().getFirst();
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
        assertThat(healthy().report().outcome()).isEqualTo(CheckOutcome.DIRECT);
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
        assertThat(machine.report().outcome()).isEqualTo(CheckOutcome.STAGED);
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
        assertThat(machine.report().outcome()).isEqualTo(CheckOutcome.NOTHING);
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
    void adapterKnownToLibibverbsAloneIsChecked() {
        CheckSources sources = new CheckSources(
                root,
                () -> new GpuInventory(
                        Optional.empty(), 13000, List.of(Scenario.gpu(0, PciAddress.parse("0000:01:00.0")))),
                () -> new AdapterInventory(
                        Optional.empty(),
                        List.of(new AdapterFacts("rxe0", Optional.empty(), Support.NO, "", List.of()))),
                _ -> Bar1Memory.unknown("no NVML"));
        assertThat(GpuDirectCheck.run(sources).verdicts())
                .singleElement()
                .satisfies(verdict -> assertThat(verdict.path()).contains(GpuPath.STAGED));
    }

    @Test
    void allPairsAreJudgedTheNearestAdapterFirst() {
        CheckReport report = Scenario.of("hgx-h100", root).reportOfAll();
        assertThat(report.verdicts()).hasSize(80);
        assertThat(report.verdicts().stream().filter(PairVerdict::nearest)).hasSize(8);
        assertThat(report.verdicts().get(70).toString()).isEqualTo("GPU7 - mlx5_9: dma-buf");
        assertThat(report.outcome()).isEqualTo(CheckOutcome.DIRECT);
        assertThat(report.findings().stream()
                        .filter(finding -> finding.subject().kind() == Subject.Kind.HOST))
                .hasSize(19);
    }

    @Test
    void ofNothingAReportIsMade() {
        CheckReport report = Scenario.empty(root)
                .noCuda("no driver", "install it")
                .noVerbs("no libibverbs", "install it")
                .reportOfAll();
        assertThat(report.gpus()).isEmpty();
        assertThat(report.adapters()).isEmpty();
        assertThat(report.outcome()).isEqualTo(CheckOutcome.NOTHING);
        assertThat(report.findings())
                .hasSize(19)
                .allMatch(finding -> finding.id().states().contains(finding.state()));
    }

    /** Whatever machine this is. */
    @Test
    void thisMachineIsChecked() {
        CheckReport report = GpuDirectCheck.run(GpuDirectCheck.thisMachine());
        assertThat(Scenario.finding(CheckId.KERNEL).apply(report).seen())
                .isEqualTo("Linux " + System.getProperty("os.version"));
    }

    @Test
    void findingCannotHaveAStateThatIsNotDocumented() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Finding(CheckId.KERNEL, Subject.host(), FindingState.FAIL, "", "", ""))
                .withMessage("KERNEL cannot be FAIL");
    }
}
