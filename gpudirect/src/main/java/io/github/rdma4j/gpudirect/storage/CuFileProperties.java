// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.gpudirect.storage.bindings.CUfileDrvProps;
import io.github.rdma4j.gpudirect.storage.bindings.CuFileHeaders;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;

/**
 * The properties that cuFile reports for this machine (cuFileDriverGetProperties).
 *
 * @param moduleMajor version of the kernel module nvidia-fs; 0 with {@code moduleMinor} 0 if it is not loaded
 * @param moduleMinor version of nvidia-fs
 * @param supported storage that cuFile can reach directly
 * @param pollMode whether cuFile polls for small transfers
 * @param compatibilityAllowed whether cuFile uses host memory for files that it cannot reach directly
 * @param pollThreshold the size in bytes up to which it polls
 * @param maxDirectIoSize the most bytes of one request to the device
 * @param maxCacheSize bytes of device memory for cuFile's own buffers
 * @param bufferCacheSize bytes of each of these buffers
 * @param maxPinnedMemory the most bytes of device memory that it may pin
 * @param maxBatchSize the most transfers of a batch; 0 if cuFile does not report it
 * @param batchTimeoutMilliseconds the timeout of a transfer of a batch
 * @since 0.1.0
 */
public record CuFileProperties(
        int moduleMajor,
        int moduleMinor,
        Set<Storage> supported,
        boolean pollMode,
        boolean compatibilityAllowed,
        long pollThreshold,
        long maxDirectIoSize,
        long maxCacheSize,
        long bufferCacheSize,
        long maxPinnedMemory,
        int maxBatchSize,
        int batchTimeoutMilliseconds) {
    private static final int KIB = 1024;

    /** Storage that cuFile supports. */
    public enum Storage {
        /** DDN's Lustre. */
        LUSTRE(CuFileHeaders.CU_FILE_LUSTRE_SUPPORTED()),
        /** WekaFS. */
        WEKAFS(CuFileHeaders.CU_FILE_WEKAFS_SUPPORTED()),
        /** NFS over RDMA. */
        NFS(CuFileHeaders.CU_FILE_NFS_SUPPORTED()),
        /** IBM's Spectrum Scale. */
        GPFS(CuFileHeaders.CU_FILE_GPFS_SUPPORTED()),
        /** NVMe through nvidia-fs. */
        NVME(CuFileHeaders.CU_FILE_NVME_SUPPORTED()),
        /** NVMe over Fabrics. */
        NVMEOF(CuFileHeaders.CU_FILE_NVMEOF_SUPPORTED()),
        /** SCSI. */
        SCSI(CuFileHeaders.CU_FILE_SCSI_SUPPORTED()),
        /** ScaleFlux. */
        SCALEFLUX(CuFileHeaders.CU_FILE_SCALEFLUX_CSD_SUPPORTED()),
        /** NVMesh. */
        NVMESH(CuFileHeaders.CU_FILE_NVMESH_SUPPORTED()),
        /** BeeGFS. */
        BEEGFS(CuFileHeaders.CU_FILE_BEEGFS_SUPPORTED()),
        /** NVMe through the kernel's PCI peer-to-peer DMA, without nvidia-fs. */
        NVME_P2P(CuFileHeaders.CU_FILE_NVME_P2P_SUPPORTED()),
        /** ScateFS. */
        SCATEFS(CuFileHeaders.CU_FILE_SCATEFS_SUPPORTED());

        private final int bit;

        Storage(int bit) {
            this.bit = bit;
        }

        static Set<Storage> of(int flags) {
            Set<Storage> all = EnumSet.noneOf(Storage.class);
            for (Storage each : values()) {
                if ((flags & 1 << each.bit) != 0) {
                    all.add(each);
                }
            }
            return all;
        }
    }

    /** Copies the set. */
    public CuFileProperties {
        supported = Set.copyOf(supported);
    }

    /** {@return whether nvidia-fs is loaded} */
    public boolean isModuleLoaded() {
        return moduleMajor != 0 || moduleMinor != 0;
    }

    static CuFileProperties of(MemorySegment properties) {
        MemorySegment module = CUfileDrvProps.nvfs(properties);
        int control = CUfileDrvProps.nvfs.dcontrolflags(module);
        return new CuFileProperties(
                CUfileDrvProps.nvfs.major_version(module),
                CUfileDrvProps.nvfs.minor_version(module),
                Storage.of(CUfileDrvProps.nvfs.dstatusflags(module)),
                (control & 1 << CuFileHeaders.CU_FILE_USE_POLL_MODE()) != 0,
                (control & 1 << CuFileHeaders.CU_FILE_ALLOW_COMPAT_MODE()) != 0,
                CUfileDrvProps.nvfs.poll_thresh_size(module) * KIB,
                CUfileDrvProps.nvfs.max_direct_io_size(module) * KIB,
                Integer.toUnsignedLong(CUfileDrvProps.max_device_cache_size(properties)) * KIB,
                Integer.toUnsignedLong(CUfileDrvProps.per_buffer_cache_size(properties)) * KIB,
                Integer.toUnsignedLong(CUfileDrvProps.max_device_pinned_mem_size(properties)) * KIB,
                CUfileDrvProps.max_batch_io_size(properties),
                CUfileDrvProps.max_batch_io_timeout_msecs(properties));
    }
}
