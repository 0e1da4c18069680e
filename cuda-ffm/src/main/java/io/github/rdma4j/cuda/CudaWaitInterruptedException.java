// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * Thrown when a thread is interrupted while it waits for the device. Its interrupt flag is set; the work continues.
 *
 * @since 0.1.0
 */
public class CudaWaitInterruptedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * A wait was interrupted.
     *
     * @param what the wait, such as {@code waiting for a CUDA event}
     */
    public CudaWaitInterruptedException(String what) {
        super("interrupted while " + what);
    }
}
