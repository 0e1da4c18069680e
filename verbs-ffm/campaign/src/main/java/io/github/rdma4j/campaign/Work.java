// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The operations of one end in the other end's memory, repeated and computed from the seed: it writes, adds to the
 * first word and reads.
 *
 * @param offset of the write
 * @param bytes of the write
 * @param addend of the addition
 * @param readOffset of the read
 * @param readLength of the read
 */
record Work(int offset, byte[] bytes, int addend, int readOffset, int readLength) {
    static final int MEMORY = 1 << 16;
    static final int LARGEST = 8192;
    /** A write, an addition, a read. */
    static final int STEPS = 3;

    static Work next(SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(1, LARGEST + 1)];
        int offset = random.nextInt(Long.BYTES, MEMORY - bytes.length + 1);
        random.nextBytes(bytes);
        int addend = random.nextInt(1, 1000);
        int readLength = random.nextInt(1, LARGEST + 1);
        return new Work(offset, bytes, addend, random.nextInt(Long.BYTES, MEMORY - readLength + 1), readLength);
    }

    private void write(byte[] memory) {
        System.arraycopy(bytes, 0, memory, offset, bytes.length);
    }

    /**
     * Checks memory after an operation with an unknown result: each byte may have been written or not, and the addition
     * done or not.
     *
     * @param memory the contents when the worker has died
     * @param seed of the works
     * @param done the number of steps that completed at the worker
     * @return the error, or nothing
     */
    static String complaint(byte[] memory, long seed, long done) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] expected = new byte[MEMORY];
        long sum = 0;
        for (long n = 0; n < done / STEPS; n++) {
            Work work = next(random);
            work.write(expected);
            sum += work.addend;
        }
        Work last = next(random);
        byte[] written = expected.clone();
        last.write(written);
        long added = sum;
        switch ((int) (done % STEPS)) {
            case 0 -> {}
            case 1 -> {
                expected = written;
                added += last.addend;
            }
            default -> {
                expected = written;
                sum += last.addend;
                added = sum;
            }
        }
        long found = MemorySegment.ofArray(memory).get(JAVA_LONG_UNALIGNED, 0);
        if (found != sum && found != added) {
            return "a sum of " + sum + " or " + added + " is " + found + " behind " + done + " steps";
        }
        for (int n = Long.BYTES; n < MEMORY; n++) {
            if (memory[n] != expected[n] && memory[n] != written[n]) {
                return "byte " + n + " is " + memory[n] + " and not " + expected[n] + " or " + written[n] + " behind "
                        + done + " steps, and " + (Arrays.equals(memory, written) ? "all is" : "not all is")
                        + " as one step later";
            }
        }
        return "";
    }
}
