// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.plan;

import io.github.rdma4j.perftest.wire.SystemData;

/**
 * The positions of one stream's messages in its part of the buffer. Messages of up to half a page use consecutive
 * positions in a page, at least a cache line apart, so that neither side's memory system sees only one line.
 *
 * @param count the number of positions
 * @param step the distance between the beginnings of two positions, in bytes
 */
public record Slots(int count, long step) {
    /** Returns the slots of messages of one size. */
    public static Slots of(long size, SystemData layout) {
        long step = Math.ceilDiv(size, layout.cacheLineBytes()) * layout.cacheLineBytes();
        return new Slots(size <= layout.cycleBytes() / 2 ? (int) Math.max(1, layout.cycleBytes() / step) : 1, step);
    }
}
