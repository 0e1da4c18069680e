// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.time.Duration;

/**
 * A {@link Reconnector} has connected again. {@code lost} is open until the listener returns, so that what had arrived
 * can still be read ({@link Endpoint#poll}), and {@link Endpoint#counters} says which of its messages the peer has
 * read. Memory that it had exposed or allocated goes with it; the peer's handles of it, and those that the peer had
 * given, are void.
 *
 * @param endpoint the new connection, which nobody else has yet
 * @param lost the old one
 * @param reason why it had ended
 * @param sameServer whether it is the same {@link EndpointServer}; if not, its program was started again, or another
 *     one took its place, and nothing of what the old one knew may be relied upon
 * @param attempts how many it took, this one included
 * @param took from the first attempt on, with the pauses
 * @since 0.1.0
 */
public record Reconnection(
        Endpoint endpoint, Endpoint lost, String reason, boolean sameServer, int attempts, Duration took) {}
