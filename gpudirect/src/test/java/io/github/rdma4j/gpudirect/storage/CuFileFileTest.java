// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

/** The contract through cuFile. */
class CuFileFileTest extends GpuFileContract {
    @Override
    void configure(StorageConfig config) {
        // No module, so that it does not matter which file system the folder is on.
        StandInCuFile.set("module", 0);
        StandInCuFile.set("supported", 0);
    }

    @Override
    StoragePath path() {
        return StoragePath.COMPATIBLE;
    }
}
