// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import java.time.Duration;

/**
 * A transfer did not complete in time. If it still waited for its turn, it is withdrawn. Otherwise it is under way: do
 * not use its local memory until the endpoint is closed or everything that was posted after it has completed.
 *
 * @since 0.1.0
 */
public final class TransferTimeoutException extends EndpointException {
    private static final long serialVersionUID = 1L;

    /**
     * A transfer that is late.
     *
     * @param why what is known of the reason ({@link EndpointTransport#whyLate}); null for nothing
     */
    TransferTimeoutException(String operation, Duration timeout, String why) {
        super(
                operation,
                "not done within %s%s; if it had begun, it goes on"
                        .formatted(TimeText.of(timeout), why == null ? "" : ": " + why),
                why == null
                        ? "wait longer, or close the endpoint"
                        : "have a thread of the peer's program wait in its endpoint, or run Endpoint.progressLoop there;"
                                + " or wait longer");
    }
}
