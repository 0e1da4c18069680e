// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

/**
 * Why a path was not taken for a file.
 *
 * @param path that was not taken
 * @param reason as data
 * @param explanation in words
 * @param remedy what can be done about it, or an empty string
 * @since 0.1.0
 */
public record StorageRefusal(StoragePath path, Reason reason, String explanation, String remedy) {
    /** Why, as data. */
    public enum Reason {
        /** {@code libcufile.so.0} cannot be opened, is too old, or may not be opened. */
        LIBRARY_ABSENT,
        /** cuFile did not start. */
        DRIVER_REFUSED,
        /** Neither nvidia-fs nor PCI peer-to-peer DMA is there. */
        MODULE_ABSENT,
        /** cuFile does not name the file system among those that it supports here. */
        FILE_SYSTEM,
        /** The file could not be opened past the page cache. */
        NO_DIRECT_IO,
        /** The compatibility mode is off. */
        COMPATIBILITY_OFF,
        /** cuFile uses GPUDirect Storage for this file, and cannot be configured for one file. */
        DIRECT_PREFERRED,
        /** cuFile refused the file. */
        FILE_REFUSED
    }

    /** {@return path, words and remedy, on one line} */
    @Override
    public String toString() {
        return "not by %s: %s%s".formatted(path, explanation, remedy.isEmpty() ? "" : " (remedy: " + remedy + ")");
    }
}
