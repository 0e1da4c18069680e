// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The measured loops over TCP. A non-blocking channel is polled; a blocking channel sleeps in the kernel; the loops are
 * identical. They do not allocate. If the peer closes the connection, they return; only a broken connection causes an
 * exception, because the channel throws it.
 */
final class MessageLoop {
    private final SocketChannel channel;
    private final ByteBuffer message;

    /**
     * @param channel connected
     * @param size message size in bytes
     */
    MessageLoop(SocketChannel channel, int size) {
        this.channel = channel;
        this.message = ByteBuffer.allocateDirect(size);
    }

    /** Sends one message. */
    void send() throws IOException {
        message.clear();
        do {
            channel.write(message);
        } while (message.hasRemaining());
    }

    /** Receives one message; false when the peer has closed the connection before its end. */
    boolean receive() throws IOException {
        message.clear();
        do {
            if (channel.read(message) < 0) {
                return false;
            }
        } while (message.hasRemaining());
        return true;
    }

    /**
     * Sends messages, each after the answer to the previous one.
     *
     * @param stamps receives the time of each send; its length is the number of messages
     * @return messages answered
     */
    int ask(long[] stamps) throws IOException {
        for (int i = 0; i < stamps.length; i++) {
            stamps[i] = System.nanoTime();
            send();
            if (!receive()) {
                return i;
            }
        }
        return stamps.length;
    }

    /**
     * Answers each message.
     *
     * @return messages answered
     */
    int answer(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            if (!receive()) {
                return i;
            }
            send();
        }
        return count;
    }

    /** Sends the messages, waiting only when the socket buffer is full. */
    void stream(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            send();
        }
    }

    /**
     * Receives messages.
     *
     * @return the number of received messages
     */
    int drain(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            if (!receive()) {
                return i;
            }
        }
        return count;
    }
}
