// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

/**
 * Why a path was not taken.
 *
 * @param path the path that was not taken
 * @param reason the reason as a constant
 * @param errno the kernel's errno if the reason is {@link Reason#REGISTRATION_REFUSED}; otherwise 0
 * @param explanation the reason in words
 * @param remedy what to do about it, or an empty string
 * @since 0.1.0
 */
public record PathRefusal(GpuPath path, Reason reason, int errno, String explanation, String remedy) {
    /** The reason as a constant. */
    public enum Reason {
        /** The GPU has no own memory that an adapter could reach over PCI. */
        INTEGRATED_GPU,
        /** The device reports that it does not support GPUDirect RDMA. */
        GPU_DIRECT_UNSUPPORTED,
        /** The driver cannot export this device's memory as dma-bufs. */
        DMA_BUF_UNSUPPORTED_BY_GPU,
        /** The user-mode driver lacks the function. */
        DRIVER_TOO_OLD,
        /** The adapter, its kernel driver or its library cannot register dma-bufs. */
        DMA_BUF_UNSUPPORTED_BY_ADAPTER,
        /** There is no Data Direct engine, or the library or the kernel does not support it. */
        DATA_DIRECT_UNSUPPORTED,
        /** Managed memory migrates between host and device. */
        MANAGED_MEMORY,
        /** Peer-memory modules do not support memory of a pool. */
        POOL_MEMORY,
        /** The allocation was made without the GPUDirect RDMA flag. */
        MEMORY_NOT_CAPABLE,
        /** The adapter's writes could not be made visible to the GPU in order. */
        WRITES_UNORDERED,
        /** The path does not support a requested access flag. */
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

    /** {@return path, explanation and remedy, on one line} */
    @Override
    public String toString() {
        return "not by %s: %s%s".formatted(path, explanation, remedy.isEmpty() ? "" : " (remedy: " + remedy + ")");
    }
}
