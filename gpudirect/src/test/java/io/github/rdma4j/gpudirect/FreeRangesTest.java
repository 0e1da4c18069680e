// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compares the free ranges of a slab with a map of single units. */
class FreeRangesTest {
    private static final int UNIT = 16;
    private static final int UNITS = 200;

    @Test
    void nothingIsGivenOutTwiceAndWhatIsJoinedIsFound() {
        Random random = new Random(11);
        FreeRanges free = new FreeRanges(UNITS * UNIT, UNIT);
        BitSet taken = new BitSet(UNITS);
        List<long[]> out = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (out.isEmpty() || random.nextInt(5) < 3) {
                long bytes = 1 + random.nextInt(20 * UNIT);
                int units = (int) ((bytes + UNIT - 1) / UNIT);
                long offset = free.take(bytes);
                assertThat(offset).isEqualTo(firstFit(taken, units));
                if (offset != FreeRanges.NONE) {
                    taken.set((int) offset / UNIT, (int) offset / UNIT + units);
                    out.add(new long[] {offset, bytes, units});
                }
            } else {
                long[] one = out.remove(random.nextInt(out.size()));
                free.giveBack(one[0], one[1]);
                taken.clear((int) one[0] / UNIT, (int) (one[0] / UNIT + one[2]));
            }
            assertThat(free.freeBytes()).isEqualTo((long) (UNITS - taken.cardinality()) * UNIT);
        }
        out.forEach(one -> free.giveBack(one[0], one[1]));
        assertThat(free.isUnused()).isTrue();
        assertThat(free.take(UNITS * UNIT)).isZero();
        assertThat(free.take(1)).isEqualTo(FreeRanges.NONE);
    }

    private static long firstFit(BitSet taken, int units) {
        for (int start = taken.nextClearBit(0); start + units <= UNITS; start = taken.nextClearBit(start)) {
            int next = taken.nextSetBit(start);
            if (next < 0 || next - start >= units) {
                return (long) start * UNIT;
            }
            start = next;
        }
        return FreeRanges.NONE;
    }
}
