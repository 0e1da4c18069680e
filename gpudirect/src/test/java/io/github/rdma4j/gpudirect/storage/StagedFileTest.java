// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

/** The contract on the staged path: one thread, past the page cache where the folder's file system can. */
class StagedFileTest extends GpuFileContract {
    @Override
    void configure(StorageConfig config) {
        config.only(StoragePath.STAGED);
    }

    @Override
    StoragePath path() {
        return StoragePath.STAGED;
    }
}
