// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * Thrown after a callback of a stream has thrown an exception, which is the cause. Exceptions of other callbacks are
 * suppressed in the cause.
 *
 * @since 0.1.0
 */
public class CudaCallbackException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * A callback has thrown an exception.
     *
     * @param cause the exception of the callback
     */
    public CudaCallbackException(Throwable cause) {
        super("a callback of a CUDA stream has thrown " + cause, cause);
    }
}
