// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Messages that the receiver can check: their content follows from their number, and ends with a checksum (CRC-32C).
 * The check finds lost, truncated, reordered and damaged messages.
 *
 * <p>In a message of 16 bytes or more the first 8 bytes are its number, the last 4 are free (the write latency test
 * uses the last one as its counter), and the 4 before them are the checksum of everything before. A shorter message has
 * no space for a checksum: each of its bytes except the last follows from the number.
 *
 * <p>{@link #seal} and {@link #check} do not allocate. Not safe for use by several threads.
 */
public final class SealedMessages {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final int LEAST_WITH_CHECKSUM = 16;
    private static final int FREE = 4;

    /** A buffer has at most 2 GiB: larger memory is accessed through several, which overlap by half. */
    private static final long WINDOW = 1L << 30;

    private final MemorySegment memory;
    private final ByteBuffer[] windows;
    private final CRC32C checksum = new CRC32C();

    private long damagedNumber;
    private long foundNumber;
    private boolean damaged;

    /** Messages in a piece of memory. */
    public SealedMessages(MemorySegment memory) {
        this.memory = memory;
        int count = (int) Math.max(1, Math.ceilDiv(memory.byteSize(), WINDOW));
        windows = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            long start = i * WINDOW;
            long length = Math.min(memory.byteSize() - start, Integer.MAX_VALUE);
            windows[i] = memory.asSlice(start, length).asByteBuffer();
        }
    }

    /**
     * Writes the content of a message.
     *
     * @param offset of its first byte
     * @param size its length in bytes
     * @param number what its content follows from
     */
    public void seal(long offset, long size, long number) {
        if (size < LEAST_WITH_CHECKSUM) {
            for (long i = 0; i < size - 1; i++) {
                memory.set(ValueLayout.JAVA_BYTE, offset + i, shortContent(number, i));
            }
            return;
        }
        memory.set(LONG, offset, number);
        long end = offset + size - FREE - Integer.BYTES;
        long state = number * 0x9E3779B97F4A7C15L + 1;
        long at = offset + Long.BYTES;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            state ^= state << 13;
            state ^= state >>> 7;
            state ^= state << 17;
            memory.set(LONG, at, state);
        }
        for (; at < end; at++) {
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) (state = state >>> 8 | state << 56));
        }
        memory.set(INT, end, checksum(offset, end));
    }

    /**
     * Returns whether a message is intact. If not, {@link #failure()} describes the contents.
     *
     * @param offset its start
     * @param size its length in bytes
     * @param number the number it was sealed with
     */
    public boolean check(long offset, long size, long number) {
        boolean whole = size < LEAST_WITH_CHECKSUM
                ? checkShort(offset, size, number)
                : memory.get(LONG, offset) == number && checksumIsRight(offset, size);
        if (!whole && !damaged) {
            damaged = true;
            damagedNumber = number;
            foundNumber = size < LEAST_WITH_CHECKSUM || !checksumIsRight(offset, size) ? -1 : memory.get(LONG, offset);
        }
        return whole;
    }

    private boolean checksumIsRight(long offset, long size) {
        long end = offset + size - FREE - Integer.BYTES;
        return memory.get(INT, end) == checksum(offset, end);
    }

    private boolean checkShort(long offset, long size, long number) {
        for (long i = 0; i < size - 1; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, offset + i) != shortContent(number, i)) {
                return false;
            }
        }
        return true;
    }

    private static byte shortContent(long number, long index) {
        return (byte) (number * 31 + index * 7 + 1);
    }

    private int checksum(long from, long to) {
        checksum.reset();
        for (long at = from; at < to; ) {
            int window = (int) (at / WINDOW);
            int start = (int) (at - window * WINDOW);
            int length = (int) Math.min(to - at, WINDOW);
            ByteBuffer bytes = windows[window];
            bytes.limit(start + length).position(start);
            checksum.update(bytes);
            at += length;
        }
        return (int) checksum.getValue();
    }

    /** Erases the memory of a message, so that {@link #check} does not accept an older message there. */
    public void erase(long offset, long size) {
        if (size < LEAST_WITH_CHECKSUM) {
            for (long i = 0; i < size - 1; i++) {
                memory.set(ValueLayout.JAVA_BYTE, offset + i, (byte) ~memory.get(ValueLayout.JAVA_BYTE, offset + i));
            }
        } else {
            long end = offset + size - FREE - Integer.BYTES;
            memory.set(INT, end, ~memory.get(INT, end));
        }
    }

    /** Describes the first damaged message; null when all were intact. */
    public String failure() {
        if (!damaged) {
            return null;
        }
        return "--data_validation: where message " + damagedNumber + " was expected, "
                + (foundNumber >= 0 ? "message " + foundNumber + " arrived" : "damaged data arrived");
    }
}
