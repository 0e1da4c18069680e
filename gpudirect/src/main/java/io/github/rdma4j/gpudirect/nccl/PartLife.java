// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaCloseTimeoutException;

/** Whether a part of a communicator is open. It opens again if its end could not be passed to NCCL. */
final class PartLife {
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
     * Closes the part, once.
     *
     * @param release calls NCCL; after a {@link CudaCloseTimeoutException} the part is open as before. A part that NCCL
     *     refuses to release counts as closed
     * @param forget has those forget the part who close it otherwise
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
