// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.FlushScope;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;

/** The queue pair of a stream channel. For one thread at a time. */
final class OrderedQueuePair implements OrderedProtocol.Wire {
    /** How many receives for notifications are posted. More notifications wait in the peer's adapter. */
    static final int NOTIFICATIONS = 128;

    private static final long NOTIFICATION = 1L << 32;

    /**
     * A transfer's work request.
     *
     * @param local null if the transfer waits for the peer
     * @param tag of the notification that it sends or waits for, or -1
     */
    record Request(MemorySlice local, RemoteMemory remote, int tag) {
        @Override
        public String toString() {
            if (local == null) {
                return "the arrival of tag " + tag;
            }
            return "a write of %d bytes%s".formatted(local.length(), tag < 0 ? "" : " with tag " + tag);
        }
    }

    private final QueuePair queuePair;
    private final CompletionQueue completionQueue;
    private final MemorySlice nothing;
    /** Null if the host need not flush anything. */
    private final GpuDirect flushed;

    private final Request[] requests;
    private final WorkCompletions completions = WorkCompletions.allocate(64);
    /** How many completions were fetched last, and how many of them the protocol has handled. */
    private int polled;

    private int handled;

    OrderedQueuePair(
            QueuePair queuePair,
            CompletionQueue completionQueue,
            MemorySlice nothing,
            GpuDirect flushed,
            int transfers) {
        this.queuePair = queuePair;
        this.completionQueue = completionQueue;
        this.nothing = nothing;
        this.flushed = flushed;
        this.requests = new Request[transfers];
    }

    QueuePair queuePair() {
        return queuePair;
    }

    void set(int slot, Request request) {
        requests[slot] = request;
    }

    /** Called before the peer can send. */
    void postNotificationReceives() {
        for (int i = 0; i < NOTIFICATIONS; i++) {
            postNotificationReceive();
        }
    }

    private void postNotificationReceive() {
        try {
            if (!queuePair.tryPostReceive(NOTIFICATION, nothing)) {
                throw new GpuTransferException("posting a receive for the peer's notifications: the queue is full");
            }
        } catch (VerbsException e) {
            throw new GpuTransferException("posting a receive for the peer's notifications", e);
        }
    }

    /**
     * Fetches completions and passes them to the protocol; returns whether there were any. After an error, continues
     * with the completion that the error has interrupted.
     */
    boolean poll(OrderedProtocol protocol, long now) {
        return handled < polled ? handle(protocol, now) : fetch(protocol, now);
    }

    private boolean fetch(OrderedProtocol protocol, long now) {
        int count;
        try {
            count = completionQueue.poll(completions);
        } catch (IllegalStateException | VerbsException e) {
            boolean first = protocol.failure() == null;
            protocol.breakDown(new GpuTransferException("polling", e), now);
            if (!completionQueue.isOpen()) {
                // Closing the adapter has closed the queue pair and its completions.
                protocol.abandonPosts();
            }
            return first;
        }
        handled = 0;
        polled = count;
        return handle(protocol, now);
    }

    private boolean handle(OrderedProtocol protocol, long now) {
        boolean any = handled < polled;
        while (handled < polled) {
            dispatch(completions.get(handled), protocol, now);
            handled++;
        }
        return any;
    }

    private void dispatch(WorkCompletion completion, OrderedProtocol protocol, long now) {
        boolean notice = (completion.workRequestId() & NOTIFICATION) != 0;
        if (!notice) {
            int slot = (int) completion.workRequestId();
            protocol.completed(
                    slot,
                    completion.isSuccess() ? null : new GpuTransferException(requests[slot].toString(), completion),
                    now);
        } else if (!completion.isSuccess()) {
            protocol.breakDown(new GpuTransferException("a receive for the peer's notifications", completion), now);
        } else {
            try {
                postNotificationReceive();
            } catch (GpuTransferException | IllegalStateException e) {
                protocol.breakDown(new GpuTransferException("receiving the peer's notifications", e), now);
            }
            // A message without a tag is not part of this protocol.
            protocol.arrived(completion.hasImmediateData() ? completion.immediateData() : -1, now);
        }
    }

    @Override
    public boolean tryPost(int slot) {
        Request request = requests[slot];
        try {
            return request.tag < 0
                    ? queuePair.tryPostWrite(slot, request.local, request.remote, SendFlags.SIGNALED)
                    : queuePair.tryPostWriteWithImmediate(
                            slot, request.local, request.remote, request.tag, SendFlags.SIGNALED);
        } catch (IllegalStateException | IllegalArgumentException | VerbsException e) {
            throw new GpuTransferException(request.toString(), e);
        }
    }

    @Override
    public void end(GpuTransferException cause) {
        try {
            queuePair.toError();
        } catch (VerbsException | IllegalStateException e) {
            cause.addSuppressed(e);
        }
    }

    @Override
    public void flush() {
        if (flushed == null) {
            return;
        }
        try {
            flushed.context().flushGpuDirectWrites(FlushScope.OWNER);
        } catch (CudaException | IllegalStateException e) {
            throw new GpuTransferException("flushing the adapter's writes", e);
        }
    }

    @Override
    public String describe(int slot) {
        return requests[slot].toString();
    }
}
