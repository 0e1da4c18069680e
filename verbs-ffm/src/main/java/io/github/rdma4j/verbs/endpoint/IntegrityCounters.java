// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * The counts of an endpoint with {@link EndpointConfig#integrity}: {@link Endpoint#integrity()}.
 *
 * @param sent messages that this side sent with a checksum
 * @param intact messages that arrived with the right checksum
 * @param corrupt messages that arrived with a wrong checksum: 0, or 1 and the connection is lost
 * @since 0.1.0
 */
public record IntegrityCounters(long sent, long intact, long corrupt) {}
