// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.gpudirect.storage.CuFileProperties.Storage;
import io.github.rdma4j.gpudirect.storage.StorageRefusal.Reason;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Decides whether a path can be taken, as far as this is known before the file is registered with cuFile. */
final class StorageRules {
    private static final Set<Storage> BLOCK_DEVICES =
            EnumSet.of(Storage.NVME, Storage.NVMEOF, Storage.SCSI, Storage.SCALEFLUX, Storage.NVMESH, Storage.NVME_P2P);

    private StorageRules() {}

    /**
     * Returns why cuFile would not use a path.
     *
     * @param path a path other than the staged one
     * @param driver the properties that cuFile reports
     * @param fileSystem such as {@code ext4}
     * @param direct whether the file is open with O_DIRECT
     */
    static Optional<StorageRefusal> refusal(
            StoragePath path, CuFileProperties driver, String fileSystem, boolean direct) {
        Optional<StorageRefusal> notDirectly = notDirectly(driver, fileSystem, direct);
        if (path == StoragePath.GPU_DIRECT) {
            return notDirectly;
        }
        if (!driver.compatibilityAllowed()) {
            return refuse(
                    path,
                    Reason.COMPATIBILITY_OFF,
                    "cuFile's compatibility mode is off",
                    "set properties.allow_compat_mode to true in cufile.json");
        }
        return notDirectly.isPresent()
                ? Optional.empty()
                : refuse(
                        path,
                        Reason.DIRECT_PREFERRED,
                        "cuFile uses GPUDirect Storage for this file",
                        "start the program with CUFILE_FORCE_COMPAT_MODE=true");
    }

    private static Optional<StorageRefusal> notDirectly(CuFileProperties driver, String fileSystem, boolean direct) {
        StoragePath path = StoragePath.GPU_DIRECT;
        if (!driver.isModuleLoaded() && !driver.supported().contains(Storage.NVME_P2P)) {
            return refuse(
                    path,
                    Reason.MODULE_ABSENT,
                    "the kernel module nvidia-fs is not loaded, and cuFile does not report NVMe with PCI peer-to-peer DMA",
                    "install and load nvidia-fs (nvidia-gds), or, from CUDA 12.8 on, a kernel and driver with PCI"
                            + " peer-to-peer DMA");
        }
        if (driver.supported().stream().noneMatch(of(fileSystem)::contains)) {
            return refuse(
                    path,
                    Reason.FILE_SYSTEM,
                    "cuFile does not support the file system %s here (it supports %s)"
                            .formatted(fileSystem, driver.supported().isEmpty() ? "none" : names(driver.supported())),
                    "put the file on ext4 with data=ordered or XFS on NVMe, or on a network file system whose support"
                            + " is installed (gdscheck -p)");
        }
        return direct
                ? Optional.empty()
                : refuse(
                        path,
                        Reason.NO_DIRECT_IO,
                        "the file cannot be opened past the page cache (O_DIRECT)",
                        "use a file system with O_DIRECT, and no mount option that forbids it");
    }

    private static String names(Set<Storage> storage) {
        return EnumSet.copyOf(storage).toString().replaceAll("[\\[\\]]", "");
    }

    /** Returns the storage through which cuFile may reach a file system. */
    private static Set<Storage> of(String fileSystem) {
        return switch (fileSystem) {
            case "ext4", "xfs" -> BLOCK_DEVICES;
            case "lustre" -> EnumSet.of(Storage.LUSTRE);
            case "wekafs" -> EnumSet.of(Storage.WEKAFS);
            case "nfs", "nfs4" -> EnumSet.of(Storage.NFS);
            case "gpfs" -> EnumSet.of(Storage.GPFS);
            case "beegfs" -> EnumSet.of(Storage.BEEGFS);
            case "scatefs" -> EnumSet.of(Storage.SCATEFS);
            default -> EnumSet.noneOf(Storage.class);
        };
    }

    private static Optional<StorageRefusal> refuse(StoragePath path, Reason reason, String explanation, String remedy) {
        return Optional.of(new StorageRefusal(path, reason, explanation, remedy));
    }
}
