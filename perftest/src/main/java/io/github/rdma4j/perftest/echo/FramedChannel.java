// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Messages over a TCP connection that does not block: each has its length in front. A read may bring a part of a
 * message or many of them, a write may take a part.
 */
final class FramedChannel {
    private static final int LENGTH = Integer.BYTES;

    /** The most bytes of one read or write, unless a message is longer. */
    private static final int BUFFER = 1 << 16;

    private final SocketChannel channel;
    private final int most;
    private final ByteBuffer in;
    private final ByteBuffer out;
    private final MemorySegment inBytes;
    private final MemorySegment outBytes;

    /** Accepts a message, or returns that it cannot now. */
    interface Handler {
        /**
         * A message.
         *
         * @param message valid until the return
         * @return whether it was taken; if not, it is the next one again
         */
        boolean handle(MemorySegment message);
    }

    /**
     * @param channel connected; set not to block, and not to wait for more bytes before it sends
     * @param most the longest message, in bytes
     */
    FramedChannel(SocketChannel channel, int most) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        this.channel = channel;
        this.most = most;
        in = ByteBuffer.allocateDirect(Math.max(BUFFER, 2 * (LENGTH + most)));
        out = ByteBuffer.allocateDirect(in.capacity());
        inBytes = MemorySegment.ofBuffer(in);
        outBytes = MemorySegment.ofBuffer(out);
    }

    /** Puts a message among those that the next flush sends; false if there is no room. */
    boolean append(MemorySegment message) {
        int length = (int) message.byteSize();
        if (out.remaining() < LENGTH + length) {
            return false;
        }
        out.putInt(length);
        MemorySegment.copy(message, 0, outBytes, out.position(), length);
        out.position(out.position() + length);
        return true;
    }

    /** Returns whether something waits for a flush. */
    boolean hasUnsent() {
        return out.position() > 0;
    }

    /** Sends the appended messages, as far as the kernel's buffer has space. Returns whether all were sent. */
    boolean flush() throws IOException {
        if (hasUnsent()) {
            out.flip();
            channel.write(out);
            out.compact();
        }
        return !hasUnsent();
    }

    /**
     * Reads from the socket, and passes on the complete messages.
     *
     * @return false when the peer has closed the connection
     * @throws IOException when the connection is broken, or the data is not a message
     */
    boolean read(Handler handler) throws IOException {
        boolean open = channel.read(in) >= 0;
        handOut(handler);
        return open;
    }

    /** Hands out messages that were read before and not taken; whether one was taken now. */
    boolean handOut(Handler handler) throws IOException {
        in.flip();
        int next = 0;
        while (in.limit() - next >= LENGTH) {
            int length = in.getInt(next);
            if (length < 0 || length > most) {
                throw new IOException("a message of " + length + " bytes was announced; the longest has " + most);
            }
            if (in.limit() - next - LENGTH < length || !handler.handle(inBytes.asSlice(next + LENGTH, length))) {
                break;
            }
            next += LENGTH + length;
        }
        in.position(next);
        in.compact();
        return next > 0;
    }

    /** Closes it, however it is; the selector forgets it. */
    void closeQuietly() {
        try {
            channel.close();
        } catch (IOException _) {
            // The channel is not needed any more.
        }
    }
}
