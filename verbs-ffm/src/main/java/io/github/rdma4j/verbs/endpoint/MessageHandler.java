// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * What a program does with a message that {@link Endpoint#poll} or {@link Endpoint#receive} found.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface MessageHandler {
    /**
     * Called in the thread that polls, without any lock held: it may call the endpoint, and close it.
     *
     * @param message a view of the receive buffer, valid until this method returns; the peer then fills the buffer anew
     */
    void onMessage(Message message);
}
