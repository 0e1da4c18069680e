// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.gpudirect.nccl.NcclDataType;
import io.github.rdma4j.gpudirect.nccl.NcclOperation;
import java.lang.foreign.MemorySegment;
import java.util.Random;

/**
 * The values that each rank sends, and the expected result. They are so small that each type represents them, and every
 * partial sum, exactly. The order in which NCCL adds then does not matter, and every bit is compared. Only the mean of
 * floating-point numbers is rounded, because NCCL multiplies by 1/ranks before it adds.
 *
 * <p>Values repeat after {@link #PERIOD} elements. It is a prime, so that data that is displaced by a power of two is
 * detected.
 */
final class Values {
    /** The period of the values. */
    static final int PERIOD = 1021;

    /** The number of ranks that contribute to a sum or product; the others send neutral elements. */
    private static final int PARTS = 4;

    private static final double[] STEPS = {0, 1, 2, 3, 4, 6, 8};
    private static final long SEED = 16;

    private final NcclDataType type;
    private final NcclOperation operation;
    private final int ranks;
    private final int[] random = new Random(SEED).ints(PERIOD, 0, 1 << 16).toArray();

    Values(NcclDataType type, NcclOperation operation, int ranks) {
        this.type = type;
        this.operation = operation;
        this.ranks = ranks;
    }

    /** Returns the element that a rank sends. */
    double sent(long index, int rank) {
        int place = (int) (index % PERIOD);
        boolean part = (place + rank) % ranks < PARTS;
        return switch (operation) {
            case SUM -> part ? random[place] % 3 : 0;
            case PRODUCT -> part ? 1 + random[place] % 2 : 1;
            case MAX, MIN -> STEPS[(random[(place + 17 * rank) % PERIOD]) % STEPS.length];
            case AVERAGE -> random[place] % 2;
        };
    }

    /** Returns the element that each rank must receive. */
    double expected(long index) {
        double result = sent(index, 0);
        for (int rank = 1; rank < ranks; rank++) {
            double next = sent(index, rank);
            result = switch (operation) {
                case SUM -> result + next;
                case PRODUCT -> result * next;
                case MAX -> Math.max(result, next);
                case MIN -> Math.min(result, next);
                // All ranks send equal values.
                case AVERAGE -> result;
            };
        }
        return result;
    }

    /** Fills memory, from an index that is a multiple of the period, with the values that a rank sends. */
    void fillSent(MemorySegment memory, int rank) {
        for (long i = 0; i < PERIOD && i < memory.byteSize() / type.size(); i++) {
            Elements.set(memory, type, i, sent(i, rank));
        }
        repeat(memory);
    }

    /** Fills memory with the values that each rank must receive. */
    void fillExpected(MemorySegment memory) {
        for (long i = 0; i < PERIOD && i < memory.byteSize() / type.size(); i++) {
            Elements.set(memory, type, i, expected(i));
        }
        repeat(memory);
    }

    private void repeat(MemorySegment memory) {
        long all = memory.byteSize();
        for (long done = (long) PERIOD * type.size(); done < all; done *= 2) {
            MemorySegment.copy(memory, 0, memory, done, Math.min(done, all - done));
        }
    }

    /**
     * Counts the wrong elements.
     *
     * @param got the data that a rank received, from an index that is a multiple of the period
     * @param expected as many bytes, filled by {@link #fillExpected}
     */
    long wrong(MemorySegment got, MemorySegment expected) {
        if (got.mismatch(expected) < 0) {
            return 0;
        }
        double tolerance = operation == NcclOperation.AVERAGE ? ranks * Elements.precision(type) : 0;
        long wrong = 0;
        for (long i = 0; i < got.byteSize() / type.size(); i++) {
            double want = Elements.get(expected, type, i);
            // The negation also counts NaN as wrong.
            if (!(Math.abs(Elements.get(got, type, i) - want) <= tolerance * want)) {
                wrong++;
            }
        }
        return wrong;
    }
}
