// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * What an endpoint with {@link EndpointConfig#integrity} has counted: {@link Endpoint#integrity()}.
 *
 * @param sent messages that this side has put a sum behind
 * @param intact messages that have come and whose sum was right
 * @param corrupt messages whose sum was wrong: 0, or 1 and the connection is lost
 * @since 0.1.0
 */
public record IntegrityCounters(long sent, long intact, long corrupt) {}
