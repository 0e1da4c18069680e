// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

/**
 * Why a path was not taken for a file.
 *
 * @param path the path that was not taken
 * @param reason the reason as a constant
 * @param explanation the reason in words
 * @param remedy what to do about it, or an empty string
 * @since 0.1.0
 */
public record StorageRefusal(StoragePath path, Reason reason, String explanation, String remedy) {
    /** The reason as a constant. */
    public enum Reason {
        /** {@code libcufile.so.0} cannot be opened or is too old, or the JVM denies native access. */
        LIBRARY_ABSENT,
        /** cuFile did not start. */
        DRIVER_REFUSED,
        /** Neither nvidia-fs nor PCI peer-to-peer DMA is available. */
        MODULE_ABSENT,
        /** The file system is not among those that cuFile reports as supported. */
        FILE_SYSTEM,
        /** The file could not be opened with O_DIRECT. */
        NO_DIRECT_IO,
        /** The compatibility mode is off. */
        COMPATIBILITY_OFF,
        /** cuFile uses GPUDirect Storage for this file, and cannot be configured for one file. */
        DIRECT_PREFERRED,
        /** cuFile refused the file. */
        FILE_REFUSED
    }

    /** {@return path, explanation and remedy, on one line} */
    @Override
    public String toString() {
        return "not by %s: %s%s".formatted(path, explanation, remedy.isEmpty() ? "" : " (remedy: " + remedy + ")");
    }
}
