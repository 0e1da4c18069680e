// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.CudaCallbackException;
import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.CudaEvent;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.CudaWaitInterruptedException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A read or write of a file in the order of a stream. Later work of the stream sees its bytes. You need not wait for
 * it. The stream also continues if it fails, so check {@link #bytes()}.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class StreamTransfer {
    private final GpuStorage storage;
    private final LongSupplier outcome;
    private final Runnable release;
    private final String call;
    private final CudaEvent event;
    /** The stream that ends with this transfer, if the event could not be recorded; else null. */
    private CudaStream followed;

    private boolean over;
    private long bytes;
    private RuntimeException failure;

    /**
     * One that is being queued.
     *
     * @param outcome bytes or a negative code, asked once when the stream is as far
     * @param release called once when nothing of it is under way any more
     */
    StreamTransfer(GpuStorage storage, LongSupplier outcome, Runnable release, String call) {
        this.storage = storage;
        this.outcome = outcome;
        this.release = release;
        this.call = call;
        this.event = storage.context().createEvent();
    }

    /** Behind all that was queued for it. */
    void record(CudaStream stream) {
        event.record(stream);
        storage.streams().add(this);
    }

    /**
     * For one that could not be queued whole: waits until the stream has nothing left to do.
     *
     * @param refusal gets what the wait throws
     * @return whether nothing of it is under way any more
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

    /** Ends one that could not be queued. */
    synchronized void giveUp() {
        over = true;
        finish();
    }

    /** Instead of {@link #record}: it is over when the stream has nothing left to do. */
    void follow(CudaStream stream) {
        synchronized (this) {
            followed = stream;
        }
        storage.streams().add(this);
    }

    /**
     * Before a stream is closed that this follows.
     *
     * @throws CudaCloseTimeoutException if the driver refuses the event again
     */
    void stopFollowing(CudaStream stream) {
        RuntimeException refusal = null;
        synchronized (this) {
            if (over || followed != stream) {
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
                    + " is under way, and only the stream shows when it is over. Wait for the stream, and"
                    + " close it again");
            tooEarly.addSuppressed(refusal);
            throw tooEarly;
        }
    }

    /**
     * Returns whether the transfer is over.
     *
     * @return whether it is, well or not
     * @throws CudaException if the driver refuses
     */
    public boolean isDone() {
        synchronized (this) {
            if (over) {
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
                failure = e;
            }
            over = true;
            finish();
        }
        storage.streams().remove(this);
        return true;
    }

    private void finish() {
        try {
            event.close();
        } catch (CudaException e) {
            // Its result is known already; a lost context refuses every call.
            if (failure == null) {
                failure = e;
            }
        } finally {
            release.run();
        }
    }

    /**
     * Waits until it is over, asking again and again with growing pauses.
     *
     * @param timeout how long at most
     * @return whether it is over, well or not; false if the time is over
     * @throws CudaException if the driver refuses
     * @throws CudaWaitInterruptedException if the thread is interrupted; the transfer goes on
     */
    public boolean await(Duration timeout) {
        long nanos = Uses.nanos(timeout);
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
     * @throws IllegalStateException if it is not over
     * @throws StorageException if it failed
     * @throws CudaException if the stream did
     */
    public synchronized long bytes() {
        if (!over) {
            throw new IllegalStateException(call + " is not over: see isDone() and await()");
        }
        if (failure != null) {
            throw failure;
        }
        return bytes;
    }

    /** {@return what it is, and how it stands} */
    @Override
    public synchronized String toString() {
        return call + (!over ? ": under way" : failure != null ? ": failed" : ": " + bytes + " bytes");
    }
}
