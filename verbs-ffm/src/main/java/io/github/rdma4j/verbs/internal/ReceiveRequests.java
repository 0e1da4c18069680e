// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static io.github.rdma4j.verbs.internal.NativeMemory.putInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;

import io.github.rdma4j.verbs.bindings.ibv_recv_wr;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Native receives, filled in place: {@code struct ibv_recv_wr} with room for some scatter-gather entries each, linked
 * in order.
 */
public final class ReceiveRequests {
    private static final long WR_SIZE = ibv_recv_wr.sizeof();
    private static final long SGE_SIZE = ibv_sge.sizeof();
    private static final long WR_ID = ibv_recv_wr.wr_id$offset();
    private static final long NEXT = ibv_recv_wr.next$offset();
    private static final long SG_LIST = ibv_recv_wr.sg_list$offset();
    private static final long NUM_SGE = ibv_recv_wr.num_sge$offset();
    private static final long SGE_ADDRESS = ibv_sge.addr$offset();
    private static final long SGE_LENGTH = ibv_sge.length$offset();

    /**
     * The most receives. The index in {@link #request} is masked with it less one, which bounds it where the compiler
     * sees it.
     */
    public static final int MAX_CAPACITY = 256;

    /** Where the entries of a request stand, {@code struct ibv_sge}: behind it. */
    public static final long ENTRIES = WR_SIZE;

    private static final long MAX_STRIDE = 0xffff;

    private final int capacity;
    private final long stride;
    private final long address;
    private final long badRequest;

    /**
     * Each receive with its entries behind it, then the address of the refused one. Held so that it lives as long as
     * this.
     */
    private final MemorySegment memory;

    /**
     * Allocates.
     *
     * @param arena an automatic one, or one that is closed when no thread can be in a method of this object any more
     * @param capacity the receives, at most {@link #MAX_CAPACITY}
     * @param maxEntries the most scatter-gather entries of one
     */
    public ReceiveRequests(Arena arena, int capacity, int maxEntries) {
        this.capacity = Objects.checkIndex(capacity, MAX_CAPACITY + 1);
        stride = Objects.checkIndex(WR_SIZE + maxEntries * SGE_SIZE, MAX_STRIDE);
        memory = arena.allocate(capacity * stride + Long.BYTES, Long.BYTES);
        address = memory.address();
        badRequest = address + capacity * stride;
        for (int i = 0; i < capacity; i++) {
            putLong(request(i) + SG_LIST, request(i) + WR_SIZE);
            link(i);
        }
    }

    private long request(int index) {
        return NativeMemory.structure(address) + (index & MAX_CAPACITY - 1) * (stride & MAX_STRIDE);
    }

    /** {@return how many requests there is room for} */
    public int capacity() {
        return capacity;
    }

    /** {@return where the first request is} */
    public long address() {
        return address;
    }

    /** {@return where the driver names the request that it refused} */
    public long badRequestAddress() {
        return badRequest;
    }

    /**
     * To be called before each post: some drivers do not write the address of the refused request, and an old one would
     * count.
     */
    public void forgetBadRequest() {
        putLong(NativeMemory.structure(badRequest), 0L);
    }

    /**
     * How many requests were accepted before the one that the last refused post named; 0 if the driver named none of
     * them.
     */
    public int acceptedBeforeRefusal(int posted) {
        long offset = NativeMemory.getLong(NativeMemory.structure(badRequest)) - address;
        boolean named = offset >= 0 && offset < posted * stride && offset % stride == 0;
        return named ? (int) (offset / stride) : 0;
    }

    /** Fills a receive with one entry. */
    public void fill(int index, long workRequestId, long room, long lengthAndKey) {
        long wr = request(index);
        head(wr, workRequestId, 1);
        putLong(wr + WR_SIZE + SGE_ADDRESS, room);
        putLong(wr + WR_SIZE + SGE_LENGTH, lengthAndKey);
    }

    /** Fills a receive with several entries, {@code struct ibv_sge}, whose number was checked not to be too great. */
    public void fill(int index, long workRequestId, MemorySegment entries, int count) {
        head(request(index), workRequestId, count);
        MemorySegment.copy(entries, 0, memory, index * stride + WR_SIZE, count * SGE_SIZE);
    }

    private static void head(long wr, long workRequestId, int entries) {
        putLong(wr + WR_ID, workRequestId);
        putInt(wr + NUM_SGE, entries);
    }

    // One field each: what a prepared receive changes between its posts.

    public void workRequestId(int index, long workRequestId) {
        putLong(request(index) + WR_ID, workRequestId);
    }

    /** Of the first entry. */
    public void local(int index, long address, int length) {
        long wr = request(index);
        putLong(wr + WR_SIZE + SGE_ADDRESS, address);
        putInt(wr + WR_SIZE + SGE_LENGTH, length);
    }

    /** Makes the request the last of its list. */
    public void cut(int index) {
        putLong(request(index) + NEXT, 0L);
    }

    /** Links the request to the one behind it again; the last one has none. */
    public void link(int index) {
        boolean last = index == capacity - 1;
        putLong(request(index) + NEXT, last ? 0L : request(index + 1));
    }
}
