// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * A connected queue pair with its surroundings, and whoever connected it. Used with the lock of {@link Engine} held.
 */
interface Link {
    ProtectionDomain domain();

    QueuePair queuePair();

    /** Where both sends and receives complete; announces to {@link #channel()}. Null in a group. */
    CompletionQueue queue();

    CompletionChannel channel();

    /** What is ready when {@link #lost()} may have something to say; null if there is no such thing. */
    EventSource events();

    /** Why the connection has ended, as far as the connection manager knows by now; never waits. */
    Optional<String> lost();

    /** This side's address; empty if there is none. */
    Optional<InetSocketAddress> localAddress();

    /** The peer's address; empty if there is none. */
    Optional<InetSocketAddress> peerAddress();

    /**
     * Ends the connection and closes everything that belongs to it alone, but for memory. What fails is tried again by
     * another call.
     */
    void close();

    /** Frees the memory that belongs to it. What fails is tried again by another call. */
    void free();

    /** The addresses, for messages. */
    @Override
    String toString();
}
