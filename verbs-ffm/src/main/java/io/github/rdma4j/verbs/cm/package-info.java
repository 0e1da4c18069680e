// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Connections by IP address and port: rdma_cm(7), librdmacm.
 *
 * <p>A {@link io.github.rdma4j.verbs.cm.ConnectionId} is comparable to a TCP socket. An
 * {@link io.github.rdma4j.verbs.cm.EventChannel} receives the events of many ids, by a blocking wait with a timeout, on
 * platform or virtual threads, or by an {@link io.github.rdma4j.verbs.EventSource event poller}. A
 * {@link io.github.rdma4j.verbs.cm.SynchronousId} is an id with its own channel, whose calls wait until their operation
 * has ended.
 *
 * <p>An address must belong to a network interface that has an RDMA device. {@code lo} has none, so 127.0.0.1 is
 * refused, both to connect to and to {@linkplain io.github.rdma4j.verbs.cm.ConnectionId#bind listen at}.
 *
 * <h2>Queue pairs</h2>
 *
 * <p>librdmacm can create a queue pair within an id and move it (rdma_create_qp(3)). This package does the same, but
 * with queue pairs of this library, of which librdmacm only has the number. So the id and the queue pair can be closed
 * in any order, and no native code accesses a closed queue pair.
 *
 * <h2>Errors</h2>
 *
 * <p>Calls that fail at once throw a {@link io.github.rdma4j.verbs.VerbsException}. A later failure is reported by an
 * event with an explanation or, if a call waits, by a {@link io.github.rdma4j.verbs.cm.ConnectionException}. A
 * {@link io.github.rdma4j.verbs.cm.ConnectionRejectedException} has the peer's reason and private data.
 */
package io.github.rdma4j.verbs.cm;
