// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Content that shows bytes which are missing, repeated or of another message. */
final class Pattern {
    private Pattern() {}

    static void fill(MemorySegment memory, int seed) {
        for (long i = 0; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, at(i, seed));
        }
    }

    /** The index of the first byte that is not as it should be; -1 if all are. */
    static long firstDifference(MemorySegment memory, int seed) {
        for (long i = 0; i < memory.byteSize(); i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, i) != at(i, seed)) {
                return i;
            }
        }
        return -1;
    }

    /** Packets begin at multiples of 256, where neighbours must differ. */
    private static byte at(long index, int seed) {
        return (byte) (index + 7 * (index >>> 8) + 31L * seed);
    }
}
