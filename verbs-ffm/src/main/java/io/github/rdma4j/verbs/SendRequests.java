// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_send_wr;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Native work requests of one queue pair, filled in place: {@code struct ibv_send_wr} with one scatter-gather entry each,
 * linked in order. What never changes (links, entry addresses) is written once.
 *
 * <p>Inline data is copied to a place of our own first. The adapter's library copies it from there in user space, where an
 * address whose arena was closed would crash the JVM; the JDK's copy checks it.
 */
final class SendRequests {
    static final int SEND = RdmaHeaders.IBV_WR_SEND();
    static final int RDMA_WRITE = RdmaHeaders.IBV_WR_RDMA_WRITE();
    static final int RDMA_READ = RdmaHeaders.IBV_WR_RDMA_READ();

    private static final long WR_SIZE = ibv_send_wr.sizeof();
    private static final long SGE_SIZE = ibv_sge.sizeof();
    private static final long WR_ID = ibv_send_wr.wr_id$offset();
    private static final long NEXT = ibv_send_wr.next$offset();
    private static final long SG_LIST = ibv_send_wr.sg_list$offset();
    private static final long NUM_SGE = ibv_send_wr.num_sge$offset();
    private static final long OPCODE = ibv_send_wr.opcode$offset();
    private static final long SEND_FLAGS = ibv_send_wr.send_flags$offset();
    private static final long REMOTE_ADDRESS =
            ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma$offset() + ibv_send_wr.wr.rdma.remote_addr$offset();
    private static final long REMOTE_KEY =
            ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma$offset() + ibv_send_wr.wr.rdma.rkey$offset();
    private static final long SGE_ADDRESS = ibv_sge.addr$offset();
    private static final long SGE_LENGTH = ibv_sge.length$offset();
    private static final long SGE_KEY = ibv_sge.lkey$offset();

    private final int capacity;
    private final int maxInlineData;
    private final long address;
    private final long sgeBase;
    private final long badRequestBase;

    /**
     * Requests, entries and the address of the refused request, in this order. Of the global scope, so that no access checks
     * whether the arena lives: callers are inside the queue pair's guard, and the arena is closed behind it.
     */
    private final MemorySegment memory;

    /** Of the arena's own scope, because it is used outside the guard. */
    private final MemorySegment inlineData;

    SendRequests(Arena arena, int capacity, int maxInlineData) {
        this.capacity = capacity;
        this.maxInlineData = maxInlineData;
        sgeBase = capacity * WR_SIZE;
        badRequestBase = sgeBase + capacity * SGE_SIZE;
        long size = badRequestBase + Long.BYTES;
        address = arena.allocate(size, Long.BYTES).address();
        memory = MemorySegment.ofAddress(address).reinterpret(size);
        inlineData = arena.allocate(Math.max(1, (long) capacity * maxInlineData));
        for (int i = 0; i < capacity; i++) {
            memory.set(JAVA_LONG, i * WR_SIZE + SG_LIST, address + sgeBase + i * SGE_SIZE);
            memory.set(JAVA_INT, i * WR_SIZE + NUM_SGE, 1);
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

    /** Where the request at an index reads its data; inline data is copied first. To be called outside the guard: it can throw. */
    long source(int index, MemorySlice local, int flags) {
        return (flags & SendFlags.INLINE) == 0 ? local.address() : copyInline(index, local);
    }

    private long copyInline(int index, MemorySlice local) {
        // Not among the checks that can be switched off: the copy would run into the next request's.
        if (local.length() > maxInlineData) {
            throw Checks.tooLongInline(local.length(), maxInlineData);
        }
        long offset = (long) index * maxInlineData;
        MemorySegment.copy(local.region().segment(), local.offset(), inlineData, offset, local.length());
        return inlineData.address() + offset;
    }

    /** The remote part is written for sends too, which do not look at it: that costs less than to ask. */
    void fill(
            int index,
            int opcode,
            long workRequestId,
            long source,
            MemorySlice local,
            long remoteAddress,
            int remoteKey,
            int flags) {
        long wr = index * WR_SIZE;
        memory.set(JAVA_LONG, wr + WR_ID, workRequestId);
        memory.set(JAVA_INT, wr + OPCODE, opcode);
        memory.set(JAVA_INT, wr + SEND_FLAGS, flags);
        memory.set(JAVA_LONG, wr + REMOTE_ADDRESS, remoteAddress);
        memory.set(JAVA_INT, wr + REMOTE_KEY, remoteKey);
        long sge = sgeBase + index * SGE_SIZE;
        memory.set(JAVA_LONG, sge + SGE_ADDRESS, source);
        memory.set(JAVA_INT, sge + SGE_LENGTH, (int) local.length());
        memory.set(JAVA_INT, sge + SGE_KEY, local.localKey());
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
