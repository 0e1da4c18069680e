// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

/**
 * The limits that a queue pair of an mlx5 adapter was created with.
 *
 * @param maxSends the number of send requests that libmlx5 accepts; one less can be outstanding
 * @param maxInline the maximum number of inline bytes
 * @param signalAll whether each request makes a completion
 * @param atomics whether the device has atomic operations
 */
public record Mlx5Limits(int maxSends, int maxInline, boolean signalAll, boolean atomics) {}
