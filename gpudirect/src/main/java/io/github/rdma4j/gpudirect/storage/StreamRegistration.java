// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.CudaStream;

/**
 * A stream that is registered with cuFile. It is closed before the stream. A thread that queues a transfer holds its
 * lock, so that a close sees each queued transfer either with its event recorded or in the list of pending transfers.
 */
final class StreamRegistration implements AutoCloseable {
    private final CudaStream stream;
    private final StreamStore store;
    /** Deregisters the stream from cuFile; called once. */
    private final Runnable deregistration;

    private boolean closed;

    StreamRegistration(CudaStream stream, StreamStore store, Runnable deregistration) {
        this.stream = stream;
        this.store = store;
        this.deregistration = deregistration;
    }

    CudaStream stream() {
        return stream;
    }

    /** Called with the lock. */
    void requireOpen() {
        if (closed) {
            throw new IllegalStateException(stream + " is closed");
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        store.stopFollowing(stream);
        closed = true;
        store.remove(this);
        store.poll();
        deregistration.run();
    }
}
