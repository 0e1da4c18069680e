// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.bindings.ibv_recv_wr;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Native receives, filled in place: {@code struct ibv_recv_wr} with room for some scatter-gather entries each, linked in order.
 */
final class ReceiveRequests {
    private static final long WR_SIZE = ibv_recv_wr.sizeof();
    private static final long SGE_SIZE = ibv_sge.sizeof();
    private static final long WR_ID = ibv_recv_wr.wr_id$offset();
    private static final long NEXT = ibv_recv_wr.next$offset();
    private static final long SG_LIST = ibv_recv_wr.sg_list$offset();
    private static final long NUM_SGE = ibv_recv_wr.num_sge$offset();
    private static final long SGE_ADDRESS = ibv_sge.addr$offset();
    private static final long SGE_LENGTH = ibv_sge.length$offset();
    private static final long SGE_KEY = ibv_sge.lkey$offset();

    private final int capacity;
    private final long entriesSize;
    private final long address;
    private final long sgeBase;
    private final long badRequestBase;

    /** Of the global scope: callers are inside the guard of the queue that owns the arena. */
    private final MemorySegment memory;

    /**
     * Allocates.
     *
     * @param arena of the queue
     * @param capacity the requests
     * @param maxEntries the most scatter-gather entries of one
     */
    ReceiveRequests(Arena arena, int capacity, int maxEntries) {
        this.capacity = capacity;
        entriesSize = maxEntries * SGE_SIZE;
        sgeBase = capacity * WR_SIZE;
        badRequestBase = sgeBase + capacity * entriesSize;
        long size = badRequestBase + Long.BYTES;
        address = arena.allocate(size, Long.BYTES).address();
        memory = MemorySegment.ofAddress(address).reinterpret(size);
        for (int i = 0; i < capacity; i++) {
            memory.set(JAVA_LONG, i * WR_SIZE + SG_LIST, address + sgeBase + i * entriesSize);
            link(i);
        }
    }

    int capacity() {
        return capacity;
    }

    long address() {
        return address;
    }

    long badRequestAddress() {
        return address + badRequestBase;
    }

    /** To be called before each post: some drivers do not write the address of the refused request, and an old one would count. */
    void forgetBadRequest() {
        memory.set(JAVA_LONG, badRequestBase, 0L);
    }

    /** How many requests were accepted before the one that the last refused post named; 0 if the driver named none of them. */
    int acceptedBeforeRefusal(int posted) {
        long offset = memory.get(JAVA_LONG, badRequestBase) - address;
        boolean named = offset >= 0 && offset < posted * WR_SIZE && offset % WR_SIZE == 0;
        return named ? (int) (offset / WR_SIZE) : 0;
    }

    void fill(int index, long workRequestId, MemorySlice local) {
        head(index, workRequestId, 1);
        long sge = sgeBase + index * entriesSize;
        memory.set(JAVA_LONG, sge + SGE_ADDRESS, local.address());
        memory.set(JAVA_INT, sge + SGE_LENGTH, (int) local.length());
        memory.set(JAVA_INT, sge + SGE_KEY, local.localKey());
    }

    /** Fills a request with the entries of a list, which was checked not to have too many. */
    void fill(int index, long workRequestId, SliceList local) {
        head(index, workRequestId, local.size());
        local.copyTo(memory, sgeBase + index * entriesSize);
    }

    private void head(int index, long workRequestId, int entries) {
        memory.set(JAVA_LONG, index * WR_SIZE + WR_ID, workRequestId);
        memory.set(JAVA_INT, index * WR_SIZE + NUM_SGE, entries);
    }

    /** Makes the request the last of its list. */
    void cut(int index) {
        memory.set(JAVA_LONG, index * WR_SIZE + NEXT, 0L);
    }

    /** Links the request to the one behind it again; the last one has none. */
    void link(int index) {
        boolean last = index == capacity - 1;
        memory.set(JAVA_LONG, index * WR_SIZE + NEXT, last ? 0L : address + (index + 1) * WR_SIZE);
    }
}
