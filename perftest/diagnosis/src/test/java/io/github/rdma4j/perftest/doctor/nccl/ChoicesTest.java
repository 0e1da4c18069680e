// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.nccl;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.gpudirect.PathDecision;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.gpudirect.topology.PciDistance;
import io.github.rdma4j.gpudirect.topology.Topology;
import io.github.rdma4j.perftest.allreduce.choice.Choice;
import io.github.rdma4j.perftest.allreduce.choice.Choice.Verdict;
import io.github.rdma4j.perftest.allreduce.choice.NcclLog;
import io.github.rdma4j.perftest.allreduce.choice.RecordedLogs;
import io.github.rdma4j.perftest.doctor.machine.CheckedGpu;
import io.github.rdma4j.perftest.doctor.machine.GpuFacts;
import io.github.rdma4j.perftest.doctor.machine.GpuInventory;
import io.github.rdma4j.perftest.doctor.machine.GpuReport;
import io.github.rdma4j.perftest.doctor.machine.PairVerdict;
import io.github.rdma4j.perftest.doctor.machine.Support;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChoicesTest {
    private static NcclLog log(String text) {
        return NcclLog.of(text.lines());
    }

    private static PairVerdict verdict(String adapter, GpuPath path, PciDistance distance, boolean nearest) {
        return new PairVerdict(
                "GPU0",
                adapter,
                Optional.of(distance),
                nearest,
                Optional.of(new PathDecision(path, List.of())),
                Optional.empty());
    }

    private static GpuReport check(String address, Support dmaBuf, PairVerdict... verdicts) {
        PciAddress place = PciAddress.parse(address);
        GpuFacts facts =
                new GpuFacts(0, "a GPU", place, 90, 1L << 36, false, Support.YES, dmaBuf, Support.YES, 1, 100, false);
        return new GpuReport(
                new GpuInventory(Optional.empty(), 13000, List.of(facts)),
                List.of(new CheckedGpu(0, place, Optional.of(facts), Optional.empty(), Bar1Memory.unknown("no NVML"))),
                List.of(),
                Topology.read(Path.of("/no/such/folder")),
                List.of(verdicts));
    }

    private static Choice of(List<Choice> choices, String subject) {
        return choices.stream()
                .filter(each -> each.subject().equals(subject))
                .findFirst()
                .orElseThrow(() -> new AssertionError(subject + " is not in " + choices));
    }

    private static void same(List<Choice> choices, String subject, String chosen, String predicted) {
        assertThat(of(choices, subject)).isEqualTo(new Choice(subject, chosen, predicted, Verdict.AS_PREDICTED, ""));
    }

    private static Choice differs(List<Choice> choices, String subject) {
        Choice choice = of(choices, subject);
        assertThat(choice.verdict()).isEqualTo(Verdict.DIFFERS);
        assertThat(choice.remark()).isNotBlank();
        return choice;
    }

    @Test
    void matchingChoicesPass() {
        GpuReport check = check(
                "0000:18:00.0",
                Support.YES,
                verdict("mlx5_0", GpuPath.DMA_BUF, PciDistance.PIX, true),
                verdict("mlx5_1", GpuPath.DMA_BUF, PciDistance.PIX, true),
                verdict("mlx5_2", GpuPath.STAGED, PciDistance.SYS, false),
                verdict("mlx5_3", GpuPath.DMA_BUF, PciDistance.SYS, false));
        List<Choice> choices = Choices.of(log(RecordedLogs.INFINIBAND), check, 0);
        assertThat(choices).noneMatch(each -> each.verdict() == Verdict.DIFFERS);
        assertThat(of(choices, "NCCL").chosen()).isEqualTo("2.19.3+cuda12.2");
        same(
                choices,
                "network",
                "IB: mlx5_0 port 1 (IB), mlx5_1 port 1 (IB), mlx5_2 port 1 (RoCE)",
                "RDMA: mlx5_0, mlx5_1, mlx5_2, mlx5_3");
        assertThat(of(choices, "adapters left out").chosen()).isEqualTo("mlx5_3");
        same(choices, "dma-buf", "available", "the driver offers it");
        same(choices, "GPU0 with mlx5_0", "GPUDirect RDMA (distance 4, allowed up to 5)", GpuPath.DMA_BUF + ", PIX");
        same(
                choices,
                "GPU0 with mlx5_2",
                "through host memory (distance 9, allowed up to 5)",
                GpuPath.STAGED + ", SYS");
        same(choices, "other machines through mlx5_0", "NET/IB/0/GDRDMA, 2 channels", GpuPath.DMA_BUF + ", PIX");
        same(
                choices,
                "ring",
                "4 channels of 24.0 GB/s, NVL between GPUs, PIX to adapters",
                "PIX to the nearest adapter");
        assertThat(of(choices, "rank 0 to rank 1").chosen()).isEqualTo("P2P/CUMEM, one channel");
        assertThat(of(choices, "channels").chosen()).isEqualTo("8, ranks in the order 0 1 2 3; 0 3 2 1");
        assertThat(of(choices, "variables").chosen()).isEqualTo("NCCL_PXN_DISABLE=1");
    }

    /** Ranks merge equal choices. */
    @ParameterizedTest
    @ValueSource(strings = {"de-DE", "ar-EG"})
    void choicesAreTheSameInEveryLanguage(String language) {
        GpuReport check = check("0000:18:00.0", Support.YES, verdict("mlx5_0", GpuPath.DMA_BUF, PciDistance.PIX, true));
        Locale before = Locale.getDefault();
        List<Choice> usual = Choices.of(log(RecordedLogs.INFINIBAND), check, 0);
        Locale.setDefault(Locale.forLanguageTag(language));
        try {
            assertThat(Choices.of(log(RecordedLogs.INFINIBAND), check, 0)).isEqualTo(usual);
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void differingChoicesAreReported() {
        GpuReport check = check(
                "0000:18:00.0",
                Support.NO,
                verdict("mlx5_0", GpuPath.STAGED, PciDistance.NODE, true),
                verdict("mlx5_2", GpuPath.DMA_BUF, PciDistance.SYS, false));
        List<Choice> choices = Choices.of(log(RecordedLogs.INFINIBAND), check, 0);
        differs(choices, "dma-buf");
        assertThat(differs(choices, "GPU0 with mlx5_0").remark())
                .startsWith("rdma4j would not register memory for that path");
        assertThat(differs(choices, "GPU0 with mlx5_2").remark())
                .isEqualTo(
                        "NCCL uses no direct path over this distance (SYS), but rdma4j does: NCCL_NET_GDR_LEVEL=SYS allows it");
        differs(choices, "other machines through mlx5_0");
        differs(choices, "other machines through mlx5_2");
        assertThat(differs(choices, "ring").predicted()).isEqualTo("NODE to the nearest adapter");
    }

    @Test
    void socketsWhereThereAreAdapters() {
        GpuReport check = check("0000:3b:00.0", Support.YES, verdict("mlx5_0", GpuPath.DMA_BUF, PciDistance.PIX, true));
        List<Choice> choices = Choices.of(log(RecordedLogs.ONE_MACHINE), check, 0);
        assertThat(differs(choices, "network").remark()).contains("NCCL uses TCP", "NCCL_IB_HCA");
        assertThat(of(choices, "rank 0 to rank 1").chosen()).isEqualTo("SHM/direct/direct, 2 channels");
        assertThat(Choices.of(log(RecordedLogs.ONE_MACHINE), check("0000:3b:00.0", Support.YES), 0))
                .contains(new Choice(
                        "network", "Socket", "Socket: no RDMA device can be used", Verdict.AS_PREDICTED, ""));
    }

    @Test
    void variablesThatForbidAWay() {
        String disabled = "a:1:1 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1.\n"
                + "a:1:1 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1.\n"
                + "a:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC\n" + RecordedLogs.ONE_MACHINE;
        GpuReport check = check("0000:3b:00.0", Support.YES, verdict("mlx5_0", GpuPath.DMA_BUF, PciDistance.PIX, true));
        List<Choice> choices = Choices.of(log(disabled), check, 0);
        same(choices, "network", "Socket", "Socket, because of a variable");
        assertThat(choices)
                .filteredOn(each -> each.subject().equals("rank 0 to rank 1"))
                .extracting(Choice::verdict)
                .containsExactly(Verdict.DIFFERS, Verdict.AS_PREDICTED);
    }

    @Test
    void gpusByTheirAddresses() {
        GpuReport check = check("0000:87:00.0", Support.YES);
        List<Choice> choices = Choices.of(log(RecordedLogs.ADDRESSES), check, 0);
        assertThat(of(choices, "GPU0 with HCA 5").chosen()).isEqualTo("GPUDirect RDMA (distance 3, allowed up to 4)");
        assertThat(of(choices, "NCCL warns").chosen()).contains("Got completion with error 4");
        GpuReport other = check("0000:8d:00.0", Support.YES);
        assertThat(Choices.of(log(RecordedLogs.ADDRESSES), other, 0))
                .noneMatch(each -> each.subject().startsWith("GPU0 with"));
    }
}
