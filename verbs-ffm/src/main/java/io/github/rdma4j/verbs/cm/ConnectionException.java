// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.VerbsException;

/**
 * A connection, a look-up or a multicast join that came to nothing: which step, what happened, and what to do about it.
 * An answer that did not come in time has the {@linkplain #errno() errno} ETIMEDOUT; whether the kernel or the caller's
 * own limit gave up, {@link #event()} tells.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class ConnectionException extends VerbsException {
    private static final long serialVersionUID = 1L;

    private final CmEventType event;

    /**
     * A step that failed.
     *
     * @param operation the call with its arguments
     * @param event what came instead of success; null if nothing came
     * @param errno a positive errno, or 0 where there is none
     * @param explanation what is known of the cause
     * @param remedy what can be done
     */
    ConnectionException(String operation, CmEventType event, int errno, String explanation, String remedy) {
        super(operation, errno, explanation, remedy);
        this.event = event;
    }

    /**
     * {@return what came instead of success; null if nothing came within the caller's time limit, if the peer gave up a
     * request before it was accepted, and on iWARP if the call itself failed}
     */
    public CmEventType event() {
        return event;
    }
}
