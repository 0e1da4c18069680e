// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.verbs.VerbsException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The outgoing writes and sends, in the order of the calls. Sends are announced, and proceed as the peer posts
 * receives. A staged chunk takes a slot, is copied and posted, and releases the slot with its completion.
 *
 * <p>A message after a write signals that the write has arrived, and a later write may do the same. When a write fails,
 * all writes and sends fail that were queued after it, before its failure was visible.
 *
 * <p>The n-th send is for the n-th receive of the peer, even if one of them fails. A send that fails is announced
 * nevertheless, and its missing chunks are sent empty.
 */
final class Outgoing {
    /** How an attempt to post ended. */
    private enum Outcome {
        POSTED,
        LATER,
        ABANDONED
    }

    private final Adapter adapter;
    private final Posts posts;
    private final ArrayDeque<Job> queue = new ArrayDeque<>();
    /** Writes that have failed and not ended: the program cannot see their failure yet. */
    private final List<Job> failing = new ArrayList<>();
    /** Messages that are announced and not complete, by their number. */
    private final Job[] announced = new Job[Mailbox.MESSAGES];

    private Slots slots;
    private long nextMessage;
    private long nextChunk;
    private long grants;

    Outgoing(Adapter adapter, Posts posts) {
        this.adapter = adapter;
        this.posts = posts;
    }

    /** Sets the slots. Called before the first staged transfer is added. */
    void use(Slots slots) {
        this.slots = slots;
    }

    void add(Job job) {
        queue.add(job);
        failing.removeIf(Job::isEnded);
        if (!failing.isEmpty()) {
            fail(job, 0, behind(failing.getFirst()));
        }
    }

    boolean advance() {
        boolean moved = postCopied();
        if (adapter.isBroken()) {
            return moved;
        }
        grants = adapter.grants();
        moved |= takeRefusals();
        moved |= announce();
        return moved | postAll();
    }

    /** Fails a transfer from a chunk that was not posted, and the transfers that vouch for it. */
    void fail(Job job, long chunk, RuntimeException cause) {
        boolean first = !job.isFailing();
        job.fail(chunk, cause);
        if (first) {
            failLater(job);
        }
    }

    private void failLater(Job job) {
        if (job.kind() != Transfer.Kind.WRITE) {
            return;
        }
        addFailing(job);
        GpuTransferException cause = behind(job);
        boolean behind = false;
        for (Job other : queue) {
            if (behind) {
                other.fail(0, cause);
                addFailing(other);
            }
            behind |= other == job;
        }
    }

    private void addFailing(Job job) {
        if (job.kind() == Transfer.Kind.WRITE && !job.isEnded()) {
            failing.add(job);
        }
    }

    private static GpuTransferException behind(Job write) {
        return new GpuTransferException("an earlier write failed", write.failure());
    }

    private boolean mayStart(Job job) {
        boolean failing = job.isFailing();
        boolean may = job.mayStart();
        if (!failing && job.isFailing()) {
            failLater(job);
        }
        return may;
    }

    /** Called after the grants were read: they count a rejected message only once its rejection can be seen. */
    private boolean takeRefusals() {
        boolean moved = false;
        for (int i = 0; i < announced.length; i++) {
            Job job = announced[i];
            if (job == null || job.posted > 0) {
                continue;
            }
            long room = adapter.refused(job.message);
            if (room >= 0) {
                announced[i] = null;
                queue.remove(job);
                job.fail(
                        0,
                        new GpuTransferException(
                                room == Mailbox.NO_RECEIVE
                                        ? "the peer's receive for the message failed"
                                        : "the message has %d bytes, but the peer's receive only %d"
                                                .formatted(job.length(), room)));
                moved = true;
            }
        }
        return moved;
    }

    private boolean announce() {
        boolean moved = false;
        for (Job job : queue) {
            if (!mayStart(job)) {
                break;
            }
            if (job.kind() != Transfer.Kind.SEND || job.message >= 0) {
                continue;
            }
            int place = (int) (nextMessage % Mailbox.MESSAGES);
            if (announced[place] != null || !adapter.canSendWord()) {
                break;
            }
            if (job.isFailing()) {
                job.shrinkToNothing();
            }
            job.message = nextMessage++;
            job.firstChunk = nextChunk;
            nextChunk += job.chunks;
            announced[place] = job;
            adapter.announce(job.message, job.isFailing() ? 0 : job.length());
            moved = true;
        }
        return moved;
    }

    /**
     * Posts what can be posted. Staged chunks of several transfers may be in flight at once; a transfer that needs no
     * copy waits for all before it.
     */
    private boolean postAll() {
        boolean moved = false;
        boolean allPosted = true;
        for (Job job : queue) {
            if (adapter.isBroken() || !mayStart(job) || isUnannounced(job)) {
                break;
            }
            long start = job.taken + job.posted;
            boolean all = job.isStaged() && !job.isFailing() ? stage(job) : allPosted && postDirectly(job);
            moved |= job.taken + job.posted != start;
            if (!all) {
                break;
            }
            allPosted &= isFullyPosted(job);
        }
        while (!queue.isEmpty() && isFullyPosted(queue.peek())) {
            queue.remove().settle();
            moved = true;
        }
        return moved;
    }

