// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.stream;

import io.github.rdma4j.verbs.MemorySlice;

/**
 * The messages of one stream as the adapter sees them, used one after the other and then from the first again.
 *
 * @param slices where they are; a multiple of the places that they have in the buffer
 * @param passage what they go through
 */
public record Lane(MemorySlice[] slices, Passage passage) {}
