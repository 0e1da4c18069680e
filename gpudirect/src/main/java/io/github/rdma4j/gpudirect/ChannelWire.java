// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;

/**
 * The queue pair of a channel, with what is posted to it, and the words that go to the peer's mailbox. For one thread
 * at a time.
 */
final class ChannelWire {
    /** Chunks under way at least, so that a direct path is kept busy. */
    private static final int LEAST_DEPTH = 32;

    /** What kind of request a completion is of: the upper half of its number. */
    static final long SENT = 0;

    static final long RECEIVED = 1L << 32;
    private static final long WORD = 2L << 32;

    private final QueuePair queuePair;
    private final CompletionQueue completionQueue;
    private final WorkCompletions completions = WorkCompletions.allocate(64);
    final Mailbox mailbox;
    final Posts sends;
    final Posts receives;
    private final int[] freeWords = new int[Mailbox.OUTBOX];
    private int freeWordCount;
    private TransferException failure;

    ChannelWire(QueuePair queuePair, CompletionQueue completionQueue, Mailbox mailbox, int slots) {
        this.queuePair = queuePair;
        this.completionQueue = completionQueue;
        this.mailbox = mailbox;
        this.sends = new Posts(depth(slots));
        this.receives = new Posts(depth(slots));
        for (int i = 0; i < Mailbox.OUTBOX; i++) {
            freeWords[freeWordCount++] = i;
        }
    }

    static int depth(int slots) {
        return Math.max(LEAST_DEPTH, slots);
    }

    /** With the words. */
    static int sendQueueDepth(int slots) {
        return depth(slots) + Mailbox.OUTBOX;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Why nothing can be posted any more; null as long as it can. */
    TransferException failure() {
        return failure;
    }

    boolean isBroken() {
        return failure != null;
    }

    /** Has everything that is posted complete, and nothing posted any more. */
    void breakDown(TransferException cause) {
        if (failure != null) {
            return;
        }
        failure = cause;
        try {
            queuePair.toError();
        } catch (VerbsException | IllegalStateException e) {
            cause.addSuppressed(e);
        }
    }

    /** Fetches completions; they are looked at with {@link #completion}. */
    int poll() {
        return completionQueue.poll(completions);
    }

    WorkCompletion completion(int index) {
        return completions.get(index);
    }

    /** Whether a completion is that of a word, which is dealt with here. */
    boolean isWord(WorkCompletion completion) {
        if ((completion.workRequestId() & WORD) == 0) {
            return false;
        }
        freeWords[freeWordCount++] = (int) completion.workRequestId();
        if (!completion.isSuccess()) {
            breakDown(new TransferException("telling the peer of messages", completion));
        }
        return true;
    }

    boolean hasRoomForWord() {
        return freeWordCount > 0 && failure == null;
    }

    /** Tells the peer how many receives have been posted since the beginning. */
    void tellGrants(long grants) {
        int place = freeWords[freeWordCount - 1];
        tell(place, mailbox.grantsWord(place, grants), mailbox.grantsTarget());
    }

    /** Tells it of a message to come. */
    void announce(long message, long length) {
        int place = freeWords[freeWordCount - 1];
        tell(place, mailbox.messageWord(place, message, length), mailbox.announcementTarget(message));
    }

    /** Tells it that its message is longer than the room for it. */
    void refuse(long message, long room) {
        int place = freeWords[freeWordCount - 1];
        tell(place, mailbox.messageWord(place, message, room), mailbox.refusalTarget(message));
    }

    private void tell(int place, MemorySlice word, RemoteMemory target) {
        int result;
        try {
            result = queuePair.postWrite(WORD | place, word, target, SendFlags.SIGNALED);
        } catch (IllegalStateException e) {
            breakDown(new TransferException("telling the peer of messages", e));
            return;
        }
        if (result == 0) {
            freeWordCount--;
        } else {
            breakDown(postFailed("telling the peer of messages", result));
        }
    }

    static TransferException postFailed(String what, int errno) {
        return new TransferException("%s: posting failed with %s".formatted(what, VerbsException.describe(errno)));
    }
}
