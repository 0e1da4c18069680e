// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The protocol of endpoints: the handshake ({@link Hello}), the number that goes with each message ({@link Frame}), and
 * the state machine of one side ({@link Protocol}). It posts to a {@link Wire} and receives its events by {@link
 * WireEvents}. Queue pairs, sockets, locks and threads belong to the layer above, which also has the exceptions that
 * programs catch ({@link EndExceptions}). Not exported.
 */
package io.github.rdma4j.verbs.internal.endpoint.protocol;
