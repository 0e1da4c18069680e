// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The engine of an endpoint, below every transport: the lock, waits and visits of threads ({@link Engine}), the
 * interface to a transport ({@link EndpointTransport}), send buffers, and the table of exposed memory. {@link
 * EndpointAccess} is the door to the members of exported types that programs must not use. Not exported.
 */
package io.github.rdma4j.verbs.internal.endpoint.engine;
