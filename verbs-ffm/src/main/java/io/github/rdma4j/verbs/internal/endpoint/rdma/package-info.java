// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Endpoints over RDMA: the wire of a queue pair, with its receive buffers and its protection domain. {@link VerbsWire}
 * posts and reports completions, for an endpoint with queues of its own ({@link VerbsTransport}) and for others. Not
 * exported.
 */
package io.github.rdma4j.verbs.internal.endpoint.rdma;
