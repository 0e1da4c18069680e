// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The protocol of endpoints: what they say at the beginning ({@link Hello}), what goes with each message ({@link
 * Frame}), and the state machine of one side ({@link Protocol}). It posts to a {@link Wire} and hears from it by {@link
 * WireEvents}; queue pairs, sockets, locks and threads belong to the floor above, which also has the exceptions that
 * programs catch ({@link EndExceptions}). Not exported.
 */
package io.github.rdma4j.verbs.internal.endpoint.protocol;
