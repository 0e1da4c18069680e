// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

/**
 * A call that cuFile refused with a status of its own.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class CuFileException extends StorageException {
    private static final long serialVersionUID = 1L;

    private final CuFileStatus status;
    private final int cudaResult;

    /**
     * A refused call.
     *
     * @param call with its arguments
     * @param code the number of the status
     * @param cudaResult what CUDA's driver said, if the status is {@link CuFileStatus#CUDA_DRIVER_ERROR}; else 0
     * @param transferred bytes from the beginning of the range that are certainly through
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

    /** {@return what CUDA's driver said; 0 if it was not asked} */
    public int cudaResult() {
        return cudaResult;
    }
}
