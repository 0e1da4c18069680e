// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.Errno;

/**
 * A {@link RegisteredMemoryPool} has no memory for an allocation, and may not, or cannot, register more.
 *
 * @since 0.1.0
 */
public final class PoolExhaustedException extends VerbsException {
    private static final long serialVersionUID = 1L;

    PoolExhaustedException(String operation, String explanation, String remedy, Throwable cause) {
        super(operation, Errno.ENOMEM, explanation, remedy);
        if (cause != null) {
            initCause(cause);
        }
    }
}
