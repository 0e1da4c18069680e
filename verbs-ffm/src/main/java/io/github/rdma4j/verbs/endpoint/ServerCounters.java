// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * The counts of a server's clients: {@link EndpointServer#counters()}.
 *
 * @param accepted clients that became endpoints
 * @param notAdmitted clients that {@link EndpointConfig#admission} refused
 * @param incompatible clients that were not endpoints, spoke another version, or differed in {@link
 *     EndpointConfig#integrity}
 * @param gaveUp clients that left before they were connected, were too slow ({@link EndpointConfig#handshakeTimeout}),
 *     or were the oldest of too many incomplete ones
 * @since 0.1.0
 */
public record ServerCounters(long accepted, long notAdmitted, long incompatible, long gaveUp) {}
