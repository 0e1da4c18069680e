// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

/**
 * A transfer as the channel's protocol sees it: chunks, and the progress of each stage. The {@link Adapter} and the
 * {@link Copier} access its memory. For one thread at a time, except that any thread may read state, length, bytes done
 * and failure.
 */
abstract class Job {
    private final Transfer.Kind kind;
    private final boolean staged;
    private final int chunkSize;
    private volatile long length;
    private volatile long bytesDone;
    private volatile Transfer.State state = Transfer.State.UNDER_WAY;
    /** The first cause of its failure; null before a failure. */
    private volatile RuntimeException failure;

    private boolean started;

    /**
     * The number of a message of a send or a receive, counted from the beginning of the channel; -1 before the
     * announcement.
     */
    long message = -1;
    /** For a send: the number of chunks of all earlier messages. */
    long firstChunk;

    long chunks;
    /** For an outgoing staged transfer: the number of chunks that have taken a slot. */
    long taken;
    /** The number of chunks that were posted to the adapter. */
    long posted;
    /** The number of chunks that are complete. */
    long completed;
    /** Chunks from this one on carry no data, because the transfer failed there. */
    long abortFrom = Long.MAX_VALUE;

    /** For a receive that rejects its message: the buffer size that it reports. */
    long refusal = Mailbox.NO_RECEIVE;

    private int atAdapter;
    private int copying;

    /**
     * Creates a transfer.
     *
     * @param staged whether its bytes pass through slots
     * @param length in bytes; for a receive the size of its buffer
     */
    Job(Transfer.Kind kind, boolean staged, long length, int chunkSize) {
        this.kind = kind;
        this.staged = staged;
        this.chunkSize = chunkSize;
        this.length = length;
        // The number of chunks of a receive is unknown until its message is announced.
        this.chunks = kind == Transfer.Kind.RECEIVE ? Long.MAX_VALUE : chunksOf(length);
    }

    /**
     * Whether the work that it must follow is complete. An exception fails the transfer. Not called again once it
     * returned true.
     */
    abstract boolean isReady();

    /**
     * Called when all bytes of a read or receive have arrived: makes them visible to the GPU. An exception fails the
     * transfer.
     */
    abstract void flush();

    /** Called once, when nothing uses its memory any more. It throws nothing. */
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

    /**
     * Returns at least 1: a transfer without bytes has an empty chunk, so that it also ends after the transfers before
     * it.
     */
    final long chunksOf(long bytes) {
        return Math.max(1, Math.ceilDiv(bytes, chunkSize));
    }

    /** Returns the offset of a chunk. */
    final long chunkStart(long chunk) {
        return chunk * chunkSize;
    }

    /** Returns the length of a chunk. */
    final int chunkLength(long chunk) {
        return (int) Math.min(chunkSize, length - chunk * chunkSize);
    }

    /**
     * Whether it may be posted: the work that it must follow is complete, or the transfer has failed and need not wait.
     */
    final boolean mayStart() {
        if (!started && failure == null) {
            try {
                if (!isReady()) {
                    return false;
                }
                started = true;
            } catch (RuntimeException e) {
                fail(0, new GpuTransferException("waiting for the stream before the transfer", e));
            }
        }
        return true;
    }

    /** For a receive: sets the number and the length that the peer announced. */
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

    /** Called before a chunk is posted, so that an error while posting cannot leave the chunk uncounted. */
    final void beginPost() {
        posted++;
        atAdapter++;
    }

    /** Undoes {@link #beginPost}: the adapter did not take the chunk. */
    final void undoPost() {
        posted--;
        atAdapter--;
    }

    final void endPost() {
        atAdapter--;
    }

    /** Called before a copy is queued, so that an error cannot leave the copy uncounted. */
    final void beginCopy() {
        copying++;
    }

    final void endCopy() {
        copying--;
    }

    /** Counts a chunk as complete, with this number of valid bytes. */
    final void completeChunk(long bytes) {
        completed++;
        if (!isEnded()) {
            bytesDone += bytes;
        }
        settle();
    }

    /** Fails the transfer. The bytes from this chunk on are not valid. */
    final void fail(long chunk, RuntimeException cause) {
        abortFrom = Math.min(abortFrom, chunk);
        fail(cause);
    }

    /** Fails the transfer; the first cause counts. It ends when nothing uses its memory any more. */
    final void fail(RuntimeException cause) {
        if (failure == null && !isEnded()) {
            failure = cause;
        }
        settle();
    }

    /** Ends the transfer if nothing of it is outstanding. */
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
