// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import java.util.Optional;

/**
 * Thrown for a failed transfer. {@link Transfer#bytesDone()} returns how many bytes were transferred before.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class GpuTransferException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final WorkCompletionStatus status;

    GpuTransferException(String message) {
        super(message);
        this.status = null;
    }

    GpuTransferException(String message, Throwable cause) {
        super(message + ": " + cause.getMessage(), cause);
        this.status = cause instanceof GpuTransferException transfer ? transfer.status : null;
    }

    GpuTransferException(String operation, WorkCompletion completion) {
        super(operation + " failed: " + completion.describe());
        this.status = completion.status();
    }

    /** {@return the status of the failed work request; empty if the adapter did not cause the failure} */
    public Optional<WorkCompletionStatus> status() {
        return Optional.ofNullable(status);
    }
}
