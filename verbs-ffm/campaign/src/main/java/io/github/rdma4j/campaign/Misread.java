// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * A read that was reported as done and has not brought what was written there: all that is needed to judge whose fault
 * it is.
 *
 * @param first the first wrong byte
 * @param last the last one
 * @param wrong how many are
 * @param untouched how many of them are as before the read
 * @param older how many of them are as before the last write
 * @param from the offset of the first found bytes in the memory that was read; -1 if they are not in it
 * @param expected the first expected bytes, from {@code first}
 * @param found the bytes that were read instead
 */
record Misread(int first, int last, int wrong, int untouched, int older, int from, String expected, String found) {
    /** The same bytes occur at two offsets by chance once in 2^64 cases. */
    private static final int SHOWN = 16;

    private static final int UNIQUE = 8;

    /**
     * @param found the received bytes
     * @param offset where it was read
     * @param memory the contents
     * @param before what was there before the last write
     * @param untouched what every byte was before the read
     * @return the error, or null
     */
    static Misread of(byte[] found, int offset, byte[] memory, byte[] before, byte untouched) {
        int first = Arrays.mismatch(found, 0, found.length, memory, offset, offset + found.length);
        if (first < 0) {
            return null;
        }
        int last = first;
        int wrong = 0;
        int same = 0;
        int older = 0;
        for (int n = first; n < found.length; n++) {
            if (found[n] != memory[offset + n]) {
                last = n;
                wrong++;
                same += found[n] == untouched ? 1 : 0;
                older += found[n] == before[offset + n] ? 1 : 0;
            }
        }
        int end = Math.min(found.length, first + SHOWN);
        return new Misread(
                first,
                last,
                wrong,
                same,
                older,
                place(Arrays.copyOfRange(found, first, end), memory),
                HexFormat.of().formatHex(memory, offset + first, offset + end),
                HexFormat.of().formatHex(found, first, end));
    }

    private static int place(byte[] bytes, byte[] memory) {
        for (int at = 0; bytes.length >= UNIQUE && at + bytes.length <= memory.length; at++) {
            if (Arrays.equals(memory, at, at + bytes.length, bytes, 0, bytes.length)) {
                return at;
            }
        }
        return -1;
    }

    /** {@return whether no wrong byte was delivered, as far as that can be seen} */
    boolean isUndelivered() {
        return untouched == wrong;
    }

    @Override
    public String toString() {
        return "%d bytes wrong, %d to %d: %d as before the read, %d as before the last write, %s; expected %s, found %s"
                .formatted(
                        wrong,
                        first,
                        last,
                        untouched,
                        older,
                        from < 0 ? "from nowhere in that memory" : "from its offset " + from,
                        expected,
                        found);
    }
}
