// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.time.Duration;

/**
 * An endpoint of {@link Transport#RDMA_WITH_FAILOVER} has moved. Who keeps this keeps the endpoint and its buffers from
 * being collected: keep the transports and the reason.
 *
 * @param endpoint which one
 * @param from what carried it
 * @param to what carries it now
 * @param reason why
 * @param took from the moment in which this side began to move until it could send again
 * @since 0.1.0
 */
public record TransportMove(Endpoint endpoint, Transport from, Transport to, String reason, Duration took) {}
