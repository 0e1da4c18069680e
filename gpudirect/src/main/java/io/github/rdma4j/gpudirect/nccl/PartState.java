// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaCloseTimeoutException;

/**
 * The open or closed state of a part of a communicator. A part opens again if NCCL could not be called to release it.
 */
final class PartState {
    private boolean closed;

    synchronized boolean isClosed() {
        return closed;
    }

    private synchronized boolean begin() {
        boolean first = !closed;
        closed = true;
        return first;
    }

    private synchronized void reopen() {
        closed = false;
    }

    /**
     * Closes the part once.
     *
     * @param release calls NCCL. After a {@link CudaCloseTimeoutException}, the part is open again. A part that NCCL
     *     refuses to release counts as closed
     * @param forget removes the part from the lists of its owners
     */
    void close(Runnable release, Runnable forget) {
        if (!begin()) {
            return;
        }
        boolean released = true;
        try {
            release.run();
        } catch (CudaCloseTimeoutException e) {
            released = false;
            reopen();
            throw e;
        } finally {
            if (released) {
                forget.run();
            }
        }
    }
}
