// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A message about a migration between two endpoints, over TCP.
 *
 * @param kind the kind of message
 * @param attempt the number of the RDMA connection
 * @param messages in {@link Kind#DOWN}: how many messages this side has received over that connection
 * @param credits in {@link Kind#DOWN}: how many credits it has received
 * @param closed in {@link Kind#DOWN}: whether it has received the peer's close message
 * @param body in {@link Kind#OFFER} and {@link Kind#ANSWER}: the address for the peer; in {@link Kind#DOWN}: the reason
 */
record MigrationMessage(Kind kind, int attempt, long messages, long credits, boolean closed, byte[] body) {
    /** The kinds of messages. */
    enum Kind {
        /** The client offers an RDMA connection. */
        OFFER,
        /** The server accepts, and can receive packets. */
        ANSWER,
        /** The trial messages have arrived. This side sends nothing over TCP after this message. */
        UP,
        /** This side has taken in everything before the peer's UP. */
        READY,
        /** The RDMA connection has ended, and nothing more arrives from it. */
        DOWN
    }

    /** The longest body, in bytes. */
    private static final int MAX_BODY = 200;

    /** The mask of the bits that mark a continuation byte of UTF-8. */
    private static final int FOLLOWS_MASK = 0xc0;

    private static final int FOLLOWS = 0x80;

    /** The longest encoded message, in bytes. */
    static final int MAX_BYTES = 2 + Integer.BYTES + 2 * Long.BYTES + MAX_BODY;

    static MigrationMessage of(Kind kind, int attempt) {
        return new MigrationMessage(kind, attempt, 0, 0, false, new byte[0]);
    }

    static MigrationMessage of(Kind kind, int attempt, byte[] body) {
        return new MigrationMessage(kind, attempt, 0, 0, false, body);
    }

    static byte[] reason(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= MAX_BODY) {
            return bytes;
        }
        byte[] more = "…".getBytes(StandardCharsets.UTF_8);
        int end = MAX_BODY - more.length;
        while ((bytes[end] & FOLLOWS_MASK) == FOLLOWS) {
            end--;
        }
        byte[] cut = Arrays.copyOf(bytes, end + more.length);
        System.arraycopy(more, 0, cut, end, more.length);
        return cut;
    }

    /** {@return the reason in one line, because it is printed in messages and logs} */
    String reason() {
        return new String(body, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", " ");
    }

    byte[] toBytes() {
        return ByteBuffer.allocate(2 + Integer.BYTES + 2 * Long.BYTES + body.length)
                .put((byte) kind.ordinal())
                .put((byte) (closed ? 1 : 0))
                .putInt(attempt)
                .putLong(messages)
                .putLong(credits)
                .put(body)
                .array();
    }

    /** Decodes a message; null if the bytes are none. */
    static MigrationMessage parse(byte[] bytes) {
        try {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            int kind = buffer.get();
            boolean closed = buffer.get() != 0;
            int attempt = buffer.getInt();
            long messages = buffer.getLong();
            long credits = buffer.getLong();
            byte[] body = new byte[buffer.remaining()];
            buffer.get(body);
            boolean known = kind >= 0 && kind < Kind.values().length && messages >= 0 && credits >= 0;
            return known ? new MigrationMessage(Kind.values()[kind], attempt, messages, credits, closed, body) : null;
        } catch (BufferUnderflowException e) {
            return null;
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MigrationMessage that && Arrays.equals(toBytes(), that.toBytes());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(toBytes());
    }

    /** {@return kind and number} */
    @Override
    public String toString() {
        return kind + " " + attempt;
    }
}
