// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;

/** Reads and writes one file. The caller has checked the ranges, and keeps the file open. */
interface FileAccess {
    /** Writes the whole length, or reads up to the length or to the end of the file. Returns the number of bytes. */
    long transfer(boolean write, DeviceMemory memory, long memoryOffset, long fileOffset, long length);

    /**
     * Queues a write or a read. The caller has entered the file. The implementation leaves it when the transfer ends,
     * or when this method throws and nothing is pending.
     */
    StreamTransfer queue(
            boolean write, CudaStream stream, DeviceMemory memory, long memoryOffset, long fileOffset, long length);

    /** Called when nothing uses the file any more. */
    void close();
}
