// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * What a shared receive queue is ({@code struct ibv_srq_attr}); from {@link SharedReceiveQueue#attributes()}.
 *
 * @param maxWorkRequests the receives that it holds, at least what was asked for
 * @param maxScatterGather the most slices of one receive, at least what was asked for
 * @param limit below how many receives it raises {@link AsyncEventType#SRQ_LIMIT_REACHED}; 0 for never, and again once
 *     it has
 * @since 0.1.0
 */
public record SharedReceiveQueueAttributes(int maxWorkRequests, int maxScatterGather, int limit) {}
