// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Endpoints that move between RDMA and TCP: {@link Mover} decides, {@link Outbox} keeps messages until the peer's
 * program has them, and {@link FailoverTransport} uses one transport or the other. Not exported.
 */
package io.github.rdma4j.verbs.internal.endpoint.failover;
