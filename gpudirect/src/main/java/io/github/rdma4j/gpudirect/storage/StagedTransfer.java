// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.DeviceMemory;
import java.time.Duration;

/** One staged read or write, by one lane or by several lanes that take turns with the chunks. */
final class StagedTransfer {
    private final OpenFile io;
    private final boolean write;
    private final DeviceMemory memory;
    private final long memoryOffset;
    private final long begin;
    private final int chunkSize;
    private final Duration limit;
    private final String file;
    private final long wholeEnd;
    /**
     * When all lanes are done, the bytes before this offset are transferred. The end of the file or a failure lowers
     * it.
     */
    private long end;

    private RuntimeException failure;
    private Error error;

    StagedTransfer(
            OpenFile io,
            boolean write,
            DeviceMemory memory,
            long memoryOffset,
            long fileOffset,
            long length,
            int chunkSize,
            Duration limit,
            String file) {
        this.io = io;
        this.write = write;
        this.memory = memory;
        this.memoryOffset = memoryOffset;
        this.begin = fileOffset;
        this.end = fileOffset + length;
        this.wholeEnd = end;
        this.chunkSize = chunkSize;
        this.limit = limit;
        this.file = file;
    }

    /**
     * Transfers the chunks of a lane.
     *
     * @param first the number of the lane and of its first chunk
     * @param step the number of lanes
     * @return whether none of its copies is in progress any more
     */
    boolean run(StagingLane lane, int first, int step) {
        boolean clean = false;
        try {
            if (write) {
                write(lane, first, step);
            } else {
                read(lane, first, step);
            }
            clean = lane.drain(limit);
            if (!clean) {
                fail(begin, Failures.timeout(describe(begin, end - begin), limit, 0));
            }
        } catch (RuntimeException e) {
            fail(begin, e);
        } catch (Error e) {
            keep(e);
        } finally {
            if (!clean) {
                clean = lane.settle(limit);
            }
        }
        return clean;
    }

    private void read(StagingLane lane, int first, int step) {
        int slot = 0;
        for (long chunk = begin / chunkSize + first; start(chunk) < end(); chunk += step) {
            long start = start(chunk);
            long length = lengthOf(chunk);
            if (!lane.await(slot, limit)) {
                fail(start, Failures.timeout(describe(start, length), limit, start - begin));
                return;
            }
            if (!copied(lane, slot, start, length)) {
                return;
            }
            long next = start(chunk + step);
            io.willNeed(next, Math.min(chunkSize, wholeEnd - next));
            slot = (slot + 1) % lane.slots();
        }
    }

    /** Reads a chunk and queues its copy. Returns false at the end of the file. */
    private boolean copied(StagingLane lane, int slot, long start, long length) {
        long got = io.read(lane.address(slot), start, length);
        if (got < 0) {
            fail(start, Failures.of(-got, describe(start, length), start - begin));
            return false;
        }
        if (got > 0) {
            lane.toDevice(slot, memory, memoryOffset + start - begin, start, got);
        }
        if (got < length) {
            pullBack(start + got);
            return false;
        }
        return true;
    }

    /** Copies are ahead of the file by as many chunks as there are slots. */
    private void write(StagingLane lane, int first, int step) {
        long next = begin / chunkSize + first;
        long ahead = next;
        int slot = 0;
        while (start(next) < end()) {
            for (; ahead < next + (long) lane.slots() * step && start(ahead) < end(); ahead += step) {
                long start = start(ahead);
                int free = (int) ((ahead - first - begin / chunkSize) / step % lane.slots());
                lane.toHost(free, memory, memoryOffset + start - begin, start, lengthOf(ahead));
            }
            long start = start(next);
            long length = lengthOf(next);
            if (!lane.await(slot, limit)) {
                fail(start, Failures.timeout(describe(start, length), limit, start - begin));
                return;
            }
            long result = io.write(lane.address(slot), start, length);
            if (result < 0) {
                fail(start, Failures.of(-result, describe(start, length), start - begin));
                return;
            }
            next += step;
            slot = (slot + 1) % lane.slots();
        }
    }

    private long lengthOf(long chunk) {
        return Math.min(wholeEnd, (chunk + 1) * chunkSize) - start(chunk);
    }

    private long start(long chunk) {
        return Math.max(begin, chunk * chunkSize);
    }

    private synchronized long end() {
        return end;
    }

    private synchronized void pullBack(long to) {
        end = Math.min(end, to);
    }

    /** Keeps the failure with the lowest offset in the file. */
    private synchronized void fail(long at, RuntimeException e) {
        if (failure == null || at < end) {
            if (failure != null) {
                e.addSuppressed(failure);
            }
            failure = e;
        } else {
            failure.addSuppressed(e);
        }
        end = Math.min(end, at);
    }

    private synchronized void keep(Error e) {
        error = e;
        end = begin;
    }

    /** Returns how many bytes were transferred. Called when all lanes are done. */
    synchronized long result() {
        if (error != null) {
            throw error;
        }
        if (failure != null) {
            throw failure;
        }
        return end - begin;
    }

    private String describe(long offset, long length) {
        return "%s(%s, offset=%d, length=%d)".formatted(write ? "pwrite" : "pread", file, offset, length);
    }
}
