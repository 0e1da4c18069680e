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
 * The queue pair of a channel, and the words that go to the peer's mailbox. For one thread at a time.
 */
final class ChannelWire implements Adapter {
    /** Chunks under way at least, so that a direct path is kept busy. */
    private static final int LEAST_DEPTH = 32;

    /** The kind of request that has completed: the upper half of its number. */
    private static final long SENT = 0;

    private static final long RECEIVED = 1L << 32;
    private static final long WORD = 2L << 32;

    /**
     * In the immediate data: a chunk of a message that was given up; all others with immediate data are the last of
     * theirs.
     */
    private static final int ABORTED = 1 << 31;

    private final QueuePair queuePair;
    private final CompletionQueue completionQueue;
    private final WorkCompletions completions = WorkCompletions.allocate(64);
    private final Mailbox mailbox;
    private final int[] freeWords = new int[Mailbox.OUTBOX];
    private int freeWordCount;
    private volatile GpuTransferException failure;
    private boolean ended;
    /** Completions of the last poll, and how many of them the protocol has handled: an error may stop it in between. */
    private int polled;

    private int handled;
    /** An error has struck while completions were polled: what the native call had fetched is lost. */
    private boolean completionsLost;

    /** An error that has interrupted the channel's work: the next poll breaks the channel down. */
    Error interrupted;

