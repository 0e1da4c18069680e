// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.time.Duration;

/**
 * A new connection of a {@link Reconnector}. {@code lost} stays open until the listener returns, so that messages that
 * had arrived can still be read ({@link Endpoint#poll}), and {@link Endpoint#counters} returns how many of its messages
 * the peer has read. Memory that it had exposed or allocated is closed with it, and all handles of the old connection
 * are invalid.
 *
 * @param endpoint the new connection, which no other thread has yet
 * @param lost the old connection
 * @param reason why it ended
 * @param sameServer whether it is the same {@link EndpointServer}. If not, the program was restarted or replaced, and
 *     its state is unknown
 * @param attempts how many attempts it took, including this one
 * @param took the time since the first attempt, including pauses
 * @since 0.1.0
 */
public record Reconnection(
        Endpoint endpoint, Endpoint lost, String reason, boolean sameServer, int attempts, Duration took) {}
