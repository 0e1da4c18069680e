// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * What became of the clients of a server: {@link EndpointServer#counters()}.
 *
 * @param accepted that are endpoints now, or were
 * @param notAdmitted that {@link EndpointConfig#admission} has refused
 * @param incompatible that were no endpoints, spoke another version, or differed in {@link EndpointConfig#integrity}
 * @param gaveUp that left before they were connected, were not in time ({@link EndpointConfig#handshakeTimeout}), or
 *     were the oldest of too many that were at it
 * @since 0.1.0
 */
public record ServerCounters(long accepted, long notAdmitted, long incompatible, long gaveUp) {}
