// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.netty.internal.Failures;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bytes that have arrived, in order, followed by the end. Bytes that the program does not read stay in the receive
 * buffers, so the peer runs out of credits and slows down. Used only by the event loop.
 */
final class Inbound implements MessageHandler {
    /** Longer messages are passed on whole, whatever size the program's allocator proposes for a read. */
    private static final int CUT = 512;

    /** The oldest message and the newest one, null if there is none; each refers to the one behind it. */
    private LentBuffer oldest;

    private LentBuffer newest;
    /** How many buffers handlers hold; decremented by any thread. */
    private final AtomicInteger lent = new AtomicInteger();

    private final int mostLent;
    /** Set only while messages are taken in. */
    private ByteBufAllocator allocator;
    /** Whether the event loop has passed a message in this turn, so that no poll is needed. */
    private boolean came;
    /** Whether the peer has shut down its output or has closed. */
    private boolean ended;
    /** Whether nothing can arrive or be sent any more. */
    private boolean peerGone;
    /** Why the connection is lost; null if it is not. */
    private Throwable lost;

    /**
     * Creates it.
     *
     * @param receiveBuffers the number of receive buffers. Handlers may keep buffers, for example until a request is
     *     complete, but the adapter must keep some, or the rest could never arrive
     */
    Inbound(int receiveBuffers) {
        mostLent = receiveBuffers / 2;
    }

    /** Takes a message from the event loop; {@link #takeIn} follows. */
    void came(Message message, ByteBufAllocator newAllocator) {
        allocator = newAllocator;
        came = true;
        onMessage(message);
    }

    /** Takes in what has arrived. Returns false if nothing can arrive any more. */
    boolean takeIn(Endpoint endpoint, ByteBufAllocator newAllocator) {
        if (came) {
            // If the end follows the message, the next turn reports it.
            came = false;
            return !peerGone;
        }
        allocator = newAllocator;
        try {
            if (endpoint.poll(this) == Endpoint.CLOSED_BY_PEER) {
                ended = true;
                peerGone = true;
            }
        } catch (RuntimeException e) {
            lose(Failures.ofUse(e));
        }
        return !peerGone;
    }

    private void lose(Throwable cause) {
        lost = cause;
        ended = true;
        peerGone = true;
    }

    boolean isPeerGone() {
        return peerGone;
    }

    /** Queues a message. If it cannot be kept, nothing behind it may be read. */
    @Override
    public void onMessage(Message message) {
        if (message.length() == 0) {
            ended = true;
        } else if (!ended) {
            try {
                add(LentBuffer.of(message, allocator));
            } catch (Throwable e) {
                // Out of memory.
                lose(e);
            }
        }
    }

    private void add(LentBuffer message) {
        if (oldest == null) {
            oldest = message;
        } else {
            newest.behind = message;
        }
        newest = message;
    }

    private LentBuffer remove() {
        LentBuffer message = oldest;
        oldest = message.behind;
        message.behind = null;
        if (oldest == null) {
            // A leak detector finds no buffer to which something refers.
            newest = null;
        }
        return message;
    }

    boolean isEmpty() {
        return oldest == null;
    }

    /** Whether everything was read and nothing more can arrive. */
    boolean isAtEnd() {
        return ended && isEmpty();
    }

    /** Returns, once, why the connection is lost; null if it is not. */
    Throwable takeLost() {
        Throwable cause = lost;
        lost = null;
        return cause;
    }

    /** {@return the next bytes: the receive buffer itself if enough are left, otherwise a copy} */
    ByteBuf next(RecvByteBufAllocator.Handle handle, ByteBufAllocator allocator) {
        LentBuffer message = oldest;
        int length = message.readableBytes();
        boolean tooLong = length <= CUT && length > handle.guess();
        if (tooLong || message.readerIndex() > 0 || lent.get() >= mostLent) {
            return copy(message, handle.allocate(allocator), handle);
        }
        message.lend(lent);
        remove();
        // A full read would mean that there may be more.
        handle.attemptedBytesRead(isEmpty() ? length + 1 : length);
        return message;
    }

    private ByteBuf copy(LentBuffer message, ByteBuf buffer, RecvByteBufAllocator.Handle handle) {
        try {
            handle.attemptedBytesRead(buffer.writableBytes());
            buffer.writeBytes(message, Math.min(message.readableBytes(), buffer.writableBytes()));
        } catch (Throwable e) {
            buffer.release();
            throw e;
        }
        if (!message.isReadable()) {
            remove().release();
        }
        return buffer;
    }

    /** Releases everything that was not read. */
    void discard() {
        while (!isEmpty()) {
            remove().release();
        }
        ended = true;
    }
}
