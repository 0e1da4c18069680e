// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import java.time.Duration;

/**
 * Transfers through pinned host memory. While a chunk is copied between pinned and device memory, the next one is read
 * or the previous one written. Chunks begin at multiples of their size in the file, so that all except the first and
 * the last are whole blocks.
 */
final class StagedFileAccess implements FileAccess {
    private final GpuStorage storage;
    private final GpuFile file;
    private final OpenFile io;
    private final int chunkSize;
    private final Duration limit;

    StagedFileAccess(GpuStorage storage, GpuFile file, OpenFile io) {
        this.storage = storage;
        this.file = file;
        this.io = io;
        this.chunkSize = storage.config().chunkSize();
        this.limit = storage.config().timeout();
    }

    @Override
    public long transfer(boolean write, DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        return transfer(
                write,
                memory,
                memoryOffset,
                fileOffset,
                length,
                storage.config().threads());
    }

    /** Transfers with this thread alone, which is already one of several. */
    long transferAlone(boolean write, DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        return transfer(write, memory, memoryOffset, fileOffset, length, 1);
    }

    private long transfer(
            boolean write, DeviceMemory memory, long memoryOffset, long fileOffset, long length, int threads) {
        long firstChunk = fileOffset / chunkSize;
        long chunks = (fileOffset + length - 1) / chunkSize - firstChunk + 1;
        int lanes = (int) Math.min(threads, chunks);
        StagedTransfer transfer = new StagedTransfer(
                io, write, memory, memoryOffset, fileOffset, length, chunkSize, limit, file.toString());
        if (lanes == 1) {
            run(transfer, 0, 1);
        } else {
            storage.workers().share(lanes, lane -> run(transfer, lane, lanes));
        }
        return transfer.result();
    }

    private void run(StagedTransfer transfer, int lane, int lanes) {
        StagingLane staging = storage.lanes().take();
        boolean clean = false;
        try {
            clean = transfer.run(staging, lane, lanes);
        } finally {
            if (clean) {
                storage.lanes().giveBack(staging);
            } else {
                storage.lanes().abandon(staging);
            }
        }
    }

    /**
     * The order of the stream connects the steps: a copy to the stream's pinned chunk, a host function that reads or
     * writes the file, and a copy back. Before a read, the device memory is copied out, so that bytes after the end of
     * the file are copied back unchanged.
     */
    @Override
    public StreamTransfer queue(
            boolean write, CudaStream stream, DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        StreamJob job = new StreamJob(io, write, length);
        StreamChunk chunk = null;
        StreamTransfer transfer;
        try {
            StreamChunk entered = storage.streams().enterChunk(stream);
            chunk = entered;
            transfer = new StreamTransfer(
                    storage,
                    job::result,
                    job::stop,
                    () -> {
                        entered.exit();
                        file.exit();
                    },
                    "%s, stream-ordered(offset=%d, length=%d)".formatted(file, fileOffset, length));
        } catch (RuntimeException | Error e) {
            if (chunk != null) {
                chunk.exit();
            }
            file.exit();
            throw e;
        }
        try {
            // If two threads queue transfers in one stream, their steps must not mix.
            synchronized (chunk) {
                long end = fileOffset + length;
                for (long at = fileOffset; at < end; ) {
                    long part = Math.min(end, (at / chunkSize + 1) * chunkSize) - at;
                    chunk.queue(stream, job, memory, memoryOffset + at - fileOffset, at, part, write);
                    at += part;
                }
                transfer.record(stream);
            }
        } catch (RuntimeException e) {
            // From now on, no queued step may access the file; the copies write back the old contents.
            job.cancel();
            if (!transfer.awaitRest(stream, e)) {
                // The copies may still be in progress: keep the chunk, so that no other stream can use it.
                chunk.enter();
            }
            transfer.giveUp();
            throw e;
        }
        return transfer;
    }

    @Override
    public void close() {}
}
