// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

/** The versions that the paths need. */
final class Versions {
    /** The first kernel whose RDMA core registers dma-bufs. */
    static final int KERNEL_MAJOR = 5;

    static final int KERNEL_MINOR = 12;
    /** The first rdma-core with ibv_reg_dmabuf_mr. */
    static final int RDMA_CORE = 34;
    /** The first branch of the driver whose open kernel modules export dma-bufs. */
    static final int DRIVER_DMA_BUF = 515;
    /** The first branch of the driver that has nvidia_peermem. */
    static final int DRIVER_PEER_MEMORY = 470;
    /** The first CUDA that exports dma-bufs. */
    static final int CUDA_DMA_BUF = 11070;

    private Versions() {}

    /** Formats a version in CUDA's numbering: 12040 is 12.4. */
    static String cuda(int version) {
        return version / 1000 + "." + version % 1000 / 10;
    }
}
