// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

/** What a stream does with a file, chunk after chunk; the functions are called by a thread of the driver. */
final class StreamJob {
    private static final int INPUT_OUTPUT_ERROR = 5;

    private final OpenFile io;
    private final boolean write;
    private final long length;
    /** Bytes that are through, or a negative errno. */
    private long result;
    /** Nothing more is done: the end of the file, a failure, or it was taken back. */
    private boolean over;

    StreamJob(OpenFile io, boolean write, long length) {
        this.io = io;
        this.write = write;
        this.length = length;
    }

    /** Takes back what has not begun. */
    synchronized void cancel() {
        over = true;
    }

    /** Does one chunk. Under the lock, so that a {@link #cancel} that has returned is one. */
    synchronized void run(long buffer, long offset, long part) {
        if (over) {
            return;
        }
        long done = write ? io.write(buffer, offset, part) : io.readKeeping(buffer, offset, part);
        if (done < 0) {
            result = done;
        } else {
            result += done;
        }
        over = done < part;
    }

    /** When the stream is as far. */
    synchronized long result() {
        // A lost context calls no functions any more.
        return over || result == length ? result : -INPUT_OUTPUT_ERROR;
    }
}
