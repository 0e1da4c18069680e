// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.List;

/**
 * The path of bytes between device memory and the adapter.
 *
 * @since 0.1.0
 */
public enum GpuPath {
    /**
     * As {@link #DMA_BUF}, by the adapter's Data Direct engine, which has its own PCI path (mlx5dv_reg_dmabuf_mr(3),
     * ConnectX-8 and later). Taken only if {@link GpuDirectConfig#dataDirect()} enables it.
     */
    DATA_DIRECT("Data Direct"),
    /** The adapter reads and writes device memory that its driver imported as a dma-buf (ibv_reg_dmabuf_mr(3)). */
    DMA_BUF("dma-buf"),
    /**
     * The adapter reads and writes device memory that a peer-memory module of the kernel has mapped for it
     * (ibv_reg_mr(3)).
     */
    PEER_MEMORY("peer memory"),
    /**
     * The adapter reads and writes pinned host memory, and copies on a stream move the bytes between host and device.
     * Works everywhere.
     */
    STAGED("staged");

    /** The default paths, the best one first. */
    static final List<GpuPath> USUAL = List.of(DMA_BUF, PEER_MEMORY, STAGED);

    private final String text;

    GpuPath(String text) {
        this.text = text;
    }

    /** {@return whether the adapter reaches device memory itself} */
    public boolean isDirect() {
        return this != STAGED;
    }

    /** {@return the name: {@code Data Direct}, {@code dma-buf}, {@code peer memory} or {@code staged}} */
    @Override
    public String toString() {
        return text;
    }
}
