// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * Thrown when there is not enough device memory or pinned memory.
 *
 * @since 0.1.0
 */
public class OutOfDeviceMemoryException extends CudaException {
    private static final long serialVersionUID = 1L;

    /**
     * There is not enough memory for a call.
     *
     * @param call with its arguments
     * @param resultName {@code CUDA_ERROR_OUT_OF_MEMORY}
     * @param result the number of the result
     * @param text the driver's text for the result
     * @param explanation how much memory there is, or an empty string
     * @param remedy what to do about it
     */
    public OutOfDeviceMemoryException(
            String call, String resultName, int result, String text, String explanation, String remedy) {
        super(call, resultName, result, text, explanation, remedy);
    }
}
