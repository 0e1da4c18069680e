// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.perftest.doctor.machine.AdapterFacts;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.doctor.machine.Support;
import java.util.List;

/** Checks whether an adapter can register dma-bufs. */
final class GpuAdapterChecks {
    private static final String NOT_OPENED = "the adapter could not be opened";

    private final RdmaDevice adapter;
    private final String subject;

    GpuAdapterChecks(RdmaDevice adapter) {
        this.adapter = adapter;
        this.subject = adapter.name();
    }

    List<Finding> findings() {
        return adapter.isSoftware() ? List.of(dmaBuf()) : List.of(dmaBuf(), dataDirect());
    }

    private Finding finding(
            Check check, String source, FindingState state, String seen, String meaning, String remedy) {
        return new Finding(check, subject, source, state, seen, meaning, remedy);
    }

    private Finding dmaBuf() {
        return switch (adapter.facts().map(AdapterFacts::dmaBuf).orElse(Support.UNKNOWN)) {
            case YES ->
                Finding.ok(
                        Check.ADAPTER_DMA_BUF,
                        subject,
                        "ibv_reg_dmabuf_mr",
                        "dma-bufs can be registered: ibv_reg_dmabuf_mr with file descriptor -1 returns EBADF");
            case NO ->
                finding(
                        Check.ADAPTER_DMA_BUF,
                        "ibv_reg_dmabuf_mr",
                        WARNING,
                        "ibv_reg_dmabuf_mr with file descriptor -1 does not return EBADF",
                        "the adapter or its driver cannot register dma-bufs",
                        adapter.isSoftware()
                                ? "use a hardware adapter: no kernel registers dma-bufs with software devices"
                                : "use Linux 5.12, rdma-core 34 or newer, and an adapter whose driver imports"
                                        + " dma-bufs (mlx5, irdma, efa, bnxt_re)");
            case UNKNOWN ->
                finding(
                        Check.ADAPTER_DMA_BUF,
                        "ibv_reg_dmabuf_mr",
                        UNKNOWN,
                        NOT_OPENED,
                        "it is unknown whether the adapter can register dma-bufs",
                        "");
        };
    }

    private Finding dataDirect() {
        return adapter.facts()
                .flatMap(AdapterFacts::dataDirect)
                .map(support -> support.isAvailable()
                        ? Finding.ok(
                                Check.ADAPTER_DATA_DIRECT,
                                subject,
                                "mlx5dv_get_data_direct_sysfs_path",
                                "Data Direct engine at " + support.function().orElseThrow()
                                        + "; GpuDirectConfig.dataDirect() requests it")
                        : finding(
                                Check.ADAPTER_DATA_DIRECT,
                                "mlx5dv_get_data_direct_sysfs_path",
                                NOTE,
                                support.reason(),
                                "GPU memory is registered as plain dma-bufs, through the adapter's own PCI function",
                                ""))
                .orElseGet(() -> finding(
                        Check.ADAPTER_DATA_DIRECT,
                        "mlx5dv_get_data_direct_sysfs_path",
                        UNKNOWN,
                        NOT_OPENED,
                        "it is unknown whether the adapter has a Data Direct engine",
                        ""));
    }
}
