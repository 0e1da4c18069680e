// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/**
 * The content of messages: the message's number at both ends, and between them bytes that differ between messages and
 * between connections. A late, repeated, misdirected or damaged echo is thus detected.
 */
public final class Messages {
    /** The number, twice. */
    public static final int LEAST_SIZE = 16;

    /** With the memory of many connections in mind. */
    public static final int LARGEST_SIZE = 1 << 20;

    /** A prime; after this many messages the bytes of a connection repeat. */
    private static final int VARIANTS = 251;

    private static final int CONNECTION_STEP = 89;
    private static final long SEED = 42;
    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG_UNALIGNED;

    private final int size;
    private final MemorySegment bytes;
    private final MemorySegment message;

    /**
     * @param size of each message, {@value #LEAST_SIZE} to {@value #LARGEST_SIZE} bytes
     */
    public Messages(int size) {
        this.size = size;
        byte[] random = new byte[size + VARIANTS];
        new Random(SEED).nextBytes(random);
        bytes = Arena.ofAuto().allocate(random.length).copyFrom(MemorySegment.ofArray(random));
        message = Arena.ofAuto().allocate(size, Long.BYTES);
    }

    /**
     * A message.
     *
     * @return overwritten by the next call
     */
    MemorySegment write(int connection, long number) {
        MemorySegment.copy(bytes, variant(connection, number), message, Long.BYTES, middle());
        message.set(NUMBER, 0, number);
        message.set(NUMBER, size - (long) Long.BYTES, number);
        return message;
    }

    /** Returns what is wrong with an echo, in words; null when it is the expected one. */
    String fault(MemorySegment echo, int connection, long number) {
        if (echo.byteSize() != size) {
            return "has " + echo.byteSize() + " bytes instead of " + size;
        }
        long first = echo.get(NUMBER, 0);
        long last = echo.get(NUMBER, size - (long) Long.BYTES);
        if (first != number || last != number) {
            return "is number " + first + (last == first ? "" : ", at its end " + last);
        }
        long from = variant(connection, number);
        long wrong =
                MemorySegment.mismatch(echo, Long.BYTES, Long.BYTES + (long) middle(), bytes, from, from + middle());
        return wrong < 0 ? null : "has a wrong byte at " + (Long.BYTES + wrong);
    }

    private int middle() {
        return size - LEAST_SIZE;
    }

    private static int variant(int connection, long number) {
        return (int) ((number + (long) connection * CONNECTION_STEP) % VARIANTS);
    }
}
