// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.DeviceMemory;

/** One transfer of a batch; used again and again. */
final class BatchEntry {
    final int number;
    long id;
    boolean write;
    GpuFile file;
    DeviceMemory memory;
    long memoryOffset;
    long fileOffset;
    long length;
    /** Whether the file is kept open for it. */
    boolean held;

    long result;
    RuntimeException failure;
    /** Of cuFile only. */
    MemoryUse use;

    BatchEntry(int number) {
        this.number = number;
    }

    String describe() {
        return "%s(%s, offset=%d, length=%d), of a batch".formatted(write ? "write" : "read", file, fileOffset, length);
    }
}
