// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

/** The contract on the staged path with several threads, by the page cache, where cuFile is not installed. */
class StagedByThreadsFileTest extends GpuFileContract {
    @Override
    void configure(StorageConfig config) {
        StandInCuFile.absent();
        config.threads(3).directIo(false).chunkSize(4096).slots(3);
    }

    @Override
    StoragePath path() {
        return StoragePath.STAGED;
    }
}
