// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.stream;

import io.github.rdma4j.verbs.MemorySlice;

/**
 * The memory of one stream's messages as the adapter sees it, used in turn.
 *
 * @param slices their memory; a multiple of their positions in the buffer
 * @param passage the passage of the messages
 */
public record Lane(MemorySlice[] slices, Passage passage) {}
