// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The part of a stream-ordered transfer that reads or writes the file, chunk by chunk, as host functions in a thread of
 * the driver.
 */
final class StreamJob {
    private static final int INPUT_OUTPUT_ERROR = 5;

    private final OpenFile io;
    private final boolean write;
    private final long length;
    /** Held while a chunk is transferred. */
    private final ReentrantLock running = new ReentrantLock();
    /** Transferred bytes, or a negative errno. */
    private long result;
    /** Whether to skip the remaining chunks: after the end of the file, a failure or a cancellation. */
    private volatile boolean ended;

    StreamJob(OpenFile io, boolean write, long length) {
        this.io = io;
        this.write = write;
        this.length = length;
    }

    /** Skips the chunks that have not begun, and waits for the chunk that has. */
    void cancel() {
        ended = true;
        running.lock();
        running.unlock();
    }

    /**
     * Skips the chunks that have not begun. Returns whether no chunk is running: a lost context does not stop a host
     * function that has begun.
     */
    boolean stop() {
        ended = true;
        if (!running.tryLock()) {
            return false;
        }
        running.unlock();
        return true;
    }

    /** Transfers one chunk. */
    void run(long buffer, long offset, long part) {
        running.lock();
        try {
            if (ended) {
                return;
            }
            long done = write ? io.write(buffer, offset, part) : io.readKeeping(buffer, offset, part);
            if (done < 0) {
                result = done;
            } else {
                result += done;
            }
            ended |= done < part;
        } finally {
            running.unlock();
        }
    }

    /** Returns the result. Called when the stream has reached the end of the transfer. */
    long result() {
        running.lock();
        try {
            // After a context is lost, no host function begins.
            return ended || result == length ? result : -INPUT_OUTPUT_ERROR;
        } finally {
            running.unlock();
        }
    }
}
