// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.verbs.VerbsException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The outgoing writes and sends, in the order of the calls. Sends are announced and proceed as the peer posts receives.
 * A staged chunk takes a slot, is copied, posted, and gives the slot back with its completion.
 *
 * <p>A message after a write signals that the write has arrived, and another write may do the same. When a write fails,
 * all writes and sends that were queued after it, before its failure was visible, fail as well.
 *
 * <p>The n-th send is for the n-th receive of the peer, whatever becomes of the two. A send that fails is announced all
 * the same, and its missing chunks are sent empty.
 */
final class Outgoing {
    /** How an attempt to post ended. */
    private enum Outcome {
        POSTED,
        LATER,
        GIVEN_UP
    }

    private final Adapter adapter;
    private final Posts posts;
    private final ArrayDeque<Job> queue = new ArrayDeque<>();
    /** Writes that have failed and are not at their end, so that nobody can know. */
    private final List<Job> dying = new ArrayList<>();
    /** Messages that are announced and not through, by their number. */
    private final Job[] announced = new Job[Mailbox.MESSAGES];

    private Slots slots;
    private long nextMessage;
    private long nextChunk;
    private long grants;

    Outgoing(Adapter adapter, Posts posts) {
        this.adapter = adapter;
        this.posts = posts;
    }

    /** For staged transfers: before the first of them comes. */
    void use(Slots slots) {
        this.slots = slots;
    }

    void add(Job job) {
        queue.add(job);
        dying.removeIf(Job::isEnded);
        if (!dying.isEmpty()) {
            fail(job, 0, behind(dying.getFirst()));
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
        return moved | pushAll();
    }

    /** Fails a transfer that nothing has been posted of from a chunk on, and what vouches for it. */
    void fail(Job job, long chunk, RuntimeException cause) {
        boolean first = !job.isFailing();
        job.fail(chunk, cause);
        if (first) {
            failBehind(job);
        }
    }

    private void failBehind(Job job) {
        if (job.kind() != Transfer.Kind.WRITE) {
            return;
        }
        noteDying(job);
        GpuTransferException cause = behind(job);
        boolean behind = false;
        for (Job other : queue) {
            if (behind) {
                other.fail(0, cause);
                noteDying(other);
            }
            behind |= other == job;
        }
    }

    private void noteDying(Job job) {
        if (job.kind() == Transfer.Kind.WRITE && !job.isEnded()) {
            dying.add(job);
        }
    }

    private static GpuTransferException behind(Job write) {
        return new GpuTransferException("a write before it failed", write.failure());
    }

    private boolean mayStart(Job job) {
        boolean failing = job.isFailing();
        boolean may = job.mayStart();
        if (!failing && job.isFailing()) {
            failBehind(job);
        }
        return may;
    }

    /** Only when the grants have been read: a refused message is counted in them, once its refusal can be seen. */
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
                                        ? "the receive that the peer had for the message failed"
                                        : "the message has %d bytes, and the peer's receive room for %d"
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
            if (announced[place] != null || !adapter.hasRoomForWord()) {
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
     * Staged chunks of several transfers may be on their way at once; what is posted straight waits for all before it.
     */
    private boolean pushAll() {
        boolean moved = false;
        boolean allThrough = true;
        for (Job job : queue) {
            if (adapter.isBroken() || !mayStart(job) || isUnannounced(job)) {
                break;
            }
            long start = job.taken + job.posted;
            boolean all = job.isStaged() && !job.isFailing() ? stage(job) : allThrough && pushStraight(job);
            moved |= job.taken + job.posted != start;
            if (!all) {
                break;
            }
            allThrough &= isThrough(job);
        }
        while (!queue.isEmpty() && isThrough(queue.peek())) {
            queue.remove().settle();
            moved = true;
        }
        return moved;
    }

    private static boolean isUnannounced(Job job) {
        return job.kind() == Transfer.Kind.SEND && job.message < 0;
    }

    /** Whether nothing of it has to be posted any more. */
    private static boolean isThrough(Job job) {
        if (job.isFailing() && job.kind() == Transfer.Kind.WRITE) {
            return !job.isCopying();
        }
        return (job.isStarted() || job.isFailing()) && job.posted == job.chunks;
    }

    private boolean mayGo(Job job, long chunk) {
        return job.kind() == Transfer.Kind.WRITE || job.firstChunk + chunk < grants;
    }

    /** Whether all chunks have a slot. */
    private boolean stage(Job job) {
        while (job.taken < job.chunks) {
            long chunk = job.taken;
            if (!slots.hasFree() || !mayGo(job, chunk)) {
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

    /** Posts what is posted straight; of a send that failed the empty chunks that the peer still waits for. */
    private boolean pushStraight(Job job) {
        if (job.isStaged() && job.isCopying()) {
            return false;
        }
        while (!isThrough(job)) {
            long chunk = job.posted;
            if (!posts.hasRoom() || !mayGo(job, chunk)) {
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
            Outcome outcome = Outcome.GIVEN_UP;
            if (withData || empty) {
                outcome = posts.hasRoom() ? post(job, withData ? slot : null, slot.chunk, empty) : Outcome.LATER;
                if (outcome == Outcome.LATER) {
                    return moved;
                }
            }
            if (outcome == Outcome.GIVEN_UP && withData && !adapter.isBroken()) {
                // It comes round once more, now as one that was given up.
                continue;
            }
            slots.removeCopied();
            job.copied();
            if (!slot.given) {
                slots.release(slot);
            }
            job.settle();
            moved = true;
        }
        return moved;
    }

    private Outcome post(Job job, Slots.Slot slot, long chunk, boolean empty) {
        Posts.Post post = posts.take(job, slot, chunk, empty);
        job.given();
        if (slot != null) {
            slot.given = true;
        }
        boolean posted;
        try {
            posted = adapter.tryPost(post);
        } catch (RuntimeException e) {
            takeBack(post);
            GpuTransferException failure = new GpuTransferException("posting a chunk that goes out", e);
            if (!empty) {
                fail(job, chunk, failure);
            }
            // Memory that cannot be used is replaced by an empty chunk. But if the adapter refuses, nothing may be
            // missing among the chunks that the peer waits for.
            if (empty || e instanceof VerbsException && job.kind() == Transfer.Kind.SEND) {
                adapter.breakDown(failure);
            }
            return Outcome.GIVEN_UP;
        }
        if (!posted) {
            takeBack(post);
            return Outcome.LATER;
        }
        return Outcome.POSTED;
    }

    /** The adapter has not taken it. */
    private void takeBack(Posts.Post post) {
        if (post.slot != null) {
            post.slot.given = false;
        }
        post.job.notGiven();
        posts.release(post);
    }

    /** A chunk has its completion; the bytes are there if there is no failure. */
    void sent(Posts.Post post, GpuTransferException failure) {
        Job job = post.job;
        int bytes = post.bytes();
        release(post);
        if (failure != null) {
            job.fail(failure);
            return;
        }
        job.chunkThrough(bytes);
        if (job.kind() == Transfer.Kind.SEND && job.completed == job.chunks) {
            announced[(int) (job.message % Mailbox.MESSAGES)] = null;
        }
    }

    /** Nobody uses what was posted any more. */
    void release(Posts.Post post) {
        if (post.slot != null) {
            slots.release(post.slot);
        }
        post.job.back();
        posts.release(post);
    }

    boolean isIdle() {
        return slots == null || slots.isIdle();
    }

    /** All that is not at the adapter fails. */
    void failAll(RuntimeException cause) {
        for (Job job : queue) {
            job.fail(0, cause);
        }
        queue.clear();
    }
}
