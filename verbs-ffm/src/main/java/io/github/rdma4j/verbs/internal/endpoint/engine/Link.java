// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import java.net.InetSocketAddress;
import java.util.Optional;

/** A connection and its connection manager. Used with the lock of {@link Engine} held. */
public interface Link {
    /** Why the connection has ended, as far as is known by now; never waits. */
    Optional<String> lost();

    /** {@return this side's address; empty if there is none} */
    Optional<InetSocketAddress> localAddress();

    /** {@return the peer's address; empty if there is none} */
    Optional<InetSocketAddress> peerAddress();

    /**
     * Ends the connection and closes everything that belongs to it alone, except memory. Call again to retry what
     * failed.
     */
    void close();

    /** Frees the memory that belongs to it. Call again to retry what failed. */
    void free();

    /** The addresses, for messages. */
    @Override
    String toString();
}
