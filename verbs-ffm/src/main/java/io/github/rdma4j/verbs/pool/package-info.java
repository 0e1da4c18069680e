// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * A pool of registered memory: {@link io.github.rdma4j.verbs.pool.RegisteredMemoryPool}.
 */
package io.github.rdma4j.verbs.pool;
