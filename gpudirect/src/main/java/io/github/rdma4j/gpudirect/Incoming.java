// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.ArrayDeque;

/**
 * The incoming transfers: receives, and reads in the order of the calls. A staged chunk takes a slot, arrives, is
 * copied to the device, and releases the slot when the copy is complete.
 *
 * <p>The n-th receive takes the n-th message even if one of them fails: a receive that fails before its message has
 * begun rejects it. If the next receive took the message instead, all later ones would be shifted by one.
 */
final class Incoming {
    private final Adapter adapter;
    private final Posts posts;
    private final Posts receivePosts;
    private final ArrayDeque<Job> reads = new ArrayDeque<>();
    private final ArrayDeque<Job> receives = new ArrayDeque<>();
    private Slots slots;
    /** The receive whose chunks are being posted; null if there is none. */
    private Job current;

    private long nextMessage;
    private long granted;
    private long announced;

    Incoming(Adapter adapter, Posts posts, Posts receivePosts) {
        this.adapter = adapter;
        this.posts = posts;
        this.receivePosts = receivePosts;
    }

    /** Sets the slots. Called before the first staged transfer is added. */
    void use(Slots slots) {
        this.slots = slots;
    }

    void add(Job job) {
        (job.kind() == Transfer.Kind.READ ? reads : receives).add(job);
    }

    boolean advance() {
        boolean moved = finishCopies();
        if (adapter.isBroken()) {
            return moved;
        }
        moved |= advanceReads();
        moved |= advanceReceives();
        if (announced != granted && adapter.canSendWord()) {
            announced = granted;
            adapter.announceGrants(granted);
        }
        return moved;
    }

    private boolean finishCopies() {
        boolean moved = false;
        Slots.Slot slot;
        while (slots != null && (slot = slots.firstCopied()) != null) {
            slots.removeCopied();
            Job job = slot.job;
            RuntimeException failure = slot.failure;
            boolean whole = failure == null && slot.chunk < job.abortFrom;
            int length = slot.length;
            long chunk = slot.chunk;
            slots.release(slot);
            job.endCopy();
            if (failure != null) {
                job.fail(chunk, new GpuTransferException("copying to the device", failure));
            }
            job.completeChunk(whole ? length : 0);
            moved = true;
        }
        return moved;
    }

    private boolean advanceReads() {
        boolean moved = false;
        while (!reads.isEmpty()) {
            Job job = reads.peek();
            if (!job.mayStart()) {
                break;
            }
            while (job.posted < job.chunks && !job.isFailing()) {
                if (!postRead(job)) {
                    return moved;
                }
                moved = true;
            }
            reads.remove();
            job.settle();
            moved = true;
        }
        return moved;
    }

    /** Returns whether the queue and the slots had space for a chunk. The chunk may have failed. */
    private boolean postRead(Job job) {
        if (!posts.hasFree() || !hasSlot(job)) {
            return false;
        }
        long chunk = job.posted;
        Posts.Post post = posts.take(job, takeSlot(job, chunk), chunk, false);
        GpuTransferException failure = null;
        job.beginPost();
        try {
            if (adapter.tryPost(post)) {
                return true;
            }
        } catch (RuntimeException e) {
            failure = new GpuTransferException("posting a read of a chunk", e);
        }
        job.undoPost();
        giveBack(posts, post);
        if (failure == null) {
            return false;
        }
        job.fail(chunk, failure);
        return true;
    }

    private boolean hasSlot(Job job) {
        return !job.isStaged() || slots.hasFree();
    }

    private Slots.Slot takeSlot(Job job, long chunk) {
        return job.isStaged() ? slots.take(job, chunk) : null;
    }

    /** Releases a post that was refused or has completed. */
    private void giveBack(Posts from, Posts.Post post) {
        if (post.slot != null) {
            slots.release(post.slot);
        }
        from.release(post);
    }

    private boolean advanceReceives() {
        boolean moved = false;
        while (!adapter.isBroken() && (current != null || match())) {
            moved = true;
            if (!advanceCurrent()) {
                break;
            }
            current = null;
        }
        return moved;
    }

    /** Assigns the next announced message to the next receive, if there are both. */
    private boolean match() {
        Job job = receives.peek();
        if (job == null || !job.mayStart()) {
            return false;
        }
        long length = adapter.announced(nextMessage);
        if (length < 0) {
            return false;
        }
        current = job;
        receives.remove();
        if (length > job.length() && !job.isFailing()) {
            job.fail(
                    0,
                    new GpuTransferException("the peer's message has %d bytes, but the receive only %d"
                            .formatted(length, job.length())));
            job.refusal = job.length();
        }
        job.announced(nextMessage++, length);
        return true;
    }

