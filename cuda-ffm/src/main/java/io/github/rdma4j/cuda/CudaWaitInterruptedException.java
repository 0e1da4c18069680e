// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * A thread was interrupted while it waited for the device. Its interrupt status is set; what it waited for goes on.
 *
 * @since 0.1.0
 */
public class CudaWaitInterruptedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * An interrupted wait.
     *
     * @param what it was
     */
    public CudaWaitInterruptedException(String what) {
        super("interrupted while " + what);
    }
}
