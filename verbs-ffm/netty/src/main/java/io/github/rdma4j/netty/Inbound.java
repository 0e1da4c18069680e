// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.HeldMessage;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
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
final class Inbound implements MessageHandler {
    /** Up to this length a copy is cheaper than a buffer of its own. */
    private static final int COPIED = 512;

    /** A short message that was copied when it came, in front of the others; null if there is none. */
    private ByteBuf copied;

    private final ArrayDeque<HeldMessage> messages = new ArrayDeque<>();
    /** How many buffers handlers have in their hands; counted down by any thread. */
    private final AtomicInteger lent = new AtomicInteger();

    private final int mostLent;
    // While something is taken in.
    private RecvByteBufAllocator.Handle reader;
    private ByteBufAllocator allocator;
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

    /**
     * Takes in what has come; false if nothing can come any more.
     *
     * @param handle gives a buffer for a short message, which is copied at once if it will be read next; null if nobody
     *     reads
     */
    boolean takeIn(Endpoint endpoint, RecvByteBufAllocator.Handle handle, ByteBufAllocator newAllocator) {
        reader = handle;
        allocator = newAllocator;
        try {
            if (endpoint.poll(this) == Endpoint.CLOSED_BY_PEER) {
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

    /** One that has come. */
    @Override
    public void onMessage(Message message) {
        if (message.length() == 0) {
            ended = true;
        } else if (!ended && !copyAtOnce(message)) {
            messages.add(message.hold());
        }
    }

    /** The buffer of such a message goes back with its handler, which costs less than to hold it. */
    private boolean copyAtOnce(Message message) {
        long length = message.length();
        if (reader == null || length > COPIED || copied != null || !messages.isEmpty()) {
            return false;
        }
        ByteBuf buffer;
        try {
            buffer = reader.allocate(allocator);
        } catch (Throwable e) {
            // So will the next attempt, which tells the program.
            return false;
        }
        int count = (int) length;
        if (buffer.writableBytes() < count) {
            buffer.release();
            return false;
        }
        message.copyTo(buffer.internalNioBuffer(buffer.writerIndex(), count));
        copied = buffer.writerIndex(buffer.writerIndex() + count);
        return true;
    }

    boolean isEmpty() {
        return copied == null && messages.isEmpty();
    }

    /** Whether what comes next was copied already. */
    boolean isCopied() {
        return copied != null;
    }

    /** Whether everything was read, and nothing comes behind it. */
    boolean isAtEnd() {
        return ended && isEmpty();
    }

    /** Why the connection is lost, once; null if it is not. */
    Exception takeLost() {
        Exception cause = lost;
        lost = null;
        return cause;
    }

    /** The next bytes: the adapter's own buffer where that is worth it and there are enough, else a copy. */
    ByteBuf next(RecvByteBufAllocator.Handle handle, ByteBufAllocator allocator) {
        if (copied != null) {
            ByteBuf buffer = copied;
            copied = null;
            handle.attemptedBytesRead(buffer.readableBytes() + buffer.writableBytes());
            return buffer;
        }
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
        if (copied != null) {
            copied.release();
            copied = null;
        }
        messages.forEach(HeldMessage::close);
        messages.clear();
        ended = true;
    }
}
