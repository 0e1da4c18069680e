// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

/**
 * The part of a stream-ordered transfer that reads or writes the file, chunk by chunk, as host functions in a thread of
 * the driver.
 */
final class StreamJob {
    private static final int INPUT_OUTPUT_ERROR = 5;

    private final OpenFile io;
    private final boolean write;
    private final long length;
    /** Transferred bytes, or a negative errno. */
    private long result;
    /** Whether to skip the remaining chunks: after the end of the file, a failure or a cancellation. */
    private boolean ended;

    StreamJob(OpenFile io, boolean write, long length) {
        this.io = io;
        this.write = write;
        this.length = length;
    }

    /** Skips the chunks that have not begun. */
    synchronized void cancel() {
        ended = true;
    }

    /** Transfers one chunk. Holds the lock, so that no chunk runs after {@link #cancel} has returned. */
    synchronized void run(long buffer, long offset, long part) {
        if (ended) {
            return;
        }
        long done = write ? io.write(buffer, offset, part) : io.readKeeping(buffer, offset, part);
        if (done < 0) {
            result = done;
        } else {
            result += done;
        }
        ended = done < part;
    }

    /** Returns the result. Called when the stream has reached the end of the transfer. */
    synchronized long result() {
        // After a context is lost, host functions do not run.
        return ended || result == length ? result : -INPUT_OUTPUT_ERROR;
    }
}
