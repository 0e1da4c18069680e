// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.cuda.CudaStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * A transfer through a {@link DeviceChannel}. It advances only while {@link DeviceChannel#progress()} or a waiting
 * method is called.
 *
 * <p>Thread safety: for the channel's thread; any thread may query its state.
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

    private final DeviceChannel channel;
    private final Work work;

    Transfer(DeviceChannel channel, Work work) {
        this.channel = channel;
        this.work = work;
    }

    /** {@return what it does} */
    public Kind kind() {
        return work.kind();
    }

    /** {@return its bytes; of a receive the room, until the peer has said how long its message is} */
    public long length() {
        return work.length();
    }

    /** {@return how many bytes, from the first one on, are certainly where they should be} */
    public long bytesDone() {
        return work.bytesDone();
    }

    /** {@return how far it is} */
    public State state() {
        return work.state();
    }

    /** {@return whether it is at its end, well or not} */
    public boolean isEnded() {
        return work.isEnded();
    }

    /** {@return why it failed; empty as long as it has not} */
    public Optional<RuntimeException> failure() {
        return state() == State.FAILED ? Optional.of(work.failure()) : Optional.empty();
    }

    /**
     * Starts the transfer only when the work that a stream has so far is done, such as the kernel that writes the
     * bytes. The host does not wait. If called more than once, the transfer waits for all of them.
     *
     * @param stream of the channel's context
     * @return this
     * @throws IllegalStateException if it has started; it does not before the next {@link DeviceChannel#progress()} or
     *     waiting call
     * @throws io.github.rdma4j.cuda.CudaException if the driver refuses; the transfer has failed then, as it must not
     *     start too early
     */
    public Transfer after(CudaStream stream) {
        if (work.isStarted() || isEnded()) {
            throw new IllegalStateException(this + " has started: call after(stream) right after it was made");
        }
        try {
            work.after(stream);
        } catch (RuntimeException e) {
            channel.fail(work, new GpuTransferException("the stream that it comes after", e));
            throw e;
        }
        return this;
    }

    /**
     * Makes later work of a stream wait until this transfer has ended; the host does not wait. The stream also
     * continues if the transfer fails: check {@link #state()} before you use its results.
     * {@link DeviceChannel#progress()} must go on being called, or the stream waits forever.
     *
     * @param stream of the channel's context
     * @param timeout how long the host waits if the stream cannot wait for values in memory
     * @throws GpuTransferException if it has failed already
     * @throws IllegalStateException if the host had to wait, and the time is over
     * @throws io.github.rdma4j.cuda.CudaWaitInterruptedException if the host had to wait, and the thread is interrupted
     */
    public void follow(CudaStream stream, Duration timeout) {
        if (isEnded()) {
            requireNoFailure();
            return;
        }
        if (work.follow(stream)) {
            return;
        }
        if (!await(timeout)) {
            throw new IllegalStateException("%s has not ended after %s, and the stream cannot wait for it"
                    .formatted(this, TimeText.of(timeout)));
        }
    }

    /**
     * Calls {@link DeviceChannel#progress()} until it is at its end.
     *
     * @param timeout how long at most
     * @return whether it is; false if the time is over, and it goes on
     * @throws GpuTransferException if it failed
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
        if (state() == State.FAILED) {
            throw new GpuTransferException("%s failed after %d bytes".formatted(this, bytesDone()), work.failure());
        }
    }

    /** {@return what, how much of it is done, and of how much} */
    @Override
    public String toString() {
        return "%s of %d bytes by %s".formatted(kind().name().toLowerCase(Locale.ROOT), length(), channel);
    }
}
