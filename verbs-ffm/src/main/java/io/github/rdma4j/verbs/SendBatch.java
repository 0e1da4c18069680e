// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * Work requests of one queue pair that are posted together, in order ({@code ibv_post_send} with a list). The one batch of a
 * queue pair is started by {@link QueuePair#startBatch()}, filled, and posted; it allocates nothing.
 *
 * <p>Thread safety: as for posting on the queue pair, for one thread at a time.
 */
public final class SendBatch {
    private final QueuePair queuePair;
    private final SendRequests requests;
    private int size;
    private int error;

    SendBatch(QueuePair queuePair, SendRequests requests) {
        this.queuePair = queuePair;
        this.requests = requests;
    }

    /** {@return the most requests in one batch: the depth of the send queue, at most 256} */
    public int capacity() {
        return requests.capacity();
    }

    /** {@return the requests added since the start} */
    public int size() {
        return size;
    }

    /**
     * Adds an RDMA write; see {@link QueuePair#postWrite}.
     *
     * @param workRequestId comes back in the completion
     * @param local what to write
     * @param remote where to; at least as long
     * @param flags of {@link SendFlags}
     * @return this
     * @throws IllegalStateException if the batch is full, or the queue pair or the region is closed
     */
    public SendBatch write(long workRequestId, MemorySlice local, RemoteMemory remote, int flags) {
        queuePair.checkOneSided(local, remote, flags);
        return add(SendRequests.RDMA_WRITE, workRequestId, local, remote.address(), remote.remoteKey(), flags);
    }

    /**
     * Adds an RDMA read; see {@link QueuePair#postRead}.
     *
     * @param workRequestId comes back in the completion
     * @param local where to
     * @param remote what to read; at least as long
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return this
     * @throws IllegalStateException if the batch is full, or the queue pair or the region is closed
     */
    public SendBatch read(long workRequestId, MemorySlice local, RemoteMemory remote, int flags) {
        queuePair.checkRead(local, remote, flags);
        return add(SendRequests.RDMA_READ, workRequestId, local, remote.address(), remote.remoteKey(), flags);
    }

    /**
     * Adds a send; see {@link QueuePair#postSend}.
     *
     * @param workRequestId comes back in the completion
     * @param local the message
     * @param flags of {@link SendFlags}
     * @return this
     * @throws IllegalStateException if the batch is full, or the queue pair or the region is closed
     */
    public SendBatch send(long workRequestId, MemorySlice local, int flags) {
        queuePair.checkSend(local, flags);
        return add(SendRequests.SEND, workRequestId, local, 0, 0, flags);
    }

    private SendBatch add(
            int opcode, long workRequestId, MemorySlice local, long remoteAddress, int remoteKey, int flags) {
        if (size == requests.capacity()) {
            throw new IllegalStateException("the batch is full: it holds " + size + " requests");
        }
        long source = requests.source(size, local, flags);
        queuePair.enterSend();
        try {
            requests.fill(size, opcode, workRequestId, source, local, remoteAddress, remoteKey, flags);
        } finally {
            queuePair.exitSend();
        }
        size++;
        return this;
    }

    /**
     * Posts the requests, in order, and empties the batch.
     *
     * @return how many were accepted; fewer than {@link #size()} was if the queue filled up or one was refused, and
     *     {@link #error()} then says why. Those behind were not posted. 0 also if the driver refused without naming a request
     * @throws IllegalStateException if the queue pair is closed
     */
    public int post() {
        error = 0;
        int count = size;
        if (count == 0) {
            return 0;
        }
        queuePair.enterSend();
        try {
            requests.cut(count - 1);
            error = queuePair.postList(requests);
            requests.link(count - 1);
            return error == 0 ? count : requests.acceptedBeforeRefusal(count);
        } finally {
            queuePair.exitSend();
            size = 0;
        }
    }

    /** {@return 0 if the last {@link #post()} accepted all, or {@link QueuePair#QUEUE_FULL}, or another errno} */
    public int error() {
        return error;
    }

    void clear() {
        size = 0;
    }
}
