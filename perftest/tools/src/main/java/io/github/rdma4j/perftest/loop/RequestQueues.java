// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.QueuePair;

/**
 * Where a loop posts requests and polls their completions.
 *
 * @param queuePair a connected queue pair
 * @param completions the completion queue of its requests
 * @param sharedReceiveQueue the target of an XRC queue pair's requests; -1 for other types
 */
public record RequestQueues(QueuePair queuePair, CompletionQueue completions, int sharedReceiveQueue) {}
