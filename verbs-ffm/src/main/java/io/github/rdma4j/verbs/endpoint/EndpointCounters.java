// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * How many messages an endpoint has sent and received: {@link Endpoint#counters()}. They arrive in the order in which
 * they were sent, so when a connection is lost, these numbers say what became of them:
 *
 * <ul>
 *   <li>messages 1 to {@code taken} were read by the peer's program;
 *   <li>messages {@code taken + 1} to {@code sent} may have been read, or not;
 *   <li>what was not sent, such as a {@code sendAsync} that still waited, has not left. Its future fails.
 * </ul>
 *
 * <p>A peer that holds messages gives their credits back when it releases them, perhaps in another order; then {@code
 * taken} is how many, and not which.
 *
 * @param sent messages that were posted
 * @param taken of these, those that the peer is known to have done with: it has given back their credits, which it may
 *     do as late as half of its {@link EndpointConfig#receiveBuffers} messages later
 * @param received messages that have arrived, read or not
 * @since 0.1.0
 */
public record EndpointCounters(long sent, long taken, long received) {}
