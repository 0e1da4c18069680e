// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;

/**
 * Thrown when the driver lacks a function, or the device lacks a feature that it needs. The caller can choose another
 * path.
 *
 * @since 0.1.0
 */
public class UnsupportedCudaCallException extends CudaException {
    private static final long serialVersionUID = 1L;

    /**
     * The driver does not have a function.
     *
     * @param function its name
     * @param since the first version of CUDA with the function, such as 12010
     * @param driver the version of the driver
     */
    public UnsupportedCudaCallException(String function, int since, int driver) {
        super(
                function,
                "CUDA_ERROR_NOT_FOUND",
                CudaHeaders.CUDA_ERROR_NOT_FOUND(),
                "not in this driver",
                "the function needs CUDA %s, but the installed driver supports CUDA %s"
                        .formatted(text(since), text(driver)),
                since > driver ? "install a driver of CUDA " + text(since) + " or later" : "");
    }

    /**
     * The device or the driver does not support something.
     *
     * @param call with its arguments
     * @param explanation what is not supported
     */
    public UnsupportedCudaCallException(String call, String explanation) {
        super(
                call,
                "CUDA_ERROR_NOT_SUPPORTED",
                CudaHeaders.CUDA_ERROR_NOT_SUPPORTED(),
                "not supported",
                explanation,
                "");
    }

    private static String text(int version) {
        return new CudaVersion(version).toString();
    }
}
