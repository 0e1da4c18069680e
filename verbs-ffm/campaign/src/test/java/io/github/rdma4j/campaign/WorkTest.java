// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkTest {
    private static final long SEED = 7;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
    void pendingStepsMayBeDoneOrNot(int done) {
        assertThat(Work.complaint(behind(done), SEED, done)).isEmpty();
        assertThat(Work.complaint(behind(done + 1), SEED, done)).isEmpty();
    }

    @Test
    void writeUnderWayMayBeDoneInPart() {
        byte[] memory = behind(3);
        byte[] later = behind(4);
        Work work = second();
        System.arraycopy(later, work.offset(), memory, work.offset(), work.bytes().length / 2);
        assertThat(Work.complaint(memory, SEED, 3)).isEmpty();
    }

    @Test
    void completedStepsMustBeVisible() {
        assertThat(Work.complaint(behind(3), SEED, 4)).startsWith("byte ");
        assertThat(Work.complaint(behind(4), SEED, 5)).startsWith("a sum of ");
    }

    @Test
    void unissuedStepsMustNotBeVisible() {
        assertThat(Work.complaint(behind(5), SEED, 3)).startsWith("a sum of ");
        byte[] memory = behind(3);
        memory[Work.MEMORY - 1] ^= 1;
        memory[Long.BYTES] ^= 1;
        assertThat(Work.complaint(memory, SEED, 3)).startsWith("byte ");
    }

    private static Work second() {
        SplittableRandom random = new SplittableRandom(SEED);
        Work.next(random);
        return Work.next(random);
    }

    /** {@return the memory behind so many steps, made step by step} */
    private static byte[] behind(int steps) {
        SplittableRandom random = new SplittableRandom(SEED);
        byte[] memory = new byte[Work.MEMORY];
        Work work = null;
        for (int n = 0; n < steps; n++) {
            switch (n % Work.STEPS) {
                case 0 -> {
                    work = Work.next(random);
                    System.arraycopy(work.bytes(), 0, memory, work.offset(), work.bytes().length);
                }
                case 1 -> {
                    MemorySegment word = MemorySegment.ofArray(memory);
                    word.set(JAVA_LONG_UNALIGNED, 0, word.get(JAVA_LONG_UNALIGNED, 0) + work.addend());
                }
                default -> {
                    // It reads.
                }
            }
        }
        return memory;
    }
}
