// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * There is not enough memory: of the device, or of pinned memory.
 *
 * @since 0.1.0
 */
public class OutOfDeviceMemoryException extends CudaException {
    private static final long serialVersionUID = 1L;

    /**
     * A call for which there was not enough memory.
     *
     * @param call with its arguments
     * @param resultName {@code CUDA_ERROR_OUT_OF_MEMORY}
     * @param result its number
     * @param text the driver's words for it
     * @param explanation how much there is, or an empty string
     * @param remedy what can be done about it
     */
    public OutOfDeviceMemoryException(
            String call, String resultName, int result, String text, String explanation, String remedy) {
        super(call, resultName, result, text, explanation, remedy);
    }
}
