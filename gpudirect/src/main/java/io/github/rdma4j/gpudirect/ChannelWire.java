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
 * The queue pair of a channel, including the words that are written to the peer's mailbox. For one thread at a time.
 */
final class ChannelWire implements Adapter {
    /** The fewest chunks in flight, so that a direct path is kept busy. */
    private static final int LEAST_DEPTH = 32;

    /** The upper half of a request's number says what has completed. */
    private static final long SENT = 0;

    private static final long RECEIVED = 1L << 32;
    private static final long WORD = 2L << 32;

    /**
     * A bit of the immediate data: the chunk belongs to a message that was aborted. Without this bit, immediate data
     * marks the last chunk of its message.
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
    /**
     * The number of completions in the last poll, and how many of them were handled: an error can interrupt the
     * handling.
     */
    private int polled;

    private int handled;
    /** An error interrupted the poll, so the completions that the native call fetched are lost. */
    private boolean completionsLost;

    /** The error that interrupted the channel's work. The next poll breaks the channel. */
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

    /** Includes the words. */
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
        // Set after the call, so that an error in the call cannot leave the queue pair working.
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

    /**
     * Fails everything posted, although completions are lost: without the queue pair, the adapter accesses no memory.
     */
    private void endWithoutCompletions(ChannelProtocol protocol, GpuTransferException cause) {
        try {
            queuePair.close();
            protocol.abandonPosts(cause);
        } catch (VerbsException e) {
            // Closing the channel closes it again.
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
                // The adapter may still use the memory: the requests are abandoned when the queue pair has been
                // destroyed.
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
    public boolean canSendWord() {
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
        writeWord(place, mailbox.announcementWord(place, message, length), mailbox.announcementTarget(message));
    }

    @Override
    public void refuse(long message, long room) {
        int place = freeWords[freeWordCount - 1];
        writeWord(place, mailbox.refusalWord(place, message, room), mailbox.refusalTarget(message));
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
