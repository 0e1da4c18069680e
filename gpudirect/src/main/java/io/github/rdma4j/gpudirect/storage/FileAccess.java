// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;

/** How one file is read and written. Ranges have been checked, and the file is held open by the caller. */
interface FileAccess {
    /** Reads until the length or the end of the file. */
    long read(DeviceMemory memory, long memoryOffset, long fileOffset, long length);

    /** Writes all. */
    long write(DeviceMemory memory, long memoryOffset, long fileOffset, long length);

    /**
     * Queues a read. The caller has entered the file, and this ends it: when the transfer is over, or when it throws
     * and nothing is under way.
     */
    StreamTransfer readAsync(CudaStream stream, DeviceMemory memory, long memoryOffset, long fileOffset, long length);

    /** Queues a write. */
    StreamTransfer writeAsync(CudaStream stream, DeviceMemory memory, long memoryOffset, long fileOffset, long length);

    /** When nobody uses it any more. */
    void close();
}
