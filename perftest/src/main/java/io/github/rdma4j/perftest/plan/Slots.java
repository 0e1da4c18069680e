// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.plan;

import io.github.rdma4j.perftest.wire.SystemData;

/**
 * Where the messages of one stream lie in its part of the buffer. Up to half a page they go through the page one after
 * the other, a cache line or more apart, so that neither side's memory system sees one line only.
 *
 * @param count how many places there are
 * @param step from the beginning of one to the beginning of the next, in bytes
 */
public record Slots(int count, long step) {
    /** Places of messages of one size. */
    public static Slots of(long size, SystemData layout) {
        long step = Math.ceilDiv(size, layout.cacheLineBytes()) * layout.cacheLineBytes();
        return new Slots(size <= layout.cycleBytes() / 2 ? (int) Math.max(1, layout.cycleBytes() / step) : 1, step);
    }
}
