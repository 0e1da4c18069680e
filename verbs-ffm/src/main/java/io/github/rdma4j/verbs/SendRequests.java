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
    private final MemorySegment requests;
    private final MemorySegment entries;
    private final MemorySegment inlineData;
    private final MemorySegment badRequest;

    SendRequests(Arena arena, int capacity, int maxInlineData) {
        this.capacity = capacity;
        this.maxInlineData = maxInlineData;
        requests = ibv_send_wr.allocateArray(capacity, arena);
        entries = ibv_sge.allocateArray(capacity, arena);
        inlineData = arena.allocate(Math.max(1, (long) capacity * maxInlineData));
        badRequest = arena.allocate(JAVA_LONG);
        for (int i = 0; i < capacity; i++) {
            requests.set(JAVA_LONG, i * WR_SIZE + SG_LIST, entries.address() + i * SGE_SIZE);
            requests.set(JAVA_INT, i * WR_SIZE + NUM_SGE, 1);
            link(i);
        }
    }

    int capacity() {
        return capacity;
    }

    long address() {
        return requests.address();
    }

    long badRequestAddress() {
        return badRequest.address();
    }

    /** To be called before each post: some drivers do not write the address of the refused request, and an old one would count. */
    void forgetBadRequest() {
        badRequest.set(JAVA_LONG, 0, 0L);
    }

    /** How many requests were accepted before the one that the last refused post named; 0 if the driver named none of them. */
    int acceptedBeforeRefusal(int posted) {
        long offset = badRequest.get(JAVA_LONG, 0) - requests.address();
        boolean named = offset >= 0 && offset < posted * WR_SIZE && offset % WR_SIZE == 0;
        return named ? (int) (offset / WR_SIZE) : 0;
    }

    void fill(int index, int opcode, long workRequestId, MemorySlice local, int flags) {
        long wr = index * WR_SIZE;
        requests.set(JAVA_LONG, wr + WR_ID, workRequestId);
        requests.set(JAVA_INT, wr + OPCODE, opcode);
        requests.set(JAVA_INT, wr + SEND_FLAGS, flags);
        long sge = index * SGE_SIZE;
        entries.set(
                JAVA_LONG,
                sge + SGE_ADDRESS,
                (flags & SendFlags.INLINE) == 0 ? local.address() : copyInline(index, local));
        entries.set(JAVA_INT, sge + SGE_LENGTH, (int) local.length());
        entries.set(JAVA_INT, sge + SGE_KEY, local.region().localKey());
    }

    void fillRemote(int index, RemoteMemory remote) {
        requests.set(JAVA_LONG, index * WR_SIZE + REMOTE_ADDRESS, remote.address());
        requests.set(JAVA_INT, index * WR_SIZE + REMOTE_KEY, remote.remoteKey());
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

    /** Makes the request the last of its list. */
    void cut(int index) {
        requests.set(JAVA_LONG, index * WR_SIZE + NEXT, 0L);
    }

    /** Links the request to the one behind it again; the last one has none. */
    void link(int index) {
        boolean last = index == capacity - 1;
        requests.set(JAVA_LONG, index * WR_SIZE + NEXT, last ? 0L : requests.address() + (index + 1) * WR_SIZE);
    }
}
