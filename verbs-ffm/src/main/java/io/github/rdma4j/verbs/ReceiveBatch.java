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
    private int size;
    private int error;

    ReceiveBatch(ReceiveQueue queue, ReceiveRequests requests, Thread user) {
        super(user);
        this.queue = queue;
        this.requests = requests;
    }

    /** {@return the maximum number of receives in one batch: the depth of the queue, at most 256} */
    public int capacity() {
        return requests.capacity();
    }

    /** {@return the number of receives added since the start} */
    public int size() {
        return size;
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
        if (size >= requests.capacity()) {
            throw new IllegalStateException("the batch is full: it holds " + size + " receives");
        }
        return size;
    }

    private ReceiveBatch added() {
        size++;
        // The requests' memory lives as long as this object.
        Reference.reachabilityFence(this);
        return this;
    }

    /**
     * Posts the receives, in order, and empties the batch.
     *
     * @return how many were accepted; fewer than {@link #size()} was if the queue filled up or one was refused, and
     *     {@link #error()} then says why. The requests after that one were not posted
     * @throws IllegalStateException if the queue is closed
     */
    public int post() {
        requireUser("startReceiveBatch()");
        int accepted = enterAndPost();
        Reference.reachabilityFence(this);
        error = queue.result(error);
        return accepted;
    }

    private int enterAndPost() {
        queue.enter();
        try {
            error = 0;
            int count = size;
            if (count == 0) {
                return 0;
            }
            size = 0;
            requests.cut(count - 1);
            requests.forgetBadRequest();
            error = queue.post(requests);
            requests.link(count - 1);
            return error == 0 ? count : requests.acceptedBeforeRefusal(count);
        } finally {
            queue.exit();
        }
    }

    /**
     * {@return 0 if the last {@link #post()} posted all receives, or {@link QueuePair#QUEUE_FULL}, or another errno}
     */
    public int error() {
        return error;
    }

    /** Starts the batch, for {@link ReceiveQueue#startBatch()}. */
    ReceiveBatch start() {
        size = 0;
        return this;
    }

    /** {@return the queue of the receives} */
    @Override
    public String toString() {
        return "the receive batch of " + queue;
    }
}
