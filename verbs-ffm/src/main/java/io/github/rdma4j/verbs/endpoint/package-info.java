// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Endpoints: connections with messages, flow control and remote memory, for programs that want RDMA and not its details.
 */
package io.github.rdma4j.verbs.endpoint;
