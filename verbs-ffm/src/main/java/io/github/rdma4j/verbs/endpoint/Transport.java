// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * What carries an endpoint's messages and transfers. All of them look the same to the program; {@link
 * EndpointConfig#transport} chooses.
 *
 * @since 0.1.0
 */
public enum Transport {
    /** An RDMA adapter on each side. */
    RDMA,
    /**
     * A TCP connection, which needs neither an adapter nor the libraries of rdma-core. Transfers to and from exposed
     * memory are served by whatever thread of the peer's program is inside its endpoint.
     */
    TCP,
    /**
     * RDMA where it works, and else TCP. A server takes clients over both, at one port number. A client tries RDMA
     * first, for {@link EndpointConfig#rdmaTimeout} at most, and keeps it only if data that it writes to the server's
     * memory come back as they were; {@link Endpoint#transport()} says what was taken, and {@link
     * Endpoint#rdmaFailure()} why. A connection keeps its transport until its end; see {@link #RDMA_WITH_FAILOVER}.
     */
    RDMA_OR_TCP,
    /**
     * RDMA with TCP behind it, for as long as the connection lives: both sides keep a TCP connection, and whenever RDMA
     * fails, the pair goes on over TCP without losing, doubling or reordering a message, and moves back when RDMA works
     * again. {@link Endpoint#transport()} is what carries it now, {@link EndpointConfig#onMove} tells of each move. For
     * RoCE. Both sides must have chosen this; a server of this kind takes clients over {@link #TCP}, too.
     */
    RDMA_WITH_FAILOVER
}
