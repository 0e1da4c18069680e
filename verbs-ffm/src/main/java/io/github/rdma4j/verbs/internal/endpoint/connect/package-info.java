// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Connections of endpoints: a client connects ({@link Connector}), a server accepts ({@link Acceptor}), and both agree
 * in a handshake. This package is above all transports. Not exported.
 */
package io.github.rdma4j.verbs.internal.endpoint.connect;
