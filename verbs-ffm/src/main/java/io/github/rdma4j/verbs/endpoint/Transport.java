// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * The transport of an endpoint's messages and transfers, chosen with {@link EndpointConfig#transport}.
 *
 * @since 0.1.0
 */
public enum Transport {
    /**
     * An RDMA adapter on each side. On an instance with an Elastic Fabric Adapter (EFA), the adapter's reliable
     * datagrams (SRD), whose addresses the two sides exchange over TCP; that connection stays open.
     */
    RDMA,
    /**
     * A TCP connection, which needs neither an adapter nor the libraries of rdma-core. Threads inside the peer's
     * endpoint serve transfers to and from exposed memory.
     */
    TCP,
    /**
     * RDMA where it works, otherwise TCP. A server accepts clients over both, at one port number. A client tries RDMA
     * first, for {@link EndpointConfig#rdmaTimeout} at most, and uses it only if it can read back what it wrote to the
     * server's memory. An EFA is used only if it has RDMA reads and writes. {@link Endpoint#transport()} returns the
     * transport, and {@link Endpoint#rdmaFailure()} why it is TCP. A connection keeps its transport; see {@link
     * #RDMA_WITH_FAILOVER}.
     */
    RDMA_OR_TCP,
    /**
     * RDMA with TCP as a backup for the life of the connection. Both sides keep a TCP connection. Whenever RDMA fails,
     * the connection continues over TCP without losing, duplicating or reordering a message, and moves back when RDMA
     * works again. {@link Endpoint#transport()} returns the current transport, and {@link EndpointConfig#onMove}
     * reports each move. For RoCE. Both sides must choose it, except that such a server also accepts clients over
     * {@link #TCP}.
     */
    RDMA_WITH_FAILOVER
}
