// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.TimeText;
import java.time.Duration;

/**
 * A transfer was not done in time. If it still waited for its turn, it never begins. Otherwise it is under way: its
 * local memory belongs to the adapter until the endpoint is closed or everything else that was posted after it is done.
 *
 * @since 0.1.0
 */
public final class TransferTimeoutException extends EndpointException {
    private static final long serialVersionUID = 1L;

    TransferTimeoutException(String operation, Duration timeout) {
        super(
                operation,
                "not done within " + TimeText.of(timeout) + "; if it had begun, it goes on",
                "wait longer, or close the endpoint");
    }
}
