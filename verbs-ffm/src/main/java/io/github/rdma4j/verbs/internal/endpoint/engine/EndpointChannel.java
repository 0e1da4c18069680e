// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.endpoint.ClosedByPeerException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointException;
import io.github.rdma4j.verbs.endpoint.HeldMessage;
import io.github.rdma4j.verbs.internal.StackReserve;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** The messages of an endpoint as a stream of bytes; see {@link Endpoint#asByteChannel}. */
public final class EndpointChannel implements ByteChannel {
    private final Endpoint endpoint;
    private final Duration timeout;
    private final ReentrantLock reading = new ReentrantLock();
    private final ReentrantLock writing = new ReentrantLock();
    /** The message that is being read, and how much of it was; guarded by the lock of readers. */
    private HeldMessage message;

    private long taken;

    public EndpointChannel(Endpoint endpoint, Duration timeout) {
        this.endpoint = endpoint;
        this.timeout = timeout;
    }

    /** What can be done with the endpoint, with the exceptions of channels. */
    private interface Action<T> {
        T run() throws IOException;
    }

    private <T> T translated(Action<T> action) throws IOException {
        try {
            return action.run();
        } catch (WaitInterruptedException e) {
            InterruptedIOException interrupted = new InterruptedIOException(e.getMessage());
            interrupted.initCause(e);
            throw interrupted;
        } catch (EndpointException e) {
            throw new IOException(e.getMessage(), e);
        } catch (IllegalStateException e) {
            if (endpoint.isOpen()) {
                throw e;
            }
            ClosedChannelException closed = new ClosedChannelException();
            closed.initCause(e);
            throw closed;
        }
    }

    /** Waits for another thread's call, which may wait for the peer. The timeout and an interrupt also end it. */
    private void enter(ReentrantLock lock, String operation) throws IOException {
        try {
            if (!lock.tryLock() && !lock.tryLock(Timeouts.nanos(timeout), TimeUnit.NANOSECONDS)) {
                throw new SocketTimeoutException(
                        "another thread has been %s %s for %s".formatted(operation, endpoint, TimeText.of(timeout)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException(
                    "the thread was interrupted while another one was %s %s".formatted(operation, endpoint));
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    /** Waits for at least one byte, unless the buffer has no room; -1 when the peer has closed. */
    @Override
    public int read(ByteBuffer target) throws IOException {
        enter(reading, "reading from");
        try {
            if (!endpoint.isOpen()) {
                throw new ClosedChannelException();
            }
            if (!target.hasRemaining()) {
                return 0;
            }
            if (message == null && !receive()) {
                return -1;
            }
            int count = (int) Math.min(target.remaining(), message.length() - taken);
            MemorySegment.ofBuffer(target).copyFrom(message.segment().asSlice(taken, count));
            target.position(target.position() + count);
            taken += count;
            if (taken == message.length()) {
                giveBack();
            }
            return count;
        } finally {
            reading.unlock();
        }
    }

    /** Waits for a message with at least one byte; false when the peer has closed. Empty messages do not prolong it. */
    private boolean receive() throws IOException {
        long start = System.nanoTime();
        long limit = Timeouts.nanos(timeout);
        return translated(() -> {
            try {
                do {
                    giveBack();
                    message = endpoint.receiveHeld(Duration.ofNanos(limit - (System.nanoTime() - start)))
                            .orElseThrow(() -> new SocketTimeoutException("nothing came from the peer of %s in %s"
                                    .formatted(endpoint, TimeText.of(timeout))));
                } while (message.length() == 0);
                return true;
            } catch (ClosedByPeerException e) {
                return false;
            }
        });
    }

    private void giveBack() {
        if (message != null) {
            message.close();
            message = null;
        }
        taken = 0;
    }

    /** Waits until all is sent. If it throws, the buffer's position is behind the bytes that were sent. */
    @Override
    public int write(ByteBuffer source) throws IOException {
        enter(writing, "writing to");
        try {
            if (!endpoint.isOpen()) {
                throw new ClosedChannelException();
            }
            int before = source.position();
            while (source.hasRemaining()) {
                int length = Math.min(source.remaining(), endpoint.maxMessageSize());
                ByteBuffer part = source.slice(source.position(), length);
                if (!translated(() -> endpoint.send(part, timeout))) {
                    throw new SocketTimeoutException(
                            "the peer of %s took nothing in %s".formatted(endpoint, TimeText.of(timeout)));
                }
                source.position(source.position() + length);
            }
            return source.position() - before;
        } finally {
            writing.unlock();
        }
    }

    @Override
    public boolean isOpen() {
        return endpoint.isOpen();
    }

    /** In good order, which ends reads and writes that wait. */
    @Override
    public void close() throws IOException {
        try {
            translated(() -> {
                endpoint.close();
                return null;
            });
        } finally {
            StackReserve.require(reading);
            reading.lock();
            try {
                giveBack();
            } finally {
                reading.unlock();
            }
        }
    }
}
