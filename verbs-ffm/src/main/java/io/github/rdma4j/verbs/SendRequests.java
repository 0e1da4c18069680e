// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.github.rdma4j.verbs.bindings.ibv_mw_bind_info;
import io.github.rdma4j.verbs.bindings.ibv_send_wr;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Native work requests of one queue pair, filled in place: {@code struct ibv_send_wr} with room for some scatter-gather entries
 * each, linked in order. What never changes (links, entry addresses) is written once.
 */
final class SendRequests {
    private static final long WR_SIZE = ibv_send_wr.sizeof();
    private static final long SGE_SIZE = ibv_sge.sizeof();
    private static final long WR_ID = ibv_send_wr.wr_id$offset();
    private static final long NEXT = ibv_send_wr.next$offset();
    private static final long SG_LIST = ibv_send_wr.sg_list$offset();
    private static final long NUM_SGE = ibv_send_wr.num_sge$offset();
    private static final long OPCODE = ibv_send_wr.opcode$offset();
    private static final long SEND_FLAGS = ibv_send_wr.send_flags$offset();
    private static final long IMMEDIATE_OR_KEY = ibv_send_wr.imm_data$offset();
    private static final long RDMA_ADDRESS =
            ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma$offset() + ibv_send_wr.wr.rdma.remote_addr$offset();
    private static final long RDMA_KEY =
            ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma$offset() + ibv_send_wr.wr.rdma.rkey$offset();
    private static final long ATOMIC = ibv_send_wr.wr$offset() + ibv_send_wr.wr.atomic$offset();
    private static final long ATOMIC_ADDRESS = ATOMIC + ibv_send_wr.wr.atomic.remote_addr$offset();
    private static final long ATOMIC_COMPARE_ADD = ATOMIC + ibv_send_wr.wr.atomic.compare_add$offset();
    private static final long ATOMIC_SWAP = ATOMIC + ibv_send_wr.wr.atomic.swap$offset();
    private static final long ATOMIC_KEY = ATOMIC + ibv_send_wr.wr.atomic.rkey$offset();
    private static final long DATAGRAM = ibv_send_wr.wr$offset() + ibv_send_wr.wr.ud$offset();
    private static final long DATAGRAM_HANDLE = DATAGRAM + ibv_send_wr.wr.ud.ah$offset();
    private static final long DATAGRAM_NUMBER = DATAGRAM + ibv_send_wr.wr.ud.remote_qpn$offset();
    private static final long DATAGRAM_KEY = DATAGRAM + ibv_send_wr.wr.ud.remote_qkey$offset();
    private static final long SHARED_RECEIVE_QUEUE = ibv_send_wr.qp_type$offset()
            + ibv_send_wr.qp_type.xrc$offset()
            + ibv_send_wr.qp_type.xrc.remote_srqn$offset();
    private static final long BIND = ibv_send_wr.bind_mw$offset();
    private static final long BIND_WINDOW = BIND + ibv_send_wr.bind_mw.mw$offset();
    private static final long BIND_KEY = BIND + ibv_send_wr.bind_mw.rkey$offset();
    private static final long BIND_INFO = BIND + ibv_send_wr.bind_mw.bind_info$offset();
    private static final long SEGMENTED = ibv_send_wr.tso$offset();
    private static final long SEGMENTED_HEADER = SEGMENTED + ibv_send_wr.tso.hdr$offset();
    private static final long SEGMENTED_HEADER_SIZE = SEGMENTED + ibv_send_wr.tso.hdr_sz$offset();
    private static final long SEGMENTED_SEGMENT_SIZE = SEGMENTED + ibv_send_wr.tso.mss$offset();
    private static final long SGE_ADDRESS = ibv_sge.addr$offset();
    private static final long SGE_LENGTH = ibv_sge.length$offset();
    private static final long SGE_KEY = ibv_sge.lkey$offset();

    private final int capacity;
    private final long entriesSize;
    private final long address;
    private final long sgeBase;
    private final long badRequestBase;

    /**
     * Requests, entries and the address of the refused request, in this order. Of the global scope, so that no access checks
     * whether the arena lives: callers are inside the queue pair's guard, and the arena is closed behind it.
     */
    private final MemorySegment memory;

