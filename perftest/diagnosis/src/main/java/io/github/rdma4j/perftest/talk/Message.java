// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A message between the two ends: a header of 16 bytes and {@link Fields}. All numbers are big-endian.
 *
 * <p>The first message of each end is {@link Kind#HELLO}. Header and HELLO are the same in every version of the
 * protocol, so that ends of different versions can report the mismatch to each other.
 *
 * @param version the sender's version of the protocol
 * @param kind the kind of message
 * @param fields its content
 */
public record Message(int version, Kind kind, Fields fields) {
    /** The version of each protocol in this program. */
    public static final int VERSION = 1;

    /** The length of a header, in bytes. */
    public static final int HEADER_BYTES = 16;

    private static final int SHOWN = 24;

    /** The kind of a message. */
    public enum Kind {
        /** The sender and its version. */
        HELLO,
        /** The sender's readings of its machine. */
        MACHINE,
        /** The next order for the serving end. */
        ORDER,
        /** The result of an order. */
        ANSWER,
        /** The end of the conversation, with the findings. */
        BYE
    }

    /**
     * The content of a header.
     *
     * @param version the sender's version of the protocol
     * @param kind the kind of message
     * @param length the length of the body, in bytes
     */
    public record Header(int version, Kind kind, int length) {}

    /** A message of this program's version. */
    public Message(Kind kind, Fields fields) {
        this(VERSION, kind, fields);
    }

    /** The bytes on the connection. */
    public byte[] encode(Protocol protocol) {
        byte[] body = fields.encode();
        return ByteBuffer.allocate(HEADER_BYTES + body.length)
                .put(protocol.magic())
                .putShort((short) version)
                .putShort((short) kind.ordinal())
                .putInt(body.length)
                .put(body)
                .array();
    }

    /**
     * Parses a header. Nothing is allocated for its values before they have been checked against the bounds.
     *
     * @param bytes the received bytes, at most {@value #HEADER_BYTES}; fewer if the connection ended
     * @throws BadMessageException if they are not a header
     */
    public static Header header(Protocol protocol, byte[] bytes) {
        byte[] magic = protocol.magic();
        int compared = Math.min(bytes.length, magic.length);
        if (!Arrays.equals(bytes, 0, compared, magic, 0, compared)) {
            throw new BadMessageException("it is not rdma4j " + protocol.command() + ": it sent " + show(bytes));
        }
        if (bytes.length < HEADER_BYTES) {
            throw new BadMessageException("the other end's message ends after " + bytes.length + " bytes");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes, magic.length, HEADER_BYTES - magic.length);
        int version = Short.toUnsignedInt(buffer.getShort());
        int kind = Short.toUnsignedInt(buffer.getShort());
        int length = buffer.getInt();
        if (kind >= Kind.values().length) {
            throw new BadMessageException("the other end's message is of the unknown kind " + kind);
        }
        if (length < 0 || length > Fields.MOST_BYTES) {
            throw new BadMessageException("the other end announces a message of " + Integer.toUnsignedString(length)
                    + " bytes; the longest has " + Fields.MOST_BYTES);
        }
        return new Header(version, Kind.values()[kind], length);
    }

    /**
     * Creates a message from its header and body.
     *
     * @throws BadMessageException if the body is invalid
     */
    public static Message of(Header header, byte[] body) {
        return new Message(header.version(), header.kind(), Fields.decode(body));
    }

    /** Returns the bytes in quotation marks, with anything except printable ASCII as {@code \xNN}. */
    private static String show(byte[] bytes) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < Math.min(bytes.length, SHOWN); i++) {
            char c = (char) (bytes[i] & 0xff);
            text.append(
                    c >= ' ' && c < 0x7f && c != '"' && c != '\\'
                            ? String.valueOf(c)
                            : String.format("\\x%02x", (int) c));
        }
        return text.append('"').toString();
    }
}
