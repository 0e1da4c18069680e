// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;

/**
 * The driver lacks a function, or the device lacks a feature that it needs. The caller can choose another path.
 *
 * @since 0.1.0
 */
public class UnsupportedCudaCallException extends CudaException {
    private static final long serialVersionUID = 1L;

    /**
     * A function that the driver does not have.
     *
     * @param function by name
     * @param since the version of CUDA that brought it, such as 12010
     * @param driver the version of the driver
     */
    public UnsupportedCudaCallException(String function, int since, int driver) {
        super(
                function,
                "CUDA_ERROR_NOT_FOUND",
                CudaHeaders.CUDA_ERROR_NOT_FOUND(),
                "not in this driver",
                "the function came with CUDA %s, the installed driver is of CUDA %s"
                        .formatted(text(since), text(driver)),
                since > driver ? "install a driver of CUDA " + text(since) + " or later" : "");
    }

    /**
     * Something that the device or the driver does not offer.
     *
     * @param call with its arguments
     * @param explanation what it does not offer
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
