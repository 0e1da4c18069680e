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
 * Native requests that are linked in order, each followed by space for some scatter-gather entries, and the word in
 * which a driver names the request that it refused. {@code struct ibv_send_wr} and {@code struct ibv_recv_wr} begin
 * with the same fields. Values that never change (links, addresses of entries) are written once.
 */
public abstract sealed class LinkedRequests permits SendRequests, ReceiveRequests {
    static final long WR_ID = ibv_recv_wr.wr_id$offset();
    static final long NEXT = ibv_recv_wr.next$offset();
    static final long SG_LIST = ibv_recv_wr.sg_list$offset();
    static final long NUM_SGE = ibv_recv_wr.num_sge$offset();
    static final long SGE_SIZE = ibv_sge.sizeof();
    static final long SGE_ADDRESS = ibv_sge.addr$offset();
    static final long SGE_LENGTH = ibv_sge.length$offset();

    /** The maximum number of requests that are posted by one call. */
    public static final int MAX_BATCH = 256;

    /**
     * The maximum number of requests. The index in {@link #request} is masked with this number minus one, a bound that
     * the compiler sees.
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
    /** The address of the first request of the list. */
    private long first;

    private final long badRequest;

    /**
     * Each request followed by its entries, then the address of the refused request. Referenced so that it lives as
     * long as this object.
     */
    private final MemorySegment memory;

    /**
     * Allocates.
     *
     * @param arena an automatic arena, or one that is closed when no thread can be in a method of this object
     * @param size the size of a request, which its entries follow
     * @param capacity the number of requests, at most {@link #MAX_CAPACITY}
     * @param maxEntries the maximum number of scatter-gather entries of one
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

    /** Copies entries, {@code struct ibv_sge}, to a request; their number was checked. */
    final void copyEntries(int index, long size, MemorySegment entries, int count) {
        MemorySegment.copy(entries, 0, memory, index * stride + size, count * SGE_SIZE);
    }

    /** {@return the number of requests} */
    public final int capacity() {
        return capacity;
    }

    /** {@return the address of the first request of the list} */
    public final long address() {
        return first;
    }

    /** {@return the address of a request} */
    public final long addressOf(int index) {
        return request(index);
    }

    // Lists in another order; their arguments come from addressOf.

    /** Makes a request the first of the list. */
    public final void begin(long request) {
        first = request;
    }

    /** Links a request to the next one; 0 for none. */
    public static void link(long request, long next) {
        putLong(NativeMemory.structure(request) + NEXT, next);
    }

    /** {@return the request that follows another one; 0 for none} */
    public static long next(long request) {
        return NativeMemory.getLong(NativeMemory.structure(request) + NEXT);
    }

    /** {@return the number that completions of a request carry} */
    public static long workRequestId(long request) {
        return NativeMemory.getLong(NativeMemory.structure(request) + WR_ID);
    }

    /**
     * Returns {@link #acceptedBeforeRefusal} for a list whose requests are in any order.
     *
     * @param posted the number of requests
     */
    public final int followersBeforeRefusal(int posted) {
        long refused = NativeMemory.getLong(NativeMemory.structure(badRequest));
        long request = first;
        for (int accepted = 0; accepted < posted; accepted++) {
            if (request == refused) {
                return accepted;
            }
            request = next(request);
        }
        return 0;
    }

    /** {@return the address of the word in which the driver names the request that it refused} */
    public final long badRequestAddress() {
        return badRequest;
    }

    /**
     * Clears the refused request before a post, because some drivers do not write its address, and an old one would
     * count.
     */
    public final void forgetBadRequest() {
        putLong(NativeMemory.structure(badRequest), 0L);
    }

    /**
     * Returns how many requests were accepted before the one that the last refused post named; 0 if the driver named
     * none of them.
     *
     * @param posted the number of requests, in the order of their memory from {@link #address} on
     */
    public final int acceptedBeforeRefusal(int posted) {
        long offset = NativeMemory.getLong(NativeMemory.structure(badRequest)) - first;
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

    /** Links the request to the following one again; the last one has none. */
    public final void link(int index) {
        boolean last = index == capacity - 1;
        putLong(request(index) + NEXT, last ? 0L : request(index + 1));
    }
}