    ChannelWire(QueuePair queuePair, CompletionQueue completionQueue, Mailbox mailbox) {
        this.queuePair = queuePair;
        this.completionQueue = completionQueue;
        this.mailbox = mailbox;
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

    @Override
    public GpuTransferException failure() {
        return failure;
    }

    @Override
    public void breakDown(GpuTransferException cause) {
        if (failure == null) {
            failure = cause;
        }
        if (ended) {
            return;
        }
        try {
            queuePair.toError();
        } catch (VerbsException | IllegalStateException e) {
            failure.addSuppressed(e);
        }
        // Not before the call: an error in it must not keep the queue pair alive.
        ended = true;
    }

    /**
     * Fetches completions and passes them to the protocol. After an error, continues with the completion that the error
     * has interrupted.
     *
     * @return whether there were any
     */
    boolean poll(ChannelProtocol protocol) {
        try {
            if (interrupted != null) {
                endInterrupted(protocol);
            }
            return handled < polled ? handle(protocol) : fetch(protocol);
        } catch (Error e) {
            interrupted = e;
            throw e;
        }
    }

    private void endInterrupted(ChannelProtocol protocol) {
        GpuTransferException cause = new GpuTransferException("interrupted by " + interrupted);
        cause.initCause(interrupted);
        breakDown(cause);
        protocol.interrupted(cause);
        if (completionsLost) {
            endWithoutCompletions(protocol, cause);
        }
        interrupted = null;
    }

    /** Ends what is posted although completions are lost: an adapter without the queue pair touches no memory. */
    private void endWithoutCompletions(ChannelProtocol protocol, GpuTransferException cause) {
        try {
            queuePair.close();
            protocol.abandonPosts(cause);
        } catch (VerbsException e) {
            // Closing the channel tries again.
            failure.addSuppressed(e);
        }
        completionsLost = false;
    }

    private boolean fetch(ChannelProtocol protocol) {
        int count;
        try {
            count = completionQueue.poll(completions);
        } catch (Error e) {
            completionsLost = true;
            throw e;
        } catch (IllegalStateException | VerbsException e) {
            boolean first = !isBroken();
            breakDown(new GpuTransferException("polling", e));
            if (completionQueue.isOpen()) {
                // The adapter may still be at work: what it has is given up when the queue pair is gone.
                return first;
            }
            // Closing the adapter has closed the queue pair and its completions.
            protocol.abandonPosts(new GpuTransferException("the channel broke down", failure));
            return first;
        }
        handled = 0;
        polled = count;
        return handle(protocol);
    }

    private boolean handle(ChannelProtocol protocol) {
        boolean any = handled < polled;
        while (handled < polled) {
            dispatch(completions.get(handled), protocol);
            handled++;
        }
        return any;
    }

    private void dispatch(WorkCompletion completion, ChannelProtocol protocol) {
        long id = completion.workRequestId();
        boolean word = (id & WORD) != 0;
        GpuTransferException cause = null;
        if (!completion.isSuccess()) {
            cause = isBroken()
                    ? new GpuTransferException("the channel broke down", failure)
                    : new GpuTransferException(word ? "announcing messages to the peer" : "a chunk", completion);
            breakDown(cause);
        }
        if (word) {
            freeWords[freeWordCount++] = (int) id;
            return;
        }
        int index = (int) id;
        if ((id & RECEIVED) == 0) {
            protocol.completed(index, cause);
        } else if (cause != null) {
            protocol.receiveFailed(index, cause);
        } else {
            boolean immediate = completion.hasImmediateData();
            boolean aborted = immediate && (completion.immediateData() & ABORTED) != 0;
            protocol.received(index, completion.byteLength(), immediate && !aborted, aborted);
        }
    }

    @Override
    public boolean tryPost(Posts.Post post) {
        Work work = (Work) post.job;
        long id = (work.kind() == Transfer.Kind.RECEIVE ? RECEIVED : SENT) | post.index();
        MemorySlice local = local(post, work);
        return switch (work.kind()) {
            case WRITE -> queuePair.tryPostWrite(id, local, work.remoteChunk(post.chunk), SendFlags.SIGNALED);
            case READ -> queuePair.tryPostRead(id, local, work.remoteChunk(post.chunk), SendFlags.SIGNALED);
            case RECEIVE -> queuePair.tryPostReceive(id, local);
            case SEND -> {
                int number = (int) (work.message & ~ABORTED);
                if (post.empty) {
                    yield queuePair.tryPostSendWithImmediate(id, local, ABORTED | number, SendFlags.SIGNALED);
                }
                yield post.chunk == work.chunks - 1
                        ? queuePair.tryPostSendWithImmediate(id, local, number, SendFlags.SIGNALED)
                        : queuePair.tryPostSend(id, local, SendFlags.SIGNALED);
            }
        };
    }

    private MemorySlice local(Posts.Post post, Work work) {
        if (post.empty) {
            return mailbox.nothing();
        }
        return post.slot == null ? work.directChunk(post.chunk) : work.staging().slice(post.slot);
    }

    @Override
    public boolean hasRoomForWord() {
        return freeWordCount > 0 && failure == null;
    }

    @Override
    public void announceGrants(long grants) {
        int place = freeWords[freeWordCount - 1];
        writeWord(place, mailbox.grantsWord(place, grants), mailbox.grantsTarget());
    }

    @Override
    public void announce(long message, long length) {
        int place = freeWords[freeWordCount - 1];
        writeWord(place, mailbox.messageWord(place, message, length), mailbox.announcementTarget(message));
    }

    @Override
    public void refuse(long message, long room) {
        int place = freeWords[freeWordCount - 1];
        writeWord(place, mailbox.messageWord(place, message, room), mailbox.refusalTarget(message));
    }

    private void writeWord(int place, MemorySlice word, RemoteMemory target) {
        boolean posted;
        try {
            posted = queuePair.tryPostWrite(WORD | place, word, target, SendFlags.SIGNALED);
        } catch (IllegalStateException | VerbsException e) {
            breakDown(new GpuTransferException("announcing messages to the peer", e));
            return;
        }
        if (posted) {
            freeWordCount--;
        } else {
            breakDown(new GpuTransferException("announcing messages to the peer: the send queue is full"));
        }
    }

    @Override
    public long grants() {
        return mailbox.grants();
    }

    @Override
    public long announced(long message) {
        return mailbox.announced(message);
    }

    @Override
    public long refused(long message) {
        return mailbox.refused(message);
    }
}
