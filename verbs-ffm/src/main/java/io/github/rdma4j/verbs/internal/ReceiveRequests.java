// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static io.github.rdma4j.verbs.internal.NativeMemory.putInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;

import io.github.rdma4j.verbs.bindings.ibv_recv_wr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Native receives that are filled in place: {@code struct ibv_recv_wr}, each with space for some scatter-gather
 * entries, linked in order.
 */
public final class ReceiveRequests extends LinkedRequests {
    private static final long WR_SIZE = ibv_recv_wr.sizeof();

    /** The offset of a request's entries, {@code struct ibv_sge}, which follow it. */
    public static final long ENTRIES = WR_SIZE;

    /**
     * Allocates.
     *
     * @param arena an automatic arena, or one that is closed when no thread can be in a method of this object
     * @param capacity the number of receives, at most {@link #MAX_CAPACITY}
     * @param maxEntries the maximum number of scatter-gather entries of one
     */
    public ReceiveRequests(Arena arena, int capacity, int maxEntries) {
        super(arena, WR_SIZE, capacity, maxEntries);
    }

    /** Fills a receive with one entry. */
    public void fill(int index, long workRequestId, long room, long lengthAndKey) {
        long wr = request(index);
        head(wr, workRequestId, 1);
        putLong(wr + WR_SIZE + SGE_ADDRESS, room);
        putLong(wr + WR_SIZE + SGE_LENGTH, lengthAndKey);
    }

    /** Fills a receive with several entries, {@code struct ibv_sge}; their number was checked. */
    public void fill(int index, long workRequestId, MemorySegment entries, int count) {
        head(request(index), workRequestId, count);
        copyEntries(index, WR_SIZE, entries, count);
    }

    private static void head(long wr, long workRequestId, int entries) {
        putLong(wr + WR_ID, workRequestId);
        putInt(wr + NUM_SGE, entries);
    }

    // Setters of single fields, which a prepared receive changes between its posts.

    /** Sets address and length of the first entry. */
    public void local(int index, long address, int length) {
        long wr = request(index);
        putLong(wr + WR_SIZE + SGE_ADDRESS, address);
        putInt(wr + WR_SIZE + SGE_LENGTH, length);
    }
}
