// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaCloseTimeoutException;

/** Whether a part of a communicator is open. It is so again where NCCL could not be told of its end. */
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
     * @param tell tells NCCL; after a {@link CudaCloseTimeoutException} the part is open as before, while one that NCCL
     *     refuses to take back is closed
     * @param forget has those forget the part who close it otherwise
     */
    void close(Runnable tell, Runnable forget) {
        if (!begin()) {
            return;
        }
        boolean told = true;
        try {
            tell.run();
        } catch (CudaCloseTimeoutException e) {
            told = false;
            reopen();
            throw e;
        } finally {
            if (told) {
                forget.run();
            }
        }
    }
}
