// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.base.Remedies;

/**
 * Thrown when NCCL refuses a call, or when earlier work of a communicator has failed. After the latter, the
 * communicator can only be aborted, which its {@code close()} does.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class NcclException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final NcclStatus status;
    private final String lastError;
    private final String remedy;

    /**
     * NCCL refused a call.
     *
     * @param call with its arguments
     * @param result NCCL's result
     * @param lastError the text of ncclGetLastError, or an empty string
     */
    public NcclException(String call, int result, String lastError) {
        this(
                call,
                NcclStatus.of(result),
                result,
                lastError,
                NcclStatus.of(result).remedy());
    }

    NcclException(String call, NcclStatus status, int result, String lastError, String remedy) {
        super(Remedies.append(
                call + " failed: " + status.nativeName() + " " + result + " (" + status.explanation() + ")"
                        + (lastError.isEmpty() ? "" : ". NCCL says: " + lastError),
                remedy));
        this.call = call;
        this.status = status;
        this.lastError = lastError;
        this.remedy = remedy;
    }

    /** {@return the call that failed, with its arguments} */
    public String call() {
        return call;
    }

    /** {@return the status; {@link NcclStatus#UNKNOWN} for a number that this library does not know} */
    public NcclStatus status() {
        return status;
    }

    /** {@return the text of ncclGetLastError, which may concern another call; an empty string if there is none} */
    public String lastError() {
        return lastError;
    }

    /** {@return the remedy; an empty string if none is known} */
    public String remedy() {
        return remedy;
    }
}
