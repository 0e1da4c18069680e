// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * Something cannot be closed yet: the device may still use it, or another thread does. Nothing was freed under them.
 * Close it again when the cause is gone. Until then it is open as before, unless the message says that it is closed to
 * new uses.
 *
 * @since 0.1.0
 */
public class CudaCloseTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * A close whose time was over.
     *
     * @param message what is not closed, why, and the remedy
     */
    public CudaCloseTimeoutException(String message) {
        super(message);
    }
}
