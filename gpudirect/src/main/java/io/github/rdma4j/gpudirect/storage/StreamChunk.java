// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.HostMemory;

/** The pinned chunk of a stream. One is enough, because a stream uses it in order. */
final class StreamChunk implements AutoCloseable {
    private final HostMemory memory;
    private final long base;
    private int users;

    StreamChunk(CudaContext context, int chunkSize) {
        memory = context.allocateHost((long) chunkSize + OpenFile.MARGIN + OpenFile.BLOCK);
        base = StagingLane.alignment(memory);
    }

    synchronized void enter() {
        users++;
    }

    synchronized void exit() {
        users--;
    }

    /** Whether all work that uses it is complete. */
    synchronized boolean isIdle() {
        return users == 0;
    }

    void queue(
            CudaStream stream,
            StreamJob job,
            DeviceMemory device,
            long deviceOffset,
            long fileOffset,
            long length,
            boolean write) {
        long place = base + OpenFile.positionOf(fileOffset);
        long address = memory.segment().address() + base;
        stream.copyToHost(memory, place, device, deviceOffset, length);
        stream.callback(() -> job.run(address, fileOffset, length));
        if (!write) {
            stream.copyToDevice(device, deviceOffset, memory, place, length);
        }
    }

    @Override
    public void close() {
        memory.close();
    }
}
