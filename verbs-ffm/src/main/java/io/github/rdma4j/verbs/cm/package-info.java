// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Connections by IP address and port: rdma_cm(7), librdmacm.
 *
 * <p>A {@link io.github.rdma4j.verbs.cm.ConnectionId} is what a socket is to TCP, and an
 * {@link io.github.rdma4j.verbs.cm.EventChannel} is where the events of many of them arrive: for a blocking wait with a
 * timeout, on platform or virtual threads, or by an {@link io.github.rdma4j.verbs.EventSource event poller}. A
 * {@link io.github.rdma4j.verbs.cm.SynchronousId} is an id with a channel of its own, whose calls wait for the end of
 * what they begin.
 *
 * <p>Addresses are those of network interfaces that have an RDMA device; {@code lo} has none, so 127.0.0.1 is refused,
 * to connect to and to {@linkplain io.github.rdma4j.verbs.cm.ConnectionId#bind listen at}.
 *
 * <h2>Queue pairs</h2>
 *
 * librdmacm can create a queue pair within an id and move it by itself (rdma_create_qp(3)). This package does what
 * librdmacm does, but on queue pairs of this library, which librdmacm only knows by their number: so the id and the
 * queue pair can be closed in any order, and no native code touches a queue pair that is gone.
 *
 * <h2>Errors</h2>
 *
 * Calls that fail at once throw a {@link io.github.rdma4j.verbs.VerbsException}. What fails later is an event with an
 * explanation, or, where a call waits, a {@link io.github.rdma4j.verbs.cm.ConnectionException}: with the peer's reason
 * and private data if it is a {@link io.github.rdma4j.verbs.cm.ConnectionRejectedException}.
 */
package io.github.rdma4j.verbs.cm;
