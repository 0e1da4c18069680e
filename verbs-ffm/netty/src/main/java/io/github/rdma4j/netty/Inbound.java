// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bytes that have arrived, in order, followed by the end. Bytes that the program does not read stay in the receive
 * buffers, so the peer runs out of credits and slows down. Used only by the event loop.
 */
final class Inbound implements MessageHandler {
    /** Longer messages are handed up whole, whatever the program's allocator would give for a read. */
    private static final int CUT = 512;

    /** In the order in which they came. */
    private final ArrayDeque<LentBuffer> messages = new ArrayDeque<>();
    /** How many buffers handlers have in their hands; counted down by any thread. */
    private final AtomicInteger lent = new AtomicInteger();

    private final int mostLent;
    /** While something is taken in. */
    private ByteBufAllocator allocator;
    /** The event loop has brought something, so that nobody has to look. */
    private boolean came;
    /** The peer says no more: it has shut its output down, or has closed. */
    private boolean ended;
    /** Nothing can come any more, and nothing can be sent. */
    private boolean peerGone;
    /** Null while the connection is well. */
    private Throwable lost;

    /**
     * Nothing has arrived.
     *
     * @param receiveBuffers how many there are; handlers that keep what they get, for instance until a request is
     *     complete, must leave some to the adapter, or the rest could never arrive
     */
    Inbound(int receiveBuffers) {
        mostLent = receiveBuffers / 2;
    }

    /** The event loop brings a message, and {@link #takeIn} follows. */
    void came(Message message, ByteBufAllocator newAllocator) {
        allocator = newAllocator;
        came = true;
        onMessage(message);
    }

    /** Takes in what has come; false if nothing can come any more. */
    boolean takeIn(Endpoint endpoint, ByteBufAllocator newAllocator) {
        if (came) {
            // The end, which may follow it, is reported in the next turn.
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

    /** One that has come. What cannot be kept leaves a gap, behind which nothing may be read. */
    @Override
    public void onMessage(Message message) {
        if (message.length() == 0) {
            ended = true;
        } else if (!ended) {
            try {
                keep(LentBuffer.of(message, allocator));
            } catch (Throwable e) {
                // Out of memory.
                lose(e);
            }
        }
    }

    private void keep(LentBuffer message) {
        try {
            messages.add(message);
        } catch (Throwable e) {
            message.release();
            throw e;
        }
    }

    boolean isEmpty() {
        return messages.isEmpty();
    }

    /** Whether everything was read, and nothing comes behind it. */
    boolean isAtEnd() {
        return ended && isEmpty();
    }

    /** Why the connection is lost, once; null if it is not. */
    Throwable takeLost() {
        Throwable cause = lost;
        lost = null;
        return cause;
    }

    /** The next bytes: the adapter's own buffer where there are enough, else a copy. */
    ByteBuf next(RecvByteBufAllocator.Handle handle, ByteBufAllocator allocator) {
        LentBuffer message = messages.peek();
        int length = message.readableBytes();
        boolean tooLong = length <= CUT && length > handle.guess();
        if (tooLong || message.readerIndex() > 0 || lent.get() >= mostLent) {
            return copy(message, handle.allocate(allocator), handle);
        }
        message.lend(lent);
        messages.remove();
        // As much as was asked for would mean that there may be more.
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
            messages.remove();
            message.release();
        }
        return buffer;
    }

    /** Nobody will read any more. */
    void discard() {
        messages.forEach(LentBuffer::release);
        messages.clear();
        ended = true;
    }
}
