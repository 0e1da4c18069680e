// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * How many messages an endpoint has sent and received: {@link Endpoint#counters()}. Messages arrive in the order in
 * which they were sent, so after a connection is lost:
 *
 * <ul>
 *   <li>messages 1 to {@code readByPeer} were read by the peer's program;
 *   <li>messages {@code readByPeer + 1} to {@code sent} may or may not have been read;
 *   <li>messages that were not posted, such as a {@code sendAsync} that still waited, were not sent. Their futures
 *   fail.
 * </ul>
 *
 * <p>If the peer holds messages, it may release them in another order. Then {@code readByPeer} is a number of messages,
 * but does not say which.
 *
 * @param sent messages that were posted
 * @param readByPeer messages of these whose credits the peer has returned; it may lag behind by half of the peer's
 *     {@link EndpointConfig#receiveBuffers}
 * @param received messages that have arrived, read or not
 * @since 0.1.0
 */
public record EndpointCounters(long sent, long readByPeer, long received) {}
