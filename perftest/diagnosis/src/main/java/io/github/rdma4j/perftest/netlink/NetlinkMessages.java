// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.netlink;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The bytes of netlink messages: {@code struct nlmsghdr} and {@code struct nlattr} of netlink(7). */
public final class NetlinkMessages {
    private static final int HEADER = 16;
    private static final int ATTRIBUTE_HEADER = 4;
    private static final short REQUEST = 0x1;
    private static final short REQUEST_DUMP = REQUEST | 0x300;
    private static final int ERROR = 2;
    private static final int DONE = 3;
    /** Without the marks for nested ones and for the order of bytes. */
    private static final int TYPE_MASK = 0x3fff;

    private static final int NESTED = 0x8000;

    private NetlinkMessages() {}

    /**
     * An attribute of a message.
     *
     * @param type its number
     * @param value its bytes, in the machine's order
     */
    public record Attribute(int type, ByteBuffer value) {
        /** Four bytes; 0 if there are fewer. */
        public int number() {
            return value.remaining() >= Integer.BYTES ? value.getInt(value.position()) : 0;
        }

        /** Two bytes; 0 if there are fewer. */
        public int shortNumber() {
            return value.remaining() >= Short.BYTES ? Short.toUnsignedInt(value.getShort(value.position())) : 0;
        }

        /** Returns one byte; 0 if there is none. */
        public int smallNumber() {
            return value.hasRemaining() ? value.get(value.position()) : 0;
        }

        /** Returns the text before its terminating zero. */
        public String text() {
            String text = StandardCharsets.UTF_8.decode(value.duplicate()).toString();
            int end = text.indexOf('\0');
            return end < 0 ? text : text.substring(0, end);
        }

        /** Returns the attributes inside this one. */
        public List<Attribute> nested() {
            return attributes(value.duplicate().order(value.order()));
        }
    }

    /**
     * Creates a request for one object.
     *
     * @param family the header before the attributes; a multiple of four bytes
     * @param attribute the result of {@link #text} or {@link #nested}
     */
    public static byte[] get(int kind, int sequence, byte[] family, byte[] attribute) {
        int length = HEADER + family.length + attribute.length;
        return ByteBuffer.allocate(length)
                .order(ByteOrder.nativeOrder())
                .putInt(length)
                .putShort((short) kind)
                .putShort(REQUEST)
                .putInt(sequence)
                .putInt(0)
                .put(family)
                .put(attribute)
                .array();
    }

    /** An attribute whose value is a text. */
    public static byte[] text(int type, String text) {
        return attribute(type, (text + "\0").getBytes(StandardCharsets.UTF_8));
    }

    /** Creates an attribute that contains another one. */
    public static byte[] nested(int type, byte[] inner) {
        return attribute(type | NESTED, inner);
    }

    private static byte[] attribute(int type, byte[] value) {
        return ByteBuffer.allocate(ATTRIBUTE_HEADER + aligned(value.length))
                .order(ByteOrder.nativeOrder())
                .putShort((short) (ATTRIBUTE_HEADER + value.length))
                .putShort((short) type)
                .put(value)
                .array();
    }

    /** A request for all there is of a kind, with one number as an attribute, unless its type is 0. */
    public static byte[] dump(int kind, int sequence, int attribute, int number) {
        int length = HEADER + (attribute == 0 ? 0 : ATTRIBUTE_HEADER + Integer.BYTES);
        ByteBuffer message = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
        message.putInt(length)
                .putShort((short) kind)
                .putShort(REQUEST_DUMP)
                .putInt(sequence)
                .putInt(0);
        if (attribute != 0) {
            message.putShort((short) (ATTRIBUTE_HEADER + Integer.BYTES))
                    .putShort((short) attribute)
                    .putInt(number);
        }
        return message.array();
    }

    /**
     * Parses the bytes of one receive.
     *
     * @param bytes one or several messages
     * @param sequence the sequence number of the request; other messages are skipped
     * @param family the bytes before the attributes of each message
     * @param into receives the attributes of each message
     * @return whether the last one was among them
     * @throws NetlinkException if the kernel refused, or has sent an invalid message
     */
    public static boolean read(ByteBuffer bytes, int sequence, int family, List<List<Attribute>> into)
            throws NetlinkException {
        bytes.order(ByteOrder.nativeOrder());
        try {
            while (bytes.remaining() >= HEADER) {
                int start = bytes.position();
                int length = bytes.getInt();
                int type = Short.toUnsignedInt(bytes.getShort());
                bytes.getShort();
                int answered = bytes.getInt();
                bytes.getInt();
                ByteBuffer body = bytes.slice(start + HEADER, length - HEADER).order(bytes.order());
                bytes.position(Math.min(bytes.limit(), start + aligned(length)));
                if (answered != sequence) {
                    continue;
                }
                if (type == ERROR || type == DONE) {
                    int errno = body.remaining() >= Integer.BYTES ? -body.getInt() : 0;
                    if (errno > 0) {
                        throw new NetlinkException(errno);
                    }
                    return true;
                }
                into.add(
                        attributes(body.slice(family, body.remaining() - family).order(body.order())));
            }
        } catch (IndexOutOfBoundsException | IllegalArgumentException | BufferUnderflowException _) {
            throw new NetlinkException("the kernel's answer is not a netlink message");
        }
        return false;
    }

    private static List<Attribute> attributes(ByteBuffer bytes) {
        List<Attribute> attributes = new ArrayList<>();
        while (bytes.remaining() >= ATTRIBUTE_HEADER) {
            int start = bytes.position();
            int length = Short.toUnsignedInt(bytes.getShort());
            int type = bytes.getShort() & TYPE_MASK;
            if (length < ATTRIBUTE_HEADER || length > bytes.limit() - start) {
                // Truncated: the rest cannot be parsed.
                return attributes;
            }
            attributes.add(new Attribute(
                    type,
                    bytes.slice(start + ATTRIBUTE_HEADER, length - ATTRIBUTE_HEADER)
                            .order(bytes.order())));
            bytes.position(Math.min(bytes.limit(), start + aligned(length)));
        }
        return attributes;
    }

    private static int aligned(int length) {
        return (length + 3) & ~3;
    }
}
