// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Plain loads and stores at addresses of memory that this library allocated itself, for the few structures of the hot
 * path: work requests and completions. Each compiles to one instruction.
 *
 * <p>A segment of the actual size would check each access against a length that the compiler does not know. A request
 * has nine fields, and nine checks cost more than nine stores, in time and in code size, which decides whether posting
 * is inlined into its caller. So the segment here is all of memory, a constant, and the caller checks once per request:
 * the index lies within the array that it allocated, and the offsets are constants within the structure. The caller
 * also keeps the memory alive. Addresses from outside are never used here.
 */
public final class NativeMemory {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    /**
     * What MemorySegment.get and set call; one call less. HotSpot inlines a chain of at most fifteen calls, and a
     * completion is read nearly that deep below an event loop.
     */
    private static final VarHandle LONG = JAVA_LONG_UNALIGNED.varHandle();

    private static final VarHandle INT = JAVA_INT_UNALIGNED.varHandle();

    /**
     * No address has the other bits; with this mask, and a small offset added, the compiler sees that the address lies
     * within {@link #ALL}.
     */
    private static final long ADDRESS_BITS = Long.MAX_VALUE >>> 1;

    private NativeMemory() {}

    /**
     * Prepares an address. Must be called before offsets are added to it.
     *
     * @param address the address of the structure
     * @return the same, in a form that lets the compiler omit the bounds checks
     */
    public static long structure(long address) {
        return address & ADDRESS_BITS;
    }

    /**
     * Combines two neighbouring fields of four bytes into one of eight, to store them at once.
     *
     * @param first the field at the lower address
     * @param second the field after it
     * @return for {@link #putLong}
     */
    public static long pair(int first, int second) {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
                ? Integer.toUnsignedLong(first) | (long) second << 32
                : Integer.toUnsignedLong(second) | (long) first << 32;
    }

    /**
     * Returns the first of two fields that were loaded as one.
     *
     * @param pair from {@link #getLong}, or {@link #pair}
     * @return the four bytes at the lower address
     */
    public static int first(long pair) {
        return (int) (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? pair : pair >> 32);
    }

    /**
     * Returns the second of two fields that were loaded as one.
     *
     * @param pair from {@link #getLong}, or {@link #pair}
     * @return the four bytes after it
     */
    public static int second(long pair) {
        return (int) (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? pair >> 32 : pair);
    }

    /**
     * Stores eight bytes.
     *
     * @param address from {@link #structure}, plus a field's offset
     * @param value in native byte order
     */
    public static void putLong(long address, long value) {
        LONG.set(ALL, address, value);
    }

    /**
     * Stores four bytes.
     *
     * @param address from {@link #structure}, plus a field's offset
     * @param value in native byte order
     */
    public static void putInt(long address, int value) {
        INT.set(ALL, address, value);
    }

    /**
     * Stores two bytes.
     *
     * @param address from {@link #structure}, plus a field's offset
     * @param value in native byte order
     */
    public static void putShort(long address, short value) {
        ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, address, value);
    }

    /**
     * Stores a byte.
     *
     * @param address from {@link #structure}, plus an offset
     * @param value any
     */
    public static void putByte(long address, byte value) {
        ALL.set(ValueLayout.JAVA_BYTE, address, value);
    }

    /**
     * Copies bytes of a segment, whose bounds and scope are checked.
     *
     * @param source any segment
     * @param offset in it
     * @param target from {@link #structure}; with space for the bytes
     * @param length in bytes
     */
    public static void copy(MemorySegment source, long offset, long target, long length) {
        MemorySegment.copy(source, offset, ALL, target, length);
    }

    /**
     * Loads eight bytes.
     *
     * @param address from {@link #structure}, plus a field's offset
     * @return in native byte order
     */
    public static long getLong(long address) {
        return (long) LONG.get(ALL, address);
    }

    /**
     * Loads four bytes.
     *
     * @param address from {@link #structure}, plus a field's offset
     * @return in native byte order
     */
    public static int getInt(long address) {
        return (int) INT.get(ALL, address);
    }

    /**
     * Loads two bytes.
     *
     * @param address from {@link #structure}, plus a field's offset
     * @return in native byte order
     */
    public static short getShort(long address) {
        return ALL.get(ValueLayout.JAVA_SHORT_UNALIGNED, address);
    }

    /**
     * Copies bytes.
     *
     * @param from from {@link #structure}, plus an offset
     * @param to the same
     * @param length in bytes
     */
    public static void copy(long from, long to, long length) {
        MemorySegment.copy(ALL, from, ALL, to, length);
    }

    /**
     * Reads a pointer in a structure. It is read as a number, because the JVM creates handles to read an address, which
     * takes some milliseconds of a program's first operation.
     *
     * @param structure the structure
     * @param offset the offset of the pointer
     * @return the target of the pointer, of unknown size
     */
    public static MemorySegment pointer(MemorySegment structure, long offset) {
        return MemorySegment.ofAddress(structure.get(ValueLayout.JAVA_LONG, offset))
                .reinterpret(Long.MAX_VALUE);
    }

    /**
     * Sets a pointer in a structure, as {@link #pointer} reads it.
     *
     * @param structure the structure
     * @param offset the offset of the pointer
     * @param target the target, which the caller keeps alive
     */
    public static void setPointer(MemorySegment structure, long offset, MemorySegment target) {
        structure.set(ValueLayout.JAVA_LONG, offset, target.address());
    }
}
