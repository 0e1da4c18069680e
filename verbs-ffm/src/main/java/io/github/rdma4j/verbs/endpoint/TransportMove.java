// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.time.Duration;

/**
 * A move of an endpoint with {@link Transport#RDMA_WITH_FAILOVER} to another transport. Keeping this object keeps the
 * endpoint and its buffers reachable; keep the transports and the reason instead.
 *
 * @param endpoint the endpoint
 * @param from the previous transport
 * @param to the current transport
 * @param reason why it moved
 * @param took from the start of the move on this side until it could send again
 * @since 0.1.0
 */
public record TransportMove(Endpoint endpoint, Transport from, Transport to, String reason, Duration took) {}
