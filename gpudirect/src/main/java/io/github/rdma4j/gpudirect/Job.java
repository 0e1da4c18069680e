// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

/**
 * A transfer as the channel's protocol sees it: chunks, and the progress of each stage. The {@link Adapter} and the
 * {@link Copier} handle its memory. For one thread at a time, except that state, length, bytes done and failure may be
 * asked by any.
 */
abstract class Job {
    private final Transfer.Kind kind;
    private final boolean staged;
    private final int chunkSize;
    private volatile long length;
    private volatile long bytesDone;
    private volatile Transfer.State state = Transfer.State.UNDER_WAY;
    /** Why it failed, or is failing; null if it is not. */
    private volatile RuntimeException failure;

    private boolean started;

    /** Of a send or a receive, counted from the beginning of the channel; -1 before it is announced. */
    long message = -1;
    /** Of a send: the chunks of all messages before it. */
    long firstChunk;

    long chunks;
    /** Chunks that have a slot, for an outgoing staged transfer. */
    long taken;
    /** Chunks that the adapter has been given. */
    long posted;
    /** Chunks that are through. */
    long completed;
    /** From here on chunks carry nothing: it failed there. */
    long abortFrom = Long.MAX_VALUE;

    /** For a receive that rejects its message: the buffer size that it reports. */
    long refusal = Mailbox.NO_RECEIVE;

    private int atAdapter;
    private int copying;

    /**
     * A transfer.
     *
     * @param staged whether its bytes go through slots
     * @param length in bytes; of a receive the room
     */
    Job(Transfer.Kind kind, boolean staged, long length, int chunkSize) {
        this.kind = kind;
        this.staged = staged;
        this.chunkSize = chunkSize;
        this.length = length;
        // A receive has none that are known before its message is announced.
        this.chunks = kind == Transfer.Kind.RECEIVE ? Long.MAX_VALUE : chunksOf(length);
    }

    /** Whether what it comes after is done; what it throws fails the transfer. Not called again once it is. */
    abstract boolean isReady();

    /** All bytes of a read or receive have come: has the GPU see them. What it throws fails the transfer. */
    abstract void flush();

    /** Called once, when nobody touches its memory any more. It throws nothing. */
    abstract void ended();

    final Transfer.Kind kind() {
        return kind;
    }

    final boolean isStaged() {
        return staged;
    }

    final long length() {
        return length;
    }

    final long bytesDone() {
        return bytesDone;
    }

    final Transfer.State state() {
        return state;
    }

    final boolean isEnded() {
        return state != Transfer.State.UNDER_WAY;
    }

    final boolean isStarted() {
        return started;
    }

    final boolean isFailing() {
        return failure != null;
    }

    final RuntimeException failure() {
        return failure;
    }

    final boolean isCopying() {
        return copying > 0;
    }

    /** At least one, which may be empty, so that a transfer without bytes also ends after the transfers before it. */
    final long chunksOf(long bytes) {
        return Math.max(1, Math.ceilDiv(bytes, chunkSize));
    }

    /** Where a chunk starts. */
    final long chunkStart(long chunk) {
        return chunk * chunkSize;
    }

    /** The bytes of a chunk. */
    final int chunkLength(long chunk) {
        return (int) Math.min(chunkSize, length - chunk * chunkSize);
    }

    /** Whether it may go on: what it comes after is done, or it has failed and has nothing to wait for. */
    final boolean mayStart() {
        if (!started && failure == null) {
            try {
                if (!isReady()) {
                    return false;
                }
                started = true;
            } catch (RuntimeException e) {
                fail(0, new GpuTransferException("the stream that it comes after", e));
            }
        }
        return true;
    }

    /** Of a receive: what the peer has announced. */
    final void announced(long number, long bytes) {
        message = number;
        chunks = chunksOf(bytes);
        if (!isEnded()) {
            length = bytes;
        }
    }

    /** For a send that failed before it was announced: one empty chunk reports the failure. */
    final void shrinkToNothing() {
        chunks = 1;
        abortFrom = 0;
    }

    /** Before the adapter is given a chunk, so that an error while posting cannot leave the chunk uncounted. */
    final void given() {
        posted++;
        atAdapter++;
    }

    /** The adapter has not taken it. */
    final void notGiven() {
        posted--;
        atAdapter--;
    }

    final void back() {
        atAdapter--;
    }

    /** Before the copy is queued, for the same reason. */
    final void copyQueued() {
        copying++;
    }

    final void copied() {
        copying--;
    }

    /** A chunk is through, with its bytes where they should be, or with none. */
    final void chunkThrough(long bytes) {
        completed++;
        if (!isEnded()) {
            bytesDone += bytes;
        }
        settle();
    }

    /** It cannot end well any more, and no byte from a chunk on counts. */
    final void fail(long chunk, RuntimeException cause) {
        abortFrom = Math.min(abortFrom, chunk);
        fail(cause);
    }

    /**
     * It cannot end well any more; the first cause counts. It is at its end when nobody touches its memory any more.
     */
    final void fail(RuntimeException cause) {
        if (failure == null && !isEnded()) {
            failure = cause;
        }
        settle();
    }

    /** Ends it if nothing more is to come. */
    final void settle() {
        if (isEnded()) {
            return;
        }
        if (failure == null && started && completed == chunks) {
            try {
                if (!ChannelProtocol.leaves(kind)) {
                    flush();
                }
            } catch (RuntimeException e) {
                failure = e;
            }
            end();
        } else if (failure != null && atAdapter == 0 && copying == 0) {
            end();
        }
    }

    private void end() {
        state = failure == null ? Transfer.State.DONE : Transfer.State.FAILED;
        ended();
    }
}