    /**
     * Allocates.
     *
     * @param arena of the queue pair
     * @param capacity the requests
     * @param maxEntries the most scatter-gather entries of one
     */
    SendRequests(Arena arena, int capacity, int maxEntries) {
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

    /** Fills a request with one entry; its length is a number of 32 bits. */
    void fill(int index, int opcode, long workRequestId, long source, long length, int localKey, int flags) {
        long wr = index * WR_SIZE;
        head(wr, opcode, workRequestId, 1, flags);
        long sge = sgeBase + index * entriesSize;
        memory.set(JAVA_LONG, sge + SGE_ADDRESS, source);
        memory.set(JAVA_INT, sge + SGE_LENGTH, (int) length);
        memory.set(JAVA_INT, sge + SGE_KEY, localKey);
    }

    /** Fills a request with the entries of a list, which was checked not to have too many. */
    void fill(int index, int opcode, long workRequestId, SliceList local, int flags) {
        head(index * WR_SIZE, opcode, workRequestId, local.size(), flags);
        local.copyTo(memory, sgeBase + index * entriesSize);
    }

    /** Fills a request that moves no local data. */
    void fill(int index, int opcode, long workRequestId, int flags) {
        head(index * WR_SIZE, opcode, workRequestId, 0, flags);
    }

    private void head(long wr, int opcode, long workRequestId, int entries, int flags) {
        memory.set(JAVA_LONG, wr + WR_ID, workRequestId);
        memory.set(JAVA_INT, wr + NUM_SGE, entries);
        memory.set(JAVA_INT, wr + OPCODE, opcode);
        memory.set(JAVA_INT, wr + SEND_FLAGS, flags);
    }

    /** Immediate data in network byte order, or the key to invalidate. */
    void immediateOrKey(int index, int value) {
        memory.set(JAVA_INT, index * WR_SIZE + IMMEDIATE_OR_KEY, value);
    }

    void remote(int index, long remoteAddress, int remoteKey) {
        long wr = index * WR_SIZE;
        memory.set(JAVA_LONG, wr + RDMA_ADDRESS, remoteAddress);
        memory.set(JAVA_INT, wr + RDMA_KEY, remoteKey);
    }

    void atomic(int index, long remoteAddress, int remoteKey, long compareOrAdd, long swap) {
        long wr = index * WR_SIZE;
        memory.set(JAVA_LONG, wr + ATOMIC_ADDRESS, remoteAddress);
        memory.set(JAVA_LONG, wr + ATOMIC_COMPARE_ADD, compareOrAdd);
        memory.set(JAVA_LONG, wr + ATOMIC_SWAP, swap);
        memory.set(JAVA_INT, wr + ATOMIC_KEY, remoteKey);
    }

    /** The address handle must be kept open until the request was posted. */
    void datagram(int index, long addressHandle, int queuePairNumber, int queueKey) {
        long wr = index * WR_SIZE;
        memory.set(JAVA_LONG, wr + DATAGRAM_HANDLE, addressHandle);
        memory.set(JAVA_INT, wr + DATAGRAM_NUMBER, queuePairNumber);
        memory.set(JAVA_INT, wr + DATAGRAM_KEY, queueKey);
    }

    void sharedReceiveQueue(int index, int number) {
        memory.set(JAVA_INT, index * WR_SIZE + SHARED_RECEIVE_QUEUE, number);
    }

    /** Window and region must be kept open until the request was posted. */
    void bind(int index, long window, int remoteKey, long region, long boundAddress, long length, int access) {
        long wr = index * WR_SIZE;
        memory.set(JAVA_LONG, wr + BIND_WINDOW, window);
        memory.set(JAVA_INT, wr + BIND_KEY, remoteKey);
        memory.set(JAVA_LONG, wr + BIND_INFO + ibv_mw_bind_info.mr$offset(), region);
        memory.set(JAVA_LONG, wr + BIND_INFO + ibv_mw_bind_info.addr$offset(), boundAddress);
        memory.set(JAVA_LONG, wr + BIND_INFO + ibv_mw_bind_info.length$offset(), length);
        memory.set(JAVA_INT, wr + BIND_INFO + ibv_mw_bind_info.mw_access_flags$offset(), access);
    }

    void segmented(int index, long header, int headerSize, int maxSegmentSize) {
        long wr = index * WR_SIZE;
        memory.set(JAVA_LONG, wr + SEGMENTED_HEADER, header);
        memory.set(JAVA_SHORT, wr + SEGMENTED_HEADER_SIZE, (short) headerSize);
        memory.set(JAVA_SHORT, wr + SEGMENTED_SEGMENT_SIZE, (short) maxSegmentSize);
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
