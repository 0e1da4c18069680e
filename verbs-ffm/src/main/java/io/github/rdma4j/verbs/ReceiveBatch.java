// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.ReceiveRequests;
import java.lang.ref.Reference;

/**
 * Receives that are posted together, in order ({@code ibv_post_recv} or {@code ibv_post_srq_recv} with a list). Start a
 * batch with {@link QueuePair#startReceiveBatch()}, fill it, and post it. Filling and posting allocate nothing.
 *
 * <p>Thread safety: a batch belongs to the thread that started it. If another thread fills or posts it, an
 * {@link IllegalStateException} names both threads; each thread must start its own batch. Several threads may fill and
 * post their batches of one queue at once.
 *
 * @since 0.1.0
 */
public final class ReceiveBatch extends ThreadBatch {
    private final ReceiveQueue queue;
    private final ReceiveRequests requests;
    /** The index of the first receive that is not posted. */
    private int first;
    /** The index after the last receive. */
    private int end;

    ReceiveBatch(ReceiveQueue queue, ReceiveRequests requests, Thread user) {
        super(user);
        this.queue = queue;
        this.requests = requests;
    }

    /**
     * {@return the maximum number of receives in one batch: the depth of the queue, at most 256. A posted part counts
     * until the rest is posted}
     */
    public int capacity() {
        return requests.capacity();
    }

    /** {@return the number of receives that were added and are not posted} */
    public int size() {
        return end - first;
    }

    /**
     * Adds a buffer for one message.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the buffer; its region needs {@link AccessFlag#LOCAL_WRITE}. A longer message breaks the connection
     * @return this
     * @throws IllegalArgumentException if the region is not of this queue's protection domain or not writable
     * @throws IllegalStateException if the batch is full, or the queue or the region is closed
     */
    public ReceiveBatch receive(long workRequestId, MemorySlice local) {
        queue.check(local);
        requests.fill(begin(), workRequestId, local.address(), local.lengthAndKey());
        return added();
    }

    /**
     * Adds buffers for one message that is scattered over several slices, which are filled in order.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the buffer; the regions need {@link AccessFlag#LOCAL_WRITE}. A longer message breaks the connection
     * @return this
     * @throws IllegalArgumentException if a region is not of this queue's protection domain or not writable, or the
     *     queue takes fewer slices
     * @throws IllegalStateException if the batch is full, or the queue or a region is closed
     */
    public ReceiveBatch receive(long workRequestId, SliceList local) {
        queue.check(local);
        requests.fill(begin(), workRequestId, local.entries(), local.size());
        return added();
    }

    /** Returns the index of the next receive. */
    private int begin() {
        requireUser("startReceiveBatch()");
        queue.requireOpenSoon();
        if (end >= requests.capacity()) {
            throw new IllegalStateException(
                    "the batch is full: it holds " + size() + " receives; post them first (tryPost)");
        }
        return end;
    }

    private ReceiveBatch added() {
        end++;
        // The requests' memory lives as long as this object.
        Reference.reachabilityFence(this);
        return this;
    }

    /**
     * Posts the receives, in order. Posted receives leave the batch, so {@link #size()} then is the number of receives
     * that were not posted. Call this again to post them, or start the batch again to drop them.
     *
     * @return true if all were posted, false if the queue is full
     * @throws IllegalStateException if the queue is closed; then none was posted
     * @throws VerbsException if a receive was refused for another reason; it is the first one in the batch
     */
    public boolean tryPost() {
        requireUser("startReceiveBatch()");
        int errno = enterAndPost();
        Reference.reachabilityFence(this);
        return queue.accepted(errno);
    }

    private int enterAndPost() {
        int entry = queue.enter();
        try {
            if (first == end) {
                return 0;
            }
            requests.begin(requests.addressOf(first));
            requests.cut(end - 1);
            requests.forgetBadRequest();
            int errno = queue.post(requests);
            requests.link(end - 1);
            first += errno == 0 ? end - first : requests.acceptedBeforeRefusal(end - first);
            if (first == end) {
                clear();
            }
            return errno;
        } finally {
            queue.exit(entry);
        }
    }

    private void clear() {
        first = 0;
        end = 0;
    }

    /** Starts the batch, for {@link ReceiveQueue#startBatch()}. */
    ReceiveBatch start() {
        clear();
        return this;
    }

    /** {@return the queue of the receives} */
    @Override
    public String toString() {
        return "the receive batch of " + queue;
    }
}
