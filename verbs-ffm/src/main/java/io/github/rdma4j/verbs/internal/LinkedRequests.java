// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;

import io.github.rdma4j.verbs.bindings.ibv_recv_wr;
import io.github.rdma4j.verbs.bindings.ibv_send_wr;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Native requests linked in order, each with room for some scatter-gather entries behind it, and the place where a
 * driver names the one that it refused. {@code struct ibv_send_wr} and {@code struct ibv_recv_wr} begin with the same
 * fields. What never changes (links, addresses of entries) is written once.
 */
public abstract sealed class LinkedRequests permits SendRequests, ReceiveRequests {
    static final long WR_ID = ibv_recv_wr.wr_id$offset();
    static final long NEXT = ibv_recv_wr.next$offset();
    static final long SG_LIST = ibv_recv_wr.sg_list$offset();
    static final long NUM_SGE = ibv_recv_wr.num_sge$offset();
    static final long SGE_SIZE = ibv_sge.sizeof();
    static final long SGE_ADDRESS = ibv_sge.addr$offset();
    static final long SGE_LENGTH = ibv_sge.length$offset();

    /** The most requests that are posted by one call. */
    public static final int MAX_BATCH = 256;

    /**
     * The most requests. The index in {@link #request} is masked with it less one, which bounds it where the compiler
     * sees it.
     */
    public static final int MAX_CAPACITY = 1 << 17;

    private static final long MAX_STRIDE = 0xffff;

    static {
        assert WR_ID == ibv_send_wr.wr_id$offset()
                && NEXT == ibv_send_wr.next$offset()
                && SG_LIST == ibv_send_wr.sg_list$offset()
                && NUM_SGE == ibv_send_wr.num_sge$offset();
    }

    private final int capacity;
    private final long stride;
    private final long address;
    /** Where the list begins. */
    private long first;

    private final long badRequest;

    /**
     * Each request with its entries behind it, then the address of the refused one. Held so that it lives as long as
     * this.
     */
    private final MemorySegment memory;

    /**
     * Allocates.
     *
     * @param arena an automatic one, or one that is closed when no thread can be in a method of this object any more
     * @param size of a request, behind which its entries stand
     * @param capacity the requests, at most {@link #MAX_CAPACITY}
     * @param maxEntries the most scatter-gather entries of one
     */
    LinkedRequests(Arena arena, long size, int capacity, int maxEntries) {
        this.capacity = Objects.checkIndex(capacity, MAX_CAPACITY + 1);
        stride = Objects.checkIndex(size + maxEntries * SGE_SIZE, MAX_STRIDE);
        memory = arena.allocate(capacity * stride + Long.BYTES, Long.BYTES);
        address = memory.address();
        first = address;
        badRequest = address + capacity * stride;
        for (int i = 0; i < capacity; i++) {
            putLong(request(i) + SG_LIST, request(i) + size);
            link(i);
        }
    }

    final long request(int index) {
        return NativeMemory.structure(address) + (index & MAX_CAPACITY - 1) * (stride & MAX_STRIDE);
    }

    /** Copies entries, {@code struct ibv_sge}, whose number was checked not to be too great, behind a request. */
    final void copyEntries(int index, long size, MemorySegment entries, int count) {
        MemorySegment.copy(entries, 0, memory, index * stride + size, count * SGE_SIZE);
    }

    /** {@return how many requests there is room for} */
    public final int capacity() {
        return capacity;
    }

    /** {@return where the first request of the list is} */
    public final long address() {
        return first;
    }

    /** {@return where a request is} */
    public final long addressOf(int index) {
        return request(index);
    }

    // Lists in another order: what is passed comes from addressOf.

    /** Lets the list begin with this request. */
    public final void begin(long request) {
        first = request;
    }

    /** Links a request to the next one; 0 for none. */
    public static void link(long request, long next) {
        putLong(NativeMemory.structure(request) + NEXT, next);
    }

    /**
     * What {@link #acceptedBeforeRefusal} tells, of a list whose requests stand in any order.
     *
     * @param posted how many there were
     */
    public final int followersBeforeRefusal(int posted) {
        long refused = NativeMemory.getLong(NativeMemory.structure(badRequest));
        long request = first;
        for (int accepted = 0; accepted < posted; accepted++) {
            if (request == refused) {
                return accepted;
            }
            request = NativeMemory.getLong(NativeMemory.structure(request) + NEXT);
        }
        return 0;
    }

    /** {@return where the driver names the request that it refused} */
    public final long badRequestAddress() {
        return badRequest;
    }

    /**
     * To be called before each post: some drivers do not write the address of the refused request, and an old one would
     * count.
     */
    public final void forgetBadRequest() {
        putLong(NativeMemory.structure(badRequest), 0L);
    }

    /**
     * How many requests were accepted before the one that the last refused post named; 0 if the driver named none of
     * them.
     */
    public final int acceptedBeforeRefusal(int posted) {
        long offset = NativeMemory.getLong(NativeMemory.structure(badRequest)) - address;
        boolean named = offset >= 0 && offset < posted * stride && offset % stride == 0;
        return named ? (int) (offset / stride) : 0;
    }

    /** Changes the number of a prepared request. */
    public final void workRequestId(int index, long workRequestId) {
        putLong(request(index) + WR_ID, workRequestId);
    }

    /** Makes the request the last of its list. */
    public final void cut(int index) {
        putLong(request(index) + NEXT, 0L);
    }

    /** Links the request to the one behind it again; the last one has none. */
    public final void link(int index) {
        boolean last = index == capacity - 1;
        putLong(request(index) + NEXT, last ? 0L : request(index + 1));
    }
}
