// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Endpoints over TCP: {@link TcpTransport} sends messages and requests as frames ({@link TcpFrame}) of one socket, and
 * serves the peer's transfers. Not exported.
 */
package io.github.rdma4j.verbs.internal.endpoint.tcp;
