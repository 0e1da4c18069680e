// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.HeldMessage;
import io.github.rdma4j.verbs.endpoint.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bytes that have arrived, in their order, and the end behind them. What nobody reads stays in the adapter's
 * buffers, so the peer runs out of credits and slows down. Used by the event loop alone.
 */
final class Inbound {
    /** Up to this length a copy is cheaper than a buffer of its own. */
    private static final int COPIED = 512;

    private final ArrayDeque<HeldMessage> messages = new ArrayDeque<>();
    /** How many buffers handlers have in their hands; counted down by any thread. */
    private final AtomicInteger lent = new AtomicInteger();

    private final int mostLent;
    /** How much of the first message was read. */
    private int read;
    /** The peer says no more: it has shut its output down, or has closed. */
    private boolean ended;
    /** Nothing can come any more, and nothing can be sent. */
    private boolean peerGone;
    /** Null while the connection is well. */
    private Exception lost;

    /**
     * Nothing has arrived.
     *
     * @param receiveBuffers how many there are; handlers that keep what they get, for instance until a request is
     *     complete, must leave some to the adapter, or the rest could never arrive
     */
    Inbound(int receiveBuffers) {
        mostLent = receiveBuffers / 2;
    }

    /** Takes in what has come; false if nothing can come any more. */
    boolean takeIn(Endpoint endpoint) {
        try {
            if (endpoint.poll(this::add) == Endpoint.CLOSED_BY_PEER) {
                ended = true;
                peerGone = true;
            }
        } catch (RuntimeException e) {
            lost = Failures.ofUse(e);
            ended = true;
            peerGone = true;
        }
        return !peerGone;
    }

    boolean isPeerGone() {
        return peerGone;
    }

    private void add(Message message) {
        if (message.length() == 0) {
            ended = true;
        } else if (!ended) {
            messages.add(message.hold());
        }
    }

    boolean isEmpty() {
        return messages.isEmpty();
    }

    /** Whether everything was read, and nothing comes behind it. */
    boolean isAtEnd() {
        return ended && messages.isEmpty();
    }

    /** Why the connection is lost, once; null if it is not. */
    Exception takeLost() {
        Exception cause = lost;
        lost = null;
        return cause;
    }

    /** The next bytes: the adapter's own buffer where that is worth it and there are enough, else a copy. */
    ByteBuf next(RecvByteBufAllocator.Handle handle, ByteBufAllocator allocator) {
        HeldMessage message = messages.peek();
        int length = (int) message.length();
        if (read == 0 && length > COPIED && lent.get() < mostLent) {
            handle.attemptedBytesRead(length);
            ByteBuf buffer = new LentBuffer(allocator, message, lent);
            lent.incrementAndGet();
            messages.remove();
            return buffer;
        }
        return copy(message, length, handle.allocate(allocator), handle);
    }

    private ByteBuf copy(HeldMessage message, int length, ByteBuf buffer, RecvByteBufAllocator.Handle handle) {
        try {
            int count = Math.min(length - read, buffer.writableBytes());
            handle.attemptedBytesRead(buffer.writableBytes());
            ByteBuffer bytes = message.segment().asByteBuffer();
            buffer.writeBytes(bytes.limit(read + count).position(read));
            read += count;
        } catch (Throwable e) {
            buffer.release();
            throw e;
        }
        if (read == length) {
            read = 0;
            messages.remove();
            message.close();
        }
        return buffer;
    }

    /** Nobody will read any more. */
    void discard() {
        messages.forEach(HeldMessage::close);
        messages.clear();
        ended = true;
    }
}
