// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What travels over TCP: a header, for requests of memory and answers with a value a second one, and data. Each header
 * has the count of the peer's requests that are done, so that an acknowledgement seldom goes alone.
 *
 * <p>Messages, controls, probes, writes, reads and atomic operations are requests. The peer serves them in their order,
 * and each is done by an acknowledgement that counts it, or by its answer.
 */
public final class TcpFrame {
    /** A message, or a control, with the number beside it. */
    public static final byte MESSAGE = 1;
    /** Asks for an acknowledgement. */
    static final byte PROBE = 2;
    /** Data for the peer's memory. */
    static final byte WRITE = 3;
    /** Asks for data of the peer's memory; {@link #DATA} answers. */
    static final byte READ = 4;

    static final byte COMPARE_AND_SWAP = 5;
    static final byte FETCH_AND_ADD = 6;
    /** Answers a read. */
    static final byte DATA = 7;
    /** Answers an atomic operation. */
    static final byte VALUE = 8;
    /** A request was refused; nothing comes after it. */
    static final byte REFUSED = 9;
    /** Has only the count. */
    static final byte ACKNOWLEDGEMENT = 10;

    public static final int HEADER = 16;
    /** Address, key, operand and new value. */
    static final int PLACE = 32;

    private static final int FEWEST_ANSWERS = 64;
    private static final int MOST_ANSWERS = 1024;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int STATUS_AT = 1;
    private static final int COUNT_AT = 4;
    private static final int FRAME_AT = 8;
    private static final int LENGTH_AT = 12;
    private static final int KEY_AT = HEADER + 8;
    private static final int OPERAND_AT = HEADER + 16;
    private static final int NEW_VALUE_AT = HEADER + 24;

    private TcpFrame() {}

    static boolean isKnown(byte kind) {
        return kind >= MESSAGE && kind <= ACKNOWLEDGEMENT;
    }

    /**
     * How many answers one side may wait for: as many as the other side has receive buffers for messages, within
     * limits. Both sides know that number from the handshake.
     *
     * @param receiveBuffers of the side that answers
     */
    static int answers(int receiveBuffers) {
        return Math.clamp(receiveBuffers, FEWEST_ANSWERS, MOST_ANSWERS);
    }

    /** Whether a request is done by its answer alone. */
    static boolean asksForAnswer(byte kind) {
        return kind == READ || kind == COMPARE_AND_SWAP || kind == FETCH_AND_ADD;
    }

    /** The bytes before the data. */
    public static int size(byte kind) {
        return switch (kind) {
            case WRITE, READ, COMPARE_AND_SWAP, FETCH_AND_ADD, VALUE -> HEADER + PLACE;
            default -> HEADER;
        };
    }

    /** Whether as many bytes follow as the header says. */
    public static boolean hasData(byte kind) {
        return kind == MESSAGE || kind == WRITE || kind == DATA;
    }

    public static void write(MemorySegment memory, long at, byte kind, byte status, int count, int frame, int length) {
        memory.set(ValueLayout.JAVA_BYTE, at, kind);
        memory.set(ValueLayout.JAVA_BYTE, at + STATUS_AT, status);
        memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at + 2, (short) 0);
        memory.set(INT, at + COUNT_AT, count);
        memory.set(INT, at + FRAME_AT, frame);
        memory.set(INT, at + LENGTH_AT, length);
    }

    static void writePlace(MemorySegment memory, long at, long address, int key, long operand, long newValue) {
        memory.set(LONG, at + HEADER, address);
        memory.set(INT, at + KEY_AT, key);
        memory.set(INT, at + KEY_AT + Integer.BYTES, 0);
        memory.set(LONG, at + OPERAND_AT, operand);
        memory.set(LONG, at + NEW_VALUE_AT, newValue);
    }

    public static byte kind(MemorySegment memory, long at) {
        return memory.get(ValueLayout.JAVA_BYTE, at);
    }

    static byte status(MemorySegment memory, long at) {
        return memory.get(ValueLayout.JAVA_BYTE, at + STATUS_AT);
    }

    static int count(MemorySegment memory, long at) {
        return memory.get(INT, at + COUNT_AT);
    }

    static int frame(MemorySegment memory, long at) {
        return memory.get(INT, at + FRAME_AT);
    }

    public static int length(MemorySegment memory, long at) {
        return memory.get(INT, at + LENGTH_AT);
    }

    static long address(MemorySegment memory, long at) {
        return memory.get(LONG, at + HEADER);
    }

    static int key(MemorySegment memory, long at) {
        return memory.get(INT, at + KEY_AT);
    }

    static long operand(MemorySegment memory, long at) {
        return memory.get(LONG, at + OPERAND_AT);
    }

    static long newValue(MemorySegment memory, long at) {
        return memory.get(LONG, at + NEW_VALUE_AT);
    }
}
