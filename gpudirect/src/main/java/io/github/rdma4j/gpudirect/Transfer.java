// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaEvent;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * Bytes on their way through a {@link DeviceChannel}. It goes on only while {@link DeviceChannel#progress()} or a
 * waiting method is called.
 *
 * <p>Thread safety: for one thread at a time, the channel's; what it tells of itself may be asked by any thread.
 *
 * @since 0.1.0
 */
public final class Transfer {
    /** Which way the bytes go, and who names the far memory. */
    public enum Kind {
        /** To the peer's memory, which does not notice. */
        WRITE,
        /** From the peer's memory, which does not notice. */
        READ,
        /** To where the peer has called receive. */
        SEND,
        /** From where the peer has called send. */
        RECEIVE
    }

    /** How far it is. */
    public enum State {
        /** Not yet at its end. */
        UNDER_WAY,
        /** All bytes are where they should be. */
        DONE,
        /** It failed; nobody touches its memory any more. */
        FAILED
    }

    private static final int NO_FLAG = -1;

    private final DeviceChannel channel;
    private final Kind kind;
    final Place place;
    final RemoteMemory remote;
    private final int chunkSize;
    private volatile long length;
    private volatile long bytesDone;
    private volatile State state = State.UNDER_WAY;
    /** Why it failed, or is failing; null if it is not. */
    private volatile RuntimeException failure;

    private CudaEvent after;
    private boolean started;
    private int flag = NO_FLAG;
    private int ticket;
    /** The copy that ends a staged read or receive, once it is queued. */
    private CudaEvent lastCopy;

    /** Of a send or a receive, counted from the beginning of the channel; -1 before it is announced. */
    long message = -1;
    /** Of a send: the chunks of all messages before it. */
    long firstChunk;

    long chunks;
    /** Chunks that have got a slot, of a staged transfer that goes out. */
    long staged;
    /** Chunks that the adapter has been given. */
    long posted;
    /** Chunks that are through. */
    long completed;
    /** From here on chunks carry nothing: it failed there. */
    long abortFrom = Long.MAX_VALUE;

    private int atAdapter;
    private int copying;

    Transfer(DeviceChannel channel, Kind kind, Place place, RemoteMemory remote, int chunkSize) {
        this.channel = channel;
        this.kind = kind;
        this.place = place;
        this.remote = remote;
        this.chunkSize = chunkSize;
        this.length = place.length();
        // A receive has none that are known before its message is announced.
        this.chunks = kind == Kind.RECEIVE ? Long.MAX_VALUE : chunksOf(length);
    }

    /** A message has one at least, which may be empty. */
    long chunksOf(long bytes) {
        long full = Math.ceilDiv(bytes, chunkSize);
        return kind == Kind.SEND || kind == Kind.RECEIVE ? Math.max(1, full) : full;
    }

    /** {@return what it does} */
    public Kind kind() {
        return kind;
    }

    /** {@return its bytes; of a receive the room, until the peer has said how long its message is} */
    public long length() {
        return length;
    }

    /** {@return how many bytes, from the first one on, are certainly where they should be} */
    public long bytesDone() {
        return bytesDone;
    }

    /** {@return how far it is} */
    public State state() {
        return state;
    }

    /** {@return whether it is at its end, well or not} */
    public boolean isEnded() {
        return state != State.UNDER_WAY;
    }

    /** {@return why it failed; empty as long as it has not} */
    public Optional<RuntimeException> failure() {
        return state == State.FAILED ? Optional.of(failure) : Optional.empty();
    }

    /**
     * Has it start only when what a stream has been given so far is done: the kernel that writes the bytes, for
     * instance. The host does not wait.
     *
     * @param stream of the channel's context
     * @return this
     * @throws IllegalStateException if it has started; it does not before the next {@link DeviceChannel#progress()} or
     *     waiting call
     */
    public Transfer after(CudaStream stream) {
        if (started || isEnded()) {
            throw new IllegalStateException(this + " has started: call after(stream) right after it was made");
        }
        if (after == null) {
            after = stream.context().createEvent();
        }
        after.record(stream);
        return this;
    }

    /**
     * Lets what a stream is given from now on wait until this is at its end; the host does not wait. The stream goes on
     * too if the transfer fails: ask {@link #state()} before its results are used. {@link DeviceChannel#progress()}
     * must go on being called, or the stream waits for ever.
     *
     * @param stream of the channel's context
     * @param timeout how long the host waits in place of a stream that cannot wait for values in memory
     * @throws TransferException if it has failed already
     * @throws IllegalStateException if the host had to wait, and the time is over
     */
    public void follow(CudaStream stream, Duration timeout) {
        if (isEnded()) {
            requireNoFailure();
            return;
        }
        if (lastCopy != null) {
            stream.waitFor(lastCopy);
            return;
        }
        FollowFlags flags = channel.gpu().followFlags();
        if (flag == NO_FLAG) {
            flag = flags.take();
            ticket = flag == NO_FLAG ? 0 : flags.ticket(flag);
        }
        if (flag != NO_FLAG && waitOnStream(flags, stream)) {
            return;
        }
        if (!await(timeout)) {
            throw new IllegalStateException("%s is not at its end after %s, and the stream cannot wait for it by itself"
                    .formatted(this, timeout));
        }
    }

