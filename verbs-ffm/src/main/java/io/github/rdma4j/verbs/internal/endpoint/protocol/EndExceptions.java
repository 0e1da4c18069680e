// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import io.github.rdma4j.verbs.VerbsException;

/** What {@link Protocol} throws after the end. The layer above has the exceptions that programs catch. */
public interface EndExceptions {
    /** The peer has closed. */
    VerbsException closedByPeer(String operation);

    /** The connection was lost; a new exception each time, so that its stack trace is the caller's. */
    VerbsException lost(String operation, Loss loss);
}
