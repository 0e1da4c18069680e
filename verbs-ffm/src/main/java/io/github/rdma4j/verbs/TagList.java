// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_ops_wr;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import io.github.rdma4j.verbs.internal.ExtendedVerb;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The list of tags of a shared receive queue with tag matching (ibv_post_srq_ops(3)). A message whose tag, under an
 * entry's mask, equals the entry's tag goes into the entry's buffer and consumes the entry. Other messages go into the
 * queue's ordinary receives.
 *
 * <p>The posting methods return {@code false} if the list is full, and are for the thread that posts receives.
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public final class TagList {
    /** No flag. */
    public static final int NONE = 0;
    /** The operation makes a completion in the queue's own completion queue. */
    public static final int SIGNALED = 1;
    /** The operation also reports to the adapter how many unexpected messages have been handled. */
    public static final int SYNCHRONISE = 1 << 1;

    private static final int ALL = SIGNALED | SYNCHRONISE;

    private final SharedReceiveQueue owner;
    private final ReceiveQueue receiveQueue;
    private final MemorySegment request;
    private final MemorySegment tagFields;
    private final MemorySegment addFields;
    private final MemorySegment entries;
    private final MemorySegment badRequest;
    /** The request has the handle of whichever operation was last. */
    private int lastAdded;

    TagList(SharedReceiveQueue owner, ReceiveQueue receiveQueue, Arena arena, int maxEntries) {
        this.owner = owner;
        this.receiveQueue = receiveQueue;
        request = ibv_ops_wr.allocate(arena);
        tagFields = ibv_ops_wr.tm(request);
        addFields = ibv_ops_wr.tm.add(tagFields);
        entries = ibv_sge.allocateArray(maxEntries, arena);
        badRequest = arena.allocate(ADDRESS);
        ibv_ops_wr.tm.add.sg_list(addFields, entries);
    }

    /**
     * Adds an entry ({@code IBV_WR_TAG_ADD}).
     *
     * @param workRequestId identifies this operation in its completion, if it is {@link #SIGNALED}
     * @param receiveId identifies the message in its completion
     * @param local the buffer of the message; the regions need {@link AccessFlag#LOCAL_WRITE}
     * @param tag the tag to match
     * @param mask the bits of the message's tag that count
     * @param unexpectedCount with {@link #SYNCHRONISE}, how many unexpected messages have been handled so far
     * @param flags a combination of the flags of this class
     * @return true if it was posted, and then {@link #handle()} names the entry; false if the list is full
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IllegalStateException if the queue or a region is closed
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryAdd(
            long workRequestId, long receiveId, SliceList local, long tag, long mask, int unexpectedCount, int flags) {
        receiveQueue.check(local);
        check(flags);
        int entry = receiveQueue.enter();
        try {
            ibv_ops_wr.tm.add.recv_wr_id(addFields, receiveId);
            ibv_ops_wr.tm.add.tag(addFields, tag);
            ibv_ops_wr.tm.add.mask(addFields, mask);
            ibv_ops_wr.tm.add.num_sge(addFields, local.size());
            MemorySegment.copy(local.entries(), 0, entries, 0, local.size() * ibv_sge.sizeof());
            boolean posted = post(RdmaHeaders.IBV_WR_TAG_ADD(), workRequestId, unexpectedCount, flags);
            if (posted) {
                lastAdded = ibv_ops_wr.tm.handle(tagFields);
            }
            return posted;
        } finally {
            receiveQueue.exit(entry);
        }
    }

    /** {@return the entry that the last successful {@link #tryAdd} created, for {@link #tryRemove}} */
    public int handle() {
        return lastAdded;
    }

    /**
     * Removes an entry ({@code IBV_WR_TAG_DEL}). A message may have consumed it meanwhile: the completion, not this
     * call, then reports that ({@code IBV_WC_TM_ERR}).
     *
     * @param workRequestId identifies the request in its completion, if it is {@link #SIGNALED}
     * @param handle the handle of the entry
     * @param unexpectedCount with {@link #SYNCHRONISE}, how many unexpected messages have been handled so far
     * @param flags a combination of the flags of this class
     * @return true if it was posted, false if the list is full
     * @throws IllegalStateException if the queue is closed
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryRemove(long workRequestId, int handle, int unexpectedCount, int flags) {
        check(flags);
        int entry = receiveQueue.enter();
        try {
            ibv_ops_wr.tm.handle(tagFields, handle);
            return post(RdmaHeaders.IBV_WR_TAG_DEL(), workRequestId, unexpectedCount, flags);
        } finally {
            receiveQueue.exit(entry);
        }
    }

    /**
     * Reports to the adapter how many unexpected messages have been handled ({@code IBV_WR_TAG_SYNC}), after a
     * completion has requested it.
     *
     * @param workRequestId identifies the request in its completion, if it is {@link #SIGNALED}
     * @param unexpectedCount the number so far
     * @param flags a combination of the flags of this class
     * @return true if it was posted, false if the list is full
     * @throws IllegalStateException if the queue is closed
     * @throws VerbsException if it was refused for another reason
     */
    public boolean trySynchronise(long workRequestId, int unexpectedCount, int flags) {
        check(flags);
        int entry = receiveQueue.enter();
        try {
            return post(RdmaHeaders.IBV_WR_TAG_SYNC(), workRequestId, unexpectedCount, flags | SYNCHRONISE);
        } finally {
            receiveQueue.exit(entry);
        }
    }

    private static void check(int flags) {
        if ((flags & ~ALL) != 0) {
            throw new IllegalArgumentException("flags 0x%x are not all of TagList".formatted(flags));
        }
    }

    /** Called inside the guard. */
    private boolean post(int opcode, long workRequestId, int unexpectedCount, int flags) {
        ibv_ops_wr.wr_id(request, workRequestId);
        ibv_ops_wr.opcode(request, opcode);
        ibv_ops_wr.flags(request, flags);
        ibv_ops_wr.tm.unexpected_cnt(tagFields, unexpectedCount);
        int errno = Math.abs(ExtendedVerb.POST_SRQ_OPS.call(
                owner.protectionDomain().context().segment(), owner.segment(), request, badRequest));
        return errno == 0 || PostRefusal.ofTag(owner, errno);
    }
}
