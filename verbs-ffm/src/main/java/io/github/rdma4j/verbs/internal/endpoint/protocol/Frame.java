// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The number beside each message of the endpoint protocol: what the message is, and how many credits it grants. It
 * travels as immediate data; where a transport has none with sends, as iWARP, behind the message's last byte. The
 * message has no header, so it lies at the start of its buffer, and a message without bytes can carry credits.
 */
public final class Frame {
    /** Data of the program; uses up one credit. */
    public static final int MESSAGE = 0;
    /** Credits and nothing else; goes into the reserve. */
    public static final int CREDIT = 1;
    /** The last message: the sender has closed; goes into the reserve. */
    public static final int CLOSE = 2;

    /** Of two endpoints that move: words about the move, over TCP; no credit, and no message of the program's. */
    public static final int MOVE = 3;
    /** Of two endpoints that move: data that shows whether RDMA works. */
    public static final int TRIAL = 4;

    /** What fits into the number, and so the most receive buffers that a side can have. */
    public static final int MAX_CREDITS = 0xffff;

    /** The bytes that it takes behind a message. */
    public static final int TRAILER = Integer.BYTES;

    /** How it is written there: with no regard to alignment, in network byte order as immediate data is. */
    private static final ValueLayout.OfInt BEHIND = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int KIND_SHIFT = 16;

    private Frame() {}

    public static int read(MemorySegment memory, long offset) {
        return memory.get(BEHIND, offset);
    }

    public static void write(MemorySegment memory, long offset, int frame) {
        memory.set(BEHIND, offset, frame);
    }

    public static int of(int kind, int credits) {
        return kind << KIND_SHIFT | credits;
    }

    public static int kind(int frame) {
        return frame >>> KIND_SHIFT;
    }

    public static int credits(int frame) {
        return frame & MAX_CREDITS;
    }
}
