// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.cuda.CudaCallbackException;
import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.CudaEvent;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.CudaWaitInterruptedException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * A read or write of a file in stream order. Later work of the stream sees its bytes. You need not wait for it. The
 * stream also continues if it fails, so check {@link #bytes()}.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class StreamTransfer {
    private final GpuStorage storage;
    private final LongSupplier outcome;
    private final BooleanSupplier stop;
    private final Runnable release;
    private final String call;
    private final CudaEvent event;
    /** The stream whose end of work ends this transfer, if the event could not be recorded; otherwise null. */
    private CudaStream followed;

    private boolean ended;
    private long bytes;
    private RuntimeException failure;

    /**
     * Creates a transfer that is about to be queued.
     *
     * @param outcome returns bytes or a negative code; called once when the stream has reached the end of the transfer
     * @param stop called when the context is lost: cancels the rest, and returns whether no host function is running
     * @param release called once when no part of the transfer is in progress any more
     */
    StreamTransfer(GpuStorage storage, LongSupplier outcome, BooleanSupplier stop, Runnable release, String call) {
        this.storage = storage;
        this.outcome = outcome;
        this.stop = stop;
        this.release = release;
        this.call = call;
        this.event = storage.context().createEvent();
    }

    /** Called after all steps were queued. */
    void record(CudaStream stream) {
        event.record(stream);
        storage.streams().add(this);
    }

    /**
     * Called if only some of the steps could be queued: waits until the stream has no work left.
     *
     * @param refusal receives the exception of the wait
     * @return whether no part of the transfer is in progress any more
     */
    boolean awaitRest(CudaStream stream, RuntimeException refusal) {
        try {
            return stream.await(storage.config().timeout());
        } catch (RuntimeException e) {
            refusal.addSuppressed(e);
            // The stream throws exceptions of callbacks when all its work is done. A lost context does no more work.
            return e instanceof CudaCallbackException || e instanceof CudaException failure && failure.isContextLost();
        }
    }

    /** Ends a transfer that could not be queued. */
    synchronized void giveUp() {
        ended = true;
        finish();
    }

    /** Replaces {@link #record}: the transfer ends when the stream has no work left. */
    void follow(CudaStream stream) {
        synchronized (this) {
            followed = stream;
        }
        storage.streams().add(this);
    }

    /**
     * Called before the stream that this follows is closed.
     *
     * @throws CudaCloseTimeoutException if the driver refuses to record the event again
     */
    void stopFollowing(CudaStream stream) {
        RuntimeException refusal = null;
        synchronized (this) {
            if (ended || followed != stream) {
                return;
            }
            try {
                event.record(stream);
                followed = null;
            } catch (RuntimeException e) {
                refusal = e;
            }
        }
        if (refusal != null && !isDone()) {
            CudaCloseTimeoutException tooEarly = new CudaCloseTimeoutException(stream + " is not closed: " + call
                    + " is pending, and only the stream shows when it has ended. Wait for the stream, and"
                    + " close it again");
            tooEarly.addSuppressed(refusal);
            throw tooEarly;
        }
    }

    /**
     * Returns whether the transfer has ended.
     *
     * @return whether it has succeeded or failed
     * @throws CudaException if the driver refuses
     */
    public boolean isDone() {
        synchronized (this) {
            if (ended) {
                return true;
            }
            try {
                if (!(followed == null ? event.isDone() : followed.isDone())) {
                    return false;
                }
                long result = outcome.getAsLong();
                if (result < 0) {
                    failure = Failures.of(-result, call, 0);
                } else {
                    bytes = result;
                }
            } catch (CudaException e) {
                if (!e.isContextLost()) {
                    throw e;
                }
                if (!stop.getAsBoolean()) {
                    return false;
                }
                failure = e;
            }
            ended = true;
            finish();
        }
        storage.streams().remove(this);
        return true;
    }

    private void finish() {
        try {
            event.close();
        } catch (CudaException e) {
            // The result is already known, and a lost context refuses every call.
            if (failure == null) {
                failure = e;
            }
        } finally {
            release.run();
        }
    }

    /**
     * Waits until the transfer has ended. Polls with growing pauses.
     *
     * @param timeout the longest wait
     * @return whether it has succeeded or failed; false at the timeout
     * @throws CudaException if the driver refuses
     * @throws CudaWaitInterruptedException if the thread is interrupted; the transfer continues
     */
    public boolean await(Duration timeout) {
        long nanos = Timeouts.checkedNanos(timeout);
        long start = System.nanoTime();
        long pause = 1_000;
        while (!isDone()) {
            if (System.nanoTime() - start >= nanos) {
                return false;
            }
            LockSupport.parkNanos(pause);
            if (Thread.currentThread().isInterrupted()) {
                throw new CudaWaitInterruptedException("waiting for " + call);
            }
            pause = Math.min(pause * 2, 1_000_000);
        }
        return true;
    }

    /**
     * Returns how many bytes were read or written. A read returns fewer than requested if the file ends before.
     *
     * @return the bytes
     * @throws IllegalStateException if it has not ended
     * @throws StorageException if it failed
     * @throws CudaException if the stream failed
     */
    public synchronized long bytes() {
        if (!ended) {
            throw new IllegalStateException(call + " has not ended: call isDone() or await() first");
        }
        if (failure != null) {
            throw failure;
        }
        return bytes;
    }

    /** {@return the call and its state} */
    @Override
    public synchronized String toString() {
        return call + (!ended ? ": under way" : failure != null ? ": failed" : ": " + bytes + " bytes");
    }
}
