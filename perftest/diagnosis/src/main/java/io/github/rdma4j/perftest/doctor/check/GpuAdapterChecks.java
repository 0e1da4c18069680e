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
                        "ibv_reg_dmabuf_mr with file descriptor -1 says EBADF: offered");
            case NO ->
                finding(
                        Check.ADAPTER_DMA_BUF,
                        "ibv_reg_dmabuf_mr",
                        WARNING,
                        "ibv_reg_dmabuf_mr with file descriptor -1 says that it is not offered",
                        "the adapter cannot register dma-bufs",
                        adapter.isSoftware()
                                ? "none: no kernel offers it for software devices"
                                : "needs Linux 5.12, rdma-core 34 and an adapter whose driver imports dma-bufs (mlx5,"
                                        + " irdma, efa, bnxt_re)");
            case UNKNOWN ->
                finding(
                        Check.ADAPTER_DMA_BUF,
                        "ibv_reg_dmabuf_mr",
                        UNKNOWN,
                        NOT_OPENED,
                        "whether it can register dma-bufs is not known",
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
                                "engine at " + support.function().orElseThrow()
                                        + "; GpuDirectConfig.dataDirect() asks for it")
                        : finding(
                                Check.ADAPTER_DATA_DIRECT,
                                "mlx5dv_get_data_direct_sysfs_path",
                                NOTE,
                                support.reason(),
                                "GPU memory is registered as plain dma-bufs, by the adapter's own PCI function",
                                ""))
                .orElseGet(() -> finding(
                        Check.ADAPTER_DATA_DIRECT,
                        "mlx5dv_get_data_direct_sysfs_path",
                        UNKNOWN,
                        NOT_OPENED,
                        "whether it has a Data Direct engine is not known",
                        ""));
    }
}
