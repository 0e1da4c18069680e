// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.CudaStream;

/**
 * A stream that cuFile knows. It is closed before the stream, and whoever queues holds its lock: so a transfer that was
 * queued always gets its event behind it, or is taken note of.
 */
final class StreamRegistration implements AutoCloseable {
    private final CudaStream stream;
    private final StreamStore store;
    /** Takes it back from cuFile; called once. */
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

    /** With the lock held. */
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
        store.look();
        deregistration.run();
    }
}
