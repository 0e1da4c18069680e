// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * Handles a message that {@link Endpoint#poll} or {@link Endpoint#receive} found.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface MessageHandler {
    /**
     * Called in the polling thread, without a lock, so it may call and close the endpoint.
     *
     * @param message a view of the receive buffer, valid until this method returns; the peer then reuses the buffer
     */
    void onMessage(Message message);
}
