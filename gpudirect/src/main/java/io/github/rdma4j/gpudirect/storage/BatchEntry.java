// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.DeviceMemory;

/** One transfer of a batch. Entries are reused. */
final class BatchEntry {
    final int number;
    long id;
    boolean write;
    GpuFile file;
    DeviceMemory memory;
    long memoryOffset;
    long fileOffset;
    long length;
    /** Whether the file is kept open for this transfer. */
    boolean held;

    long result;
    RuntimeException failure;
    /** The use of the memory by cuFile; null on the staged path. */
    MemoryUse use;

    BatchEntry(int number) {
        this.number = number;
    }

    String describe() {
        return "%s(%s, offset=%d, length=%d), of a batch".formatted(write ? "write" : "read", file, fileOffset, length);
    }
}
