// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.stream.RunQueuePair;
import io.github.rdma4j.verbs.CompletionQueue;

/**
 * Where a loop posts requests and polls their completions.
 *
 * @param queuePair ready to send
 * @param completions the completion queue of its requests
 */
public record RequestQueues(RunQueuePair queuePair, CompletionQueue completions) {}
