// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.base.Remedies;
import io.github.rdma4j.verbs.WorkCompletionStatus;

/**
 * A work request failed. The exception has the status, the usual cause and what to do. The connection is lost, except
 * when an atomic operation was under way while an endpoint with failover left RDMA.
 *
 * @serial exclude
 * @since 0.1.0
 */
public final class TransferException extends EndpointException {
    private static final long serialVersionUID = 1L;

    private final WorkCompletionStatus status;
    private final int vendorError;

    /**
     * A failed request.
     *
     * @param description what {@link io.github.rdma4j.verbs.WorkCompletion#describe} says
     */
    TransferException(String operation, WorkCompletionStatus status, int vendorError, String description) {
        super(operation, Remedies.without(description, status.remedy()), status.remedy());
        this.status = status;
        this.vendorError = vendorError;
    }

    /** A transfer whose outcome is unknown. */
    TransferException(String operation, WorkCompletionStatus status, String cause, String remedy) {
        super(operation, cause, remedy);
        this.status = status;
        this.vendorError = 0;
    }

    /**
     * {@return how the request ended; {@link WorkCompletionStatus#SUCCESS} if the adapter says so, but has not
     * delivered the value of an atomic operation; {@link WorkCompletionStatus#UNKNOWN} if an endpoint with failover has
     * left RDMA meanwhile}
     */
    public WorkCompletionStatus status() {
        return status;
    }

    /** {@return the adapter vendor's error code; 0 where there is none} */
    public int vendorError() {
        return vendorError;
    }
}