    /** Returns whether all chunks have been posted, or the message was rejected. */
    private boolean advanceCurrent() {
        while (current.posted < current.chunks) {
            if (current.posted == 0 && current.isFailing()) {
                if (!adapter.canSendWord()) {
                    return false;
                }
                // A rejected message counts as granted, so that the numbers of later messages fit.
                adapter.refuse(current.message, current.refusal);
                granted += current.chunks;
                return true;
            }
            if (!postReceive(current)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the queue and the slots had space for a chunk. The chunk may have failed. */
    private boolean postReceive(Job job) {
        if (!receivePosts.hasFree() || !hasSlot(job)) {
            return false;
        }
        long chunk = job.posted;
        // The remaining chunks of an aborted message are empty, and the user owns the memory again.
        boolean empty = !job.isStaged() && job.isFailing();
        Posts.Post post = receivePosts.take(job, takeSlot(job, chunk), chunk, empty);
        GpuTransferException failure;
        job.beginPost();
        try {
            if (adapter.tryPost(post)) {
                granted++;
                return true;
            }
            failure = new GpuTransferException("posting a receive: the queue is full");
        } catch (RuntimeException e) {
            failure = new GpuTransferException("posting a receive", e);
        }
        job.undoPost();
        giveBack(receivePosts, post);
        job.fail(chunk, failure);
        if (chunk > 0) {
            // The peer would send to a missing receive.
            adapter.breakDown(failure);
            return false;
        }
        return true;
    }

    /** Handles the completion of a chunk of a read. */
    void read(Posts.Post post, GpuTransferException failure) {
        arrived(posts, post, failure);
    }

    /**
     * Handles the arrival of a chunk of a message.
     *
     * @param bytes the length of the chunk
     * @param end whether the sender marked it as the last chunk
     * @param aborted whether the sender marked its message as aborted
     */
    void received(Posts.Post post, long bytes, boolean end, boolean aborted) {
        Job job = post.job;
        if (aborted) {
            job.fail(
                    post.chunk,
                    new GpuTransferException("the peer's send failed %s its message had begun"
                            .formatted(post.chunk == 0 ? "before" : "after")));
        } else if (bytes != post.bytes() || end != (post.chunk == job.chunks - 1)) {
            adapter.breakDown(new GpuTransferException(
                    "chunk %d of message %d came with %d of %d bytes: the peer is no channel of this version"
                            .formatted(post.chunk, job.message, bytes, post.bytes())));
            arrived(receivePosts, post, adapter.failure());
            return;
        }
        arrived(receivePosts, post, null);
    }

    /** Handles a chunk of a message that will not arrive. */
    void receiveFailed(Posts.Post post, GpuTransferException failure) {
        arrived(receivePosts, post, failure);
    }

    private void arrived(Posts from, Posts.Post post, GpuTransferException failure) {
        Job job = post.job;
        long chunk = post.chunk;
        int bytes = post.bytes();
        // The chunks before the failed one are valid.
        boolean wanted = failure == null && chunk < job.abortFrom && !job.isEnded();
        if (wanted && post.slot != null) {
            Slots.Slot slot = post.slot;
            // Cleared first: after an error, the queued copy owns the slot.
            post.slot = null;
            try {
                slots.copyIn(slot, chunk == job.chunks - 1);
            } catch (RuntimeException e) {
                post.slot = slot;
                wanted = false;
                bytes = 0;
                job.fail(chunk, new GpuTransferException("copying to the device", e));
            }
        }
        boolean copying = wanted && job.isStaged();
        job.endPost();
        giveBack(from, post);
        if (failure != null) {
            job.fail(chunk, failure);
        } else if (!copying) {
            job.completeChunk(wanted ? bytes : 0);
        }
    }

    /** Releases a post that nothing uses any more. */
    void release(Posts from, Posts.Post post) {
        Job job = post.job;
        job.endPost();
        giveBack(from, post);
    }

    boolean isIdle() {
        return slots == null || slots.isIdle();
    }

    /** Fails everything that the adapter does not hold. */
    void failAll(RuntimeException cause) {
        reads.forEach(job -> job.fail(cause));
        receives.forEach(job -> job.fail(cause));
        reads.clear();
        receives.clear();
        if (current != null) {
            current.fail(cause);
            current = null;
        }
    }
}