    private boolean waitOnStream(FollowFlags flags, CudaStream stream) {
        try {
            flags.await(stream, flag, ticket);
            return true;
        } catch (CudaException e) {
            if (e.resultName().equals("CUDA_ERROR_NOT_SUPPORTED")
                    || e.resultName().equals("CUDA_ERROR_NOT_FOUND")) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Calls {@link DeviceChannel#progress()} until it is at its end.
     *
     * @param timeout how long at most
     * @return whether it is; false if the time is over, and it goes on
     * @throws TransferException if it failed
     * @throws io.github.rdma4j.cuda.CudaWaitInterruptedException if the thread is interrupted
     */
    public boolean await(Duration timeout) {
        if (!channel.progressUntil(this::isEnded, timeout, this)) {
            return false;
        }
        requireNoFailure();
        return true;
    }

    private void requireNoFailure() {
        if (state == State.FAILED) {
            throw new TransferException("%s failed after %d bytes".formatted(this, bytesDone), failure);
        }
    }

    // What follows is for the channel.

    /** Whether it may start: what it comes after is done. */
    boolean isReady() {
        if (after != null && failure == null) {
            try {
                if (!after.isDone()) {
                    return false;
                }
            } catch (RuntimeException e) {
                fail(new TransferException("the stream that it comes after", e));
            }
            dropAfter();
        }
        started = true;
        return true;
    }

    private void dropAfter() {
        if (after != null) {
            CudaEvent event = after;
            after = null;
            event.close();
        }
    }

    /** Of a receive: what the peer has announced. */
    void announced(long number, long bytes) {
        message = number;
        length = bytes;
        chunks = chunksOf(bytes);
    }

    /** Where a chunk starts. */
    long chunkStart(long chunk) {
        return chunk * chunkSize;
    }

    /** The bytes of a chunk. */
    int chunkLength(long chunk) {
        return (int) Math.min(chunkSize, length - chunk * chunkSize);
    }

    /** What the adapter reads or writes of a chunk on a direct path. */
    MemorySlice directChunk(long chunk) {
        return place.direct().slice(chunkStart(chunk), chunkLength(chunk));
    }

    /** The far memory of a chunk. */
    RemoteMemory remoteChunk(long chunk) {
        return remote.slice(chunkStart(chunk), chunkLength(chunk));
    }

    boolean isFailing() {
        return failure != null;
    }

    boolean isCopying() {
        return copying > 0;
    }

    void given() {
        atAdapter++;
    }

    void back() {
        atAdapter--;
    }

    void copyQueued() {
        copying++;
    }

    void copied() {
        copying--;
    }

    /** A chunk is through, with its bytes where they should be, or with none. */
    void chunkThrough(long bytes) {
        completed++;
        bytesDone += bytes;
        settle();
    }

    /** The last copy of a staged read or receive is about to be queued: the word follows it, in the stream's order. */
    void beforeLastCopyEnds(CudaStream staging) {
        if (flag != NO_FLAG) {
            try {
                channel.gpu().followFlags().set(staging, flag, ticket);
            } catch (CudaException ignored) {
                // The host sets it at the end in any case: a little later.
            }
        }
    }

    void lastCopy(CudaEvent event) {
        lastCopy = event;
    }

    /** The same, from a chunk on. */
    void fail(long chunk, RuntimeException cause) {
        abortFrom = Math.min(abortFrom, chunk);
        fail(cause);
    }

    /**
     * It cannot end well any more; the first cause counts. It is at its end when nobody touches its memory any more.
     */
    void fail(RuntimeException cause) {
        if (failure == null && state == State.UNDER_WAY) {
            failure = cause;
        }
        settle();
    }

    /** The same where nobody will tell any more that its memory is free: because nobody can use it any more. */
    void abandon(RuntimeException cause) {
        atAdapter = 0;
        copying = 0;
        fail(cause);
    }

    /** Ends it if nothing more is to come. */
    void settle() {
        if (isEnded()) {
            return;
        }
        if (failure == null && completed == chunks && started) {
            try {
                if (kind == Kind.READ || kind == Kind.RECEIVE) {
                    place.flush();
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
        lastCopy = null;
        dropAfterQuietly();
        state = failure == null ? State.DONE : State.FAILED;
        if (flag != NO_FLAG) {
            FollowFlags flags = channel.gpu().followFlags();
            flags.set(flag, ticket);
            flags.giveBack(flag);
            flag = NO_FLAG;
        }
    }

    /** A driver that has failed is told of already. */
    private void dropAfterQuietly() {
        try {
            dropAfter();
        } catch (RuntimeException e) {
            if (failure != null) {
                failure.addSuppressed(e);
            }
        }
    }

    /** {@return what, how much of it is done, and of how much} */
    @Override
    public String toString() {
        return "%s of %d bytes by %s".formatted(kind.name().toLowerCase(Locale.ROOT), length, channel);
    }
}
