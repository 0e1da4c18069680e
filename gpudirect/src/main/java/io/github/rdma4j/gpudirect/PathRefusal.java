// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

/**
 * Why a path was not taken.
 *
 * @param path that was not taken
 * @param reason as data
 * @param errno what the kernel said, if the reason is {@link Reason#REGISTRATION_REFUSED}; else 0
 * @param explanation in words
 * @param remedy what can be done about it, or an empty string
 * @since 0.1.0
 */
public record PathRefusal(GpuPath path, Reason reason, int errno, String explanation, String remedy) {
    /** Why, as data. */
    public enum Reason {
        /** The GPU has no memory of its own that an adapter could reach over PCI. */
        INTEGRATED_GPU,
        /** The device says that it does not offer GPUDirect RDMA. */
        GPU_DIRECT_UNSUPPORTED,
        /** The driver cannot export this device's memory as dma-bufs. */
        DMA_BUF_UNSUPPORTED_BY_GPU,
        /** The user-mode driver lacks the call. */
        DRIVER_TOO_OLD,
        /** The adapter, its kernel driver or its library cannot register dma-bufs. */
        DMA_BUF_UNSUPPORTED_BY_ADAPTER,
        /** There is no Data Direct engine, or library or kernel do not know it. */
        DATA_DIRECT_UNSUPPORTED,
        /** Managed memory moves. */
        MANAGED_MEMORY,
        /** Memory of a pool is not made for peer-memory modules; a dma-buf of it is for the driver to give. */
        POOL_MEMORY,
        /** This allocation was not made for other devices. */
        MEMORY_NOT_CAPABLE,
        /** What the adapter writes could not be made visible to the GPU in order. */
        WRITES_UNORDERED,
        /** The path does not know an access flag that was asked for. */
        ACCESS_FLAGS,
        /** No peer-memory module is loaded. */
        PEER_MEMORY_MODULE_ABSENT,
        /** The GPU's driver refused to export the memory. */
        EXPORT_REFUSED,
        /** The kernel refused to register it. */
        REGISTRATION_REFUSED
    }

    PathRefusal(GpuPath path, Reason reason, String explanation, String remedy) {
        this(path, reason, 0, explanation, remedy);
    }

    /** {@return path, words and remedy, on one line} */
    @Override
    public String toString() {
        return "not by %s: %s%s".formatted(path, explanation, remedy.isEmpty() ? "" : " (remedy: " + remedy + ")");
    }
}