    private static boolean isUnannounced(Job job) {
        return job.kind() == Transfer.Kind.SEND && job.message < 0;
    }

    /** Whether nothing of it remains to be posted. */
    private static boolean isFullyPosted(Job job) {
        if (job.isFailing() && job.kind() == Transfer.Kind.WRITE) {
            return !job.isCopying();
        }
        return (job.isStarted() || job.isFailing()) && job.posted == job.chunks;
    }

    private boolean isGranted(Job job, long chunk) {
        return job.kind() == Transfer.Kind.WRITE || job.firstChunk + chunk < grants;
    }

    /** Returns whether all chunks have taken a slot. */
    private boolean stage(Job job) {
        while (job.taken < job.chunks) {
            long chunk = job.taken;
            if (!slots.hasFree() || !isGranted(job, chunk)) {
                return false;
            }
            Slots.Slot slot = slots.take(job, chunk);
            try {
                slots.copyOut(slot);
            } catch (RuntimeException e) {
                slots.release(slot);
                fail(job, chunk, new GpuTransferException("copying from the device", e));
                return false;
            }
            job.taken++;
        }
        return true;
    }

    /**
     * Posts chunks that need no copy: chunks on a direct path, and the empty chunks of a failed send, for which the
     * peer waits.
     */
    private boolean postDirectly(Job job) {
        if (job.isStaged() && job.isCopying()) {
            return false;
        }
        while (!isFullyPosted(job)) {
            long chunk = job.posted;
            if (!posts.hasFree() || !isGranted(job, chunk)) {
                return false;
            }
            if (post(job, null, chunk, chunk >= job.abortFrom) == Outcome.LATER || adapter.isBroken()) {
                return false;
            }
        }
        return true;
    }

    private boolean postCopied() {
        boolean moved = false;
        Slots.Slot slot;
        while (slots != null && (slot = slots.firstCopied()) != null) {
            Job job = slot.job;
            if (slot.failure != null) {
                fail(job, slot.chunk, new GpuTransferException("copying from the device", slot.failure));
            }
            boolean withData = slot.chunk < job.abortFrom && !adapter.isBroken();
            boolean empty = !withData && job.kind() == Transfer.Kind.SEND && !adapter.isBroken();
            Outcome outcome = Outcome.ABANDONED;
            if (withData || empty) {
                outcome = posts.hasFree() ? post(job, withData ? slot : null, slot.chunk, empty) : Outcome.LATER;
                if (outcome == Outcome.LATER) {
                    return moved;
                }
            }
            if (outcome == Outcome.ABANDONED && withData && !adapter.isBroken()) {
                // The next iteration handles it as an aborted chunk.
                continue;
            }
            slots.removeCopied();
            job.endCopy();
            if (!slot.posted) {
                slots.release(slot);
            }
            job.settle();
            moved = true;
        }
        return moved;
    }

    private Outcome post(Job job, Slots.Slot slot, long chunk, boolean empty) {
        Posts.Post post = posts.take(job, slot, chunk, empty);
        job.beginPost();
        if (slot != null) {
            slot.posted = true;
        }
        boolean posted;
        try {
            posted = adapter.tryPost(post);
        } catch (RuntimeException e) {
            undoPost(post);
            GpuTransferException failure = new GpuTransferException("posting an outgoing chunk", e);
            if (!empty) {
                fail(job, chunk, failure);
            }
            // A chunk whose memory cannot be used is replaced by an empty one. But if the adapter refuses, a chunk for
            // which the peer waits would be missing.
            if (empty || e instanceof VerbsException && job.kind() == Transfer.Kind.SEND) {
                adapter.breakDown(failure);
            }
            return Outcome.ABANDONED;
        }
        if (!posted) {
            undoPost(post);
            return Outcome.LATER;
        }
        return Outcome.POSTED;
    }

    /** Undoes a post that the adapter did not take. */
    private void undoPost(Posts.Post post) {
        if (post.slot != null) {
            post.slot.posted = false;
        }
        post.job.undoPost();
        posts.release(post);
    }

    /** Handles the completion of a chunk. The bytes have arrived if there is no failure. */
    void sent(Posts.Post post, GpuTransferException failure) {
        Job job = post.job;
        int bytes = post.bytes();
        release(post);
        if (failure != null) {
            job.fail(failure);
            return;
        }
        job.completeChunk(bytes);
        if (job.kind() == Transfer.Kind.SEND && job.completed == job.chunks) {
            announced[(int) (job.message % Mailbox.MESSAGES)] = null;
        }
    }

    /** Releases a post that nothing uses any more. */
    void release(Posts.Post post) {
        if (post.slot != null) {
            slots.release(post.slot);
        }
        post.job.endPost();
        posts.release(post);
    }

    boolean isIdle() {
        return slots == null || slots.isIdle();
    }

    /** Fails everything that the adapter does not hold. */
    void failAll(RuntimeException cause) {
        for (Job job : queue) {
            job.fail(0, cause);
        }
        queue.clear();
    }
}
