// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

/**
 * What a queue pair of an mlx5 adapter was created with, beside its memory.
 *
 * @param maxSends how many requests for sending libmlx5 takes; one less than that can wait
 * @param maxInline the most bytes of a request's own
 * @param signalAll whether each request completes visibly
 * @param atomics whether the device has atomic operations
 */
public record Mlx5Limits(int maxSends, int maxInline, boolean signalAll, boolean atomics) {}
