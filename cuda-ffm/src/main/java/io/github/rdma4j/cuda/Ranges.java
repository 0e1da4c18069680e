// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/** Checks offsets and lengths, with a message that names the memory. */
final class Ranges {
    private Ranges() {}

    static void check(long offset, long length, long size, Object whole) {
        if (offset < 0 || length < 0 || length > size - offset) {
            throw outside(offset, length, size, whole);
        }
    }

    /** Checks a range of 32-bit words. */
    static void checkWords(long offset, long count, DeviceMemory memory) {
        if (count < 0 || count > memory.size() / Integer.BYTES) {
            throw new IndexOutOfBoundsException(
                    "%d words of 4 bytes from offset %d do not lie within %s".formatted(count, offset, memory));
        }
        check(offset, count * Integer.BYTES, memory.size(), memory);
        requireMultiple(offset, Integer.BYTES);
    }

    static void requireMultiple(long offset, int bytes) {
        if (offset % bytes != 0) {
            throw new IllegalArgumentException("offset " + offset + " is not a multiple of " + bytes);
        }
    }

    private static IndexOutOfBoundsException outside(long offset, long length, long size, Object whole) {
        return new IndexOutOfBoundsException("%d bytes from offset %d do not lie within %s, which has %d bytes"
                .formatted(length, offset, whole, size));
    }
}
