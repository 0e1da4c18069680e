// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.netty.internal.Failures;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.OutgoingMessage;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.Optional;

/**
 * Cuts written bytes into messages, each as full as possible, and copies them into send buffers. Used only by the event
 * loop.
 */
final class Outbound {
    /** The result of an attempt to send. */
    enum Result {
        /** Some bytes were sent. */
        SENT,
        /**
         * The peer has no free buffer, or the send queue is full. The endpoint reports when sending is possible again.
         */
        NOT_NOW
    }

    private Outbound() {}

    /** Sends one message of the flushed bytes, of which there must be some. */
    static Result send(Endpoint endpoint, Lending lending, ChannelOutboundBuffer out) throws Exception {
        if (out.current() instanceof ByteBuf buffer && buffer.nioBufferCount() == 1) {
            // Read once, because HotSpot inlines no call of a buffer where there are several classes of buffers.
            int readable = buffer.readableBytes();
            int length = Math.min(readable, endpoint.maxMessageSize());
            int code = trySend(endpoint, lending, buffer, length, length == readable && out.size() == 1);
            if (code == Endpoint.OK) {
                if (length == readable) {
                    out.progress(length);
                    out.remove();
                } else {
                    out.removeBytes(length);
                }
                return Result.SENT;
            }
            if (code == Endpoint.NO_CREDIT || code == Endpoint.QUEUE_FULL) {
                return Result.NOT_NOW;
            }
        }
        // Also if the peer has closed: this throws with the reason.
        return sendSome(endpoint, out);
    }

    /**
     * Sends the first bytes of one buffer as a message, if that is possible without a copy, or if there are no other
     * bytes for the message. An empty message would be the end.
     *
     * @param alone whether there are no others
     */
    private static int trySend(Endpoint endpoint, Lending lending, ByteBuf buffer, int length, boolean alone)
            throws Exception {
        try {
            int code = lending.trySend(buffer, length);
            return code == Lending.NOT_LENT && alone && length > 0
                    ? endpoint.trySend(buffer.internalNioBuffer(buffer.readerIndex(), length))
                    : code;
        } catch (RuntimeException e) {
            throw Failures.ofUse(e);
        }
    }

    private static Result sendSome(Endpoint endpoint, ChannelOutboundBuffer out) throws Exception {
        Optional<OutgoingMessage> claimed = claim(endpoint);
        if (claimed.isEmpty()) {
            return Result.NOT_NOW;
        }
        try (OutgoingMessage message = claimed.get()) {
            ByteBuffer target = message.segment().asByteBuffer();
            if (out.current() instanceof FileRegion region) {
                send(message, region, target, out);
            } else {
                out.forEachFlushedMessage(next -> next instanceof ByteBuf buffer && fill(target, buffer));
                int length = target.position();
                if (length > 0) {
                    send(message, length);
                }
                out.removeBytes(length);
            }
        }
        return Result.SENT;
    }

    /** Notifies the peer that no more bytes follow. Returns false if no send buffer is free. */
    static boolean sendEnd(Endpoint endpoint) throws Exception {
        Optional<OutgoingMessage> claimed = claim(endpoint);
        if (claimed.isPresent()) {
            send(claimed.get(), 0);
        }
        return claimed.isPresent();
    }

    private static Optional<OutgoingMessage> claim(Endpoint endpoint) throws Exception {
        try {
            return endpoint.claim(Duration.ZERO);
        } catch (RuntimeException e) {
            throw Failures.ofUse(e);
        }
    }

    private static void send(OutgoingMessage message, int length) throws Exception {
        try {
            message.send(length);
        } catch (RuntimeException e) {
            throw Failures.ofUse(e);
        }
    }

    /** Copies as many bytes as fit. Returns whether space is left. */
    private static boolean fill(ByteBuffer target, ByteBuf buffer) {
        int end = target.limit();
        target.limit(Math.min(end, target.position() + buffer.readableBytes()));
        buffer.getBytes(buffer.readerIndex(), target);
        target.limit(end);
        return target.hasRemaining();
    }

    private static void send(OutgoingMessage message, FileRegion region, ByteBuffer target, ChannelOutboundBuffer out)
            throws Exception {
        long count = region.transferTo(
                new MessageBytes(target, region.count() - region.transferred()), region.transferred());
        if (target.position() > 0) {
            send(message, target.position());
            out.progress(target.position());
        } else if (count <= 0 && region.transferred() < region.count()) {
            throw new IOException("the file of %s ends after %d of its %d bytes"
                    .formatted(region, region.transferred(), region.count()));
        }
        if (region.transferred() >= region.count()) {
            out.remove();
        }
    }

    /**
     * The rest of a message, into which a file is read.
     *
     * @param left the rest of the file, in bytes
     */
    private record MessageBytes(ByteBuffer bytes, long left) implements WritableByteChannel {
        /**
         * Leaves one byte if the message is full and the file continues. A {@code FileChannel} reads on until a write
         * is short, and would read the bytes of the next message for nothing.
         */
        @Override
        public int write(ByteBuffer source) {
            int count = Math.min(source.remaining(), bytes.remaining());
            if (count == bytes.remaining() && count == source.remaining() && count < left - bytes.position()) {
                count = Math.max(0, count - 1);
            }
            bytes.put(bytes.position(), source, source.position(), count);
            bytes.position(bytes.position() + count);
            source.position(source.position() + count);
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
