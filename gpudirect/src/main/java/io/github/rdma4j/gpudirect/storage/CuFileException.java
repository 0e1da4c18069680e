// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

/**
 * Thrown when cuFile refuses a call with a status of its own.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class CuFileException extends StorageException {
    private static final long serialVersionUID = 1L;

    private final CuFileStatus status;
    private final int cudaResult;

    /**
     * cuFile refused a call.
     *
     * @param call with its arguments
     * @param code the number of the status
     * @param cudaResult the CUDA driver's result if the status is {@link CuFileStatus#CUDA_DRIVER_ERROR}; otherwise 0
     * @param transferred bytes from the beginning of the range that were certainly transferred
     */
    public CuFileException(String call, int code, int cudaResult, long transferred) {
        super(
                call,
                code,
                CuFileStatus.name(code),
                CuFileStatus.of(code).explanation() + (cudaResult == 0 ? "" : ", CUresult " + cudaResult),
                CuFileStatus.of(code).remedy(),
                transferred);
        this.status = CuFileStatus.of(code);
        this.cudaResult = cudaResult;
    }

    /** {@return the status; {@link CuFileStatus#UNKNOWN} for a number that this library does not know} */
    public CuFileStatus status() {
        return status;
    }

    /** {@return the CUDA driver's result; 0 if it was not called} */
    public int cudaResult() {
        return cudaResult;
    }
}
