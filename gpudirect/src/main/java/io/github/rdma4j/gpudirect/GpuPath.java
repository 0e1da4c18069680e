// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.List;

/**
 * The path of device memory to and from the adapter.
 *
 * @since 0.1.0
 */
public enum GpuPath {
    /**
     * As {@link #DMA_BUF}, by the adapter's Data Direct engine, which has a way over PCI of its own
     * (mlx5dv_reg_dmabuf_mr(3), ConnectX-8 and later). Taken only where it is asked for:
     * {@link GpuDirectConfig#dataDirect()}.
     */
    DATA_DIRECT("Data Direct"),
    /** The adapter reads and writes device memory, which its driver has as a dma-buf (ibv_reg_dmabuf_mr(3)). */
    DMA_BUF("dma-buf"),
    /**
     * The adapter reads and writes device memory, which a peer-memory module of the kernel has mapped for it
     * (ibv_reg_mr(3)).
     */
    PEER_MEMORY("peer memory"),
    /**
     * The adapter reads and writes pinned host memory; copies on a stream connect it with the device's. Works
     * everywhere.
     */
    STAGED("staged");

    /** Those that are taken unless others are asked for, the best one first. */
    static final List<GpuPath> USUAL = List.of(DMA_BUF, PEER_MEMORY, STAGED);

    private final String text;

    GpuPath(String text) {
        this.text = text;
    }

    /** {@return whether the adapter reaches device memory itself} */
    public boolean isDirect() {
        return this != STAGED;
    }

    /** {@return as people write it: {@code Data Direct}, {@code dma-buf}, {@code peer memory}, {@code staged}} */
    @Override
    public String toString() {
        return text;
    }
}
