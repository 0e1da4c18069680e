// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * The attributes of a shared receive queue ({@code struct ibv_srq_attr}); from {@link SharedReceiveQueue#attributes()}.
 *
 * @param maxWorkRequests the number of receives that it holds, at least as many as requested
 * @param maxScatterGather the maximum number of slices of one receive, at least as many as requested
 * @param limit the number of receives below which it reports {@link AsyncEventType#SRQ_LIMIT_REACHED}; 0 for never, and
 *     after the event
 * @since 0.1.0
 */
public record SharedReceiveQueueAttributes(int maxWorkRequests, int maxScatterGather, int limit) {}
