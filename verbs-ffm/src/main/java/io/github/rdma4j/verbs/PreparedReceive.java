// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.ReceiveRequests;
import java.lang.foreign.Arena;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * A receive that is written and checked once and posted many times; values that change are set between posts.
 * {@link QueuePair#prepareReceive} creates it, also for a shared receive queue or a work queue. Use it for one buffer
 * that is reused, or for the parts of a larger one:
 *
 * <pre>{@code
 * PreparedReceive receive = queuePair.prepareReceive(buffer);
 * for (int i = 0; i < 16; i++) {
 *     if (!receive.local(i * 4096L, 4096).tryPost(i)) {
 *         break; // the queue is full
 *     }
 * }
 * }</pre>
 *
 * <p>It needs no close: the garbage collector frees its memory. Setting and posting allocate nothing.
 *
 * <p>Thread safety: for one thread at a time; hand it over to another thread with the usual synchronization. If two
 * threads use it at once, a post may take the offset, the length and the number from either of them; nothing worse
 * happens. Other threads may post on the same queue.
 *
 * @since 0.1.0
 */
public final class PreparedReceive {
    private final ReceiveQueue queue;
    private final MemorySlice local;
    private final MemoryRegion region;
    private final ReceiveRequests request = new ReceiveRequests(Arena.ofAuto(), 1, 1);
    private long length;

    /** Creates the receive; the arguments were checked. */
    PreparedReceive(ReceiveQueue queue, MemorySlice local) {
        this.queue = queue;
        this.local = local;
        this.region = local.region();
        this.length = local.length();
        request.fill(0, 0, local.address(), local.lengthAndKey());
    }

    /**
     * Posts the receive.
     *
     * @return true if it was posted, false if the queue is full
     * @throws IllegalStateException if the queue or the region is closed
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPost() {
        region.requireOpenSoon();
        int result;
        int entry = queue.enter();
        try {
            result = queue.post(request);
        } finally {
            queue.exit(entry);
        }
        // The request's memory lives as long as this object.
        Reference.reachabilityFence(this);
        return queue.accepted(result);
    }

    /**
     * Sets the number and posts the receive.
     *
     * @param workRequestId identifies the request in its completion
     * @return true if it was posted, false if the queue is full
     * @throws IllegalStateException if the queue or the region is closed
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPost(long workRequestId) {
        return workRequestId(workRequestId).tryPost();
    }

    /**
     * Sets the number that completions of later posts carry; initially 0.
     *
     * @param workRequestId any number
     * @return this
     */
    public PreparedReceive workRequestId(long workRequestId) {
        request.workRequestId(0, workRequestId);
        Reference.reachabilityFence(this);
        return this;
    }

    /**
     * Moves the buffer, which keeps its length.
     *
     * @param offset from the start of the slice that was prepared, in bytes
     * @return this
     * @throws IndexOutOfBoundsException if the buffer would not lie within that slice
     */
    public PreparedReceive local(long offset) {
        return local(offset, length);
    }

    /**
     * Moves the buffer and sets its length; initially it is the slice that was prepared.
     *
     * @param offset from the start of that slice, in bytes
     * @param length in bytes
     * @return this
     * @throws IndexOutOfBoundsException if the buffer would not lie within that slice
     */
    public PreparedReceive local(long offset, long length) {
        if (Checks.ENABLED) {
            Objects.checkFromIndexSize(offset, length, local.length());
        }
        this.length = length;
        request.local(0, local.address() + offset, (int) length);
        Reference.reachabilityFence(this);
        return this;
    }

    /** {@return the queue of the receive} */
    @Override
    public String toString() {
        return "a prepared receive of " + queue;
    }
}
