// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * Thrown when an object cannot be closed yet, because the device or another thread may still use it. Nothing was freed.
 * Close it again when the cause is gone. Until then it is open, unless the message says that it is closed to new uses.
 *
 * @since 0.1.0
 */
public class CudaCloseTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * The timeout of a close has passed.
     *
     * @param message what is not closed, why, and the remedy
     */
    public CudaCloseTimeoutException(String message) {
        super(message);
    }
}
