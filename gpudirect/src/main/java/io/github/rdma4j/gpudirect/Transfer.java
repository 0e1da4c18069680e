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
    /** The direction of the bytes, and whether the peer takes part. */
    public enum Kind {
        /** To the peer's memory, without notice to the peer. */
        WRITE,
        /** From the peer's memory, without notice to the peer. */
        READ,
        /** To memory for which the peer calls receive. */
        SEND,
        /** From memory for which the peer calls send. */
        RECEIVE
    }

    /** The state of a transfer. */
    public enum State {
        /** Not ended. */
        UNDER_WAY,
        /** All bytes have arrived. */
        DONE,
        /** Failed, and nothing uses its memory any more. */
        FAILED
    }

    private final DeviceChannel channel;
    private final Work work;

    Transfer(DeviceChannel channel, Work work) {
        this.channel = channel;
        this.work = work;
    }

    /** {@return the kind of transfer} */
    public Kind kind() {
        return work.kind();
    }

    /** {@return the length in bytes; for a receive the size of its buffer until the message is announced} */
    public long length() {
        return work.length();
    }

    /** {@return how many bytes, from the first one on, have certainly arrived} */
    public long bytesDone() {
        return work.bytesDone();
    }

    /** {@return the state} */
    public State state() {
        return work.state();
    }

    /** {@return whether it has succeeded or failed} */
    public boolean isEnded() {
        return work.isEnded();
    }

    /** {@return why it failed; empty if it has not failed} */
    public Optional<RuntimeException> failure() {
        return state() == State.FAILED ? Optional.of(work.failure()) : Optional.empty();
    }

    /**
     * Starts the transfer only when the work that was submitted to the stream before this call is complete, such as the
     * kernel that writes the bytes. The host does not wait. You can call this for several streams: the transfer waits
     * for all.
     *
     * @param stream of the channel's context
     * @return this
     * @throws IllegalStateException if it has started: it starts at the next {@link DeviceChannel#progress()} or
     *     waiting call
     * @throws io.github.rdma4j.cuda.CudaException if the driver refuses; the transfer fails then, because it must not
     *     start too early
     */
    public Transfer after(CudaStream stream) {
        if (work.isStarted() || isEnded()) {
            throw new IllegalStateException(
                    this + " has started: call after(stream) before the next progress() or await()");
        }
        try {
            work.after(stream);
        } catch (RuntimeException e) {
            channel.fail(work, new GpuTransferException("waiting for the stream before the transfer", e));
            throw e;
        }
        return this;
    }

    /**
     * Makes later work of a stream wait until this transfer has ended; the host does not wait. The stream also
     * continues if the transfer fails: check {@link #state()} before you use its results. Keep calling
     * {@link DeviceChannel#progress()}, or the stream waits forever.
     *
     * @param stream of the channel's context
     * @param timeout how long the host waits if the stream cannot wait for values in memory
     * @throws GpuTransferException if it has failed already
     * @throws IllegalStateException if the host had to wait, and the timeout has passed
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
     * Calls {@link DeviceChannel#progress()} until the transfer has ended.
     *
     * @param timeout the longest wait
     * @return whether it has ended; if not, it continues
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

    /** {@return the kind, the length and the channel} */
    @Override
    public String toString() {
        return "%s of %d bytes by %s".formatted(kind().name().toLowerCase(Locale.ROOT), length(), channel);
    }
}
