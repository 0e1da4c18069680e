// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A message between two endpoints about a move, over TCP.
 *
 * @param kind the kind of message
 * @param attempt of which RDMA connection; they are counted
 * @param messages of {@link Kind#DOWN}: how many messages this side has received over that connection
 * @param credits of {@link Kind#DOWN}: how many credits
 * @param closed of {@link Kind#DOWN}: whether the peer's close has come
 * @param body of {@link Kind#OFFER} and {@link Kind#ANSWER}: what the peer must know; of {@link Kind#DOWN}: why
 */
record MigrationMessage(Kind kind, int attempt, long messages, long credits, boolean closed, byte[] body) {
    /** The kinds of messages. */
    enum Kind {
        /** The client would like RDMA. */
        OFFER,
        /** The server agrees, and packets can come. */
        ANSWER,
        /** The trial messages has lived, and nothing of this side's comes over TCP behind this. */
        UP,
        /** Everything before the peer's UP was taken in. */
        READY,
        /** The RDMA connection is no more, and nothing comes from there. */
        DOWN
    }

    /** The longest reason. */
    private static final int MAX_BODY = 200;

    /** Of a byte of UTF-8 that is not the first one of its character. */
    private static final int FOLLOWS_MASK = 0xc0;

    private static final int FOLLOWS = 0x80;

    /** The most bytes that one takes. */
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

    /** In one line, whatever the peer has sent: it gets into messages and logs. */
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

    /** What a peer has said; null if that are no such words. */
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
