// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.VerbsException;

/**
 * A connection, a lookup or a multicast join failed; the message has the step, the cause and the remedy. If a response
 * did not arrive in time, the {@linkplain #errno() errno} is ETIMEDOUT; {@link #event()} says whether the kernel or the
 * caller's timeout ended the wait.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class ConnectionException extends VerbsException {
    private static final long serialVersionUID = 1L;

    private final CmEventType event;

    /**
     * Creates an exception for a step that failed.
     *
     * @param operation the call with its arguments
     * @param event the event that arrived instead of success; null if none arrived
     * @param errno a positive errno, or 0 if there is none
     * @param explanation the cause
     * @param remedy what to do
     */
    ConnectionException(String operation, CmEventType event, int errno, String explanation, String remedy) {
        super(operation, errno, explanation, remedy);
        this.event = event;
    }

    /**
     * {@return the event that arrived instead of success; null if none arrived within the caller's timeout, if the peer
     * gave up a request before it was accepted, and on iWARP if the call itself failed}
     */
    public CmEventType event() {
        return event;
    }
}
