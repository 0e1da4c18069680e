// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.internal.events.Recorded;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ReadOnlyBufferException;
import java.util.List;
import java.util.Random;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests data that is followed by its checksum. */
class SealedBlockTest {
    private static final Random RANDOM = new Random(11);

    private static MemorySegment memory(int length) {
        byte[] bytes = new byte[length + SealedBlock.TRAILER];
        RANDOM.nextBytes(bytes);
        return MemorySegment.ofArray(bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 4096})
    void sealedBlockIsIntactAfterACopy(int length) {
        MemorySegment memory = memory(length);
        SealedBlock block = SealedBlock.of(memory);
        assertThat(block.isIntact()).isFalse();
        block.seal(-5);
        assertThat(block.isIntact()).isTrue();
        assertThat(block.version()).isEqualTo(-5);
        assertThat(block).hasToString("block of " + length + " bytes");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(length + SealedBlock.TRAILER);
            copy.copyFrom(memory);
            assertThat(SealedBlock.of(copy).verify()).isEqualTo(-5);
            assertThat(SealedBlock.of(copy).data().byteSize()).isEqualTo(length);
        }
    }

    @Test
    void eachBitOfDataAndOfWhatStandsBehindItCounts() {
        MemorySegment memory = memory(32);
        SealedBlock block = SealedBlock.of(memory);
        block.seal(7);
        for (int bit = 0; bit < 8 * memory.byteSize(); bit++) {
            byte before = memory.get(ValueLayout.JAVA_BYTE, bit / 8);
            memory.set(ValueLayout.JAVA_BYTE, bit / 8, (byte) (before ^ 1 << bit % 8));
            assertThat(block.isIntact()).as("bit " + bit).isFalse();
            assertThatThrownBy(block::verify).isInstanceOf(CorruptBlockException.class);
            memory.set(ValueLayout.JAVA_BYTE, bit / 8, before);
        }
        assertThat(block.verify()).isEqualTo(7);
    }

    /** Of two blocks that are intact, what one write has left of the other's. */
    @Test
    void blockOfWhichAPartIsOldIsFound() {
        MemorySegment old = memory(512);
        SealedBlock.of(old).seal(1);
        MemorySegment next = memory(512);
        SealedBlock.of(next).seal(2);
        for (int come = 8; come < next.byteSize(); come += 8) {
            MemorySegment torn =
                    MemorySegment.ofArray(new byte[(int) old.byteSize()]).copyFrom(old);
            MemorySegment.copy(next, 0, torn, 0, come);
            // Both end with the same mark, so that what misses this alone is whole.
            assertThat(SealedBlock.of(torn).isIntact())
                    .as(come + " bytes have come")
                    .isFalse();
        }
    }

    @Test
    void exceptionAndTheEventHaveBothSums() throws Exception {
        try (Recorded recorded = new Recorded()) {
            MemorySegment memory = memory(100);
            SealedBlock block = SealedBlock.of(memory);
            block.seal(99);
            block.data().set(ValueLayout.JAVA_BYTE, 50, (byte) (block.data().get(ValueLayout.JAVA_BYTE, 50) + 1));
            assertThatThrownBy(block::verify).isInstanceOfSatisfying(CorruptBlockException.class, e -> {
                assertThat(e.expectedSum()).isNotEqualTo(e.foundSum());
                assertThat(e)
                        .hasMessageContaining("100 bytes")
                        .hasMessageContaining("version 99")
                        .hasMessageContaining("0x%08x".formatted(e.expectedSum()))
                        .hasMessageContaining("0x%08x".formatted(e.foundSum()));
            });
            RecordedEvent event =
                    Recorded.of(recorded.end(), "rdma4j.CorruptBlock").getFirst();
            assertThat(event.getLong("length")).isEqualTo(100);
            assertThat(event.getLong("version")).isEqualTo(99);
            assertThat(event.getBoolean("sealed")).isTrue();
        }
    }

    @Test
    void memoryThatCannotBeABlockIsRefused() {
        assertThatThrownBy(() -> SealedBlock.of(MemorySegment.ofArray(new byte[15])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 16");
        assertThatThrownBy(() -> SealedBlock.of(MemorySegment.NULL.reinterpret(1L << 31)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 2147483647");
        MemorySegment longs = MemorySegment.ofArray(new long[8]);
        for (MemorySegment other : List.of(longs, longs.asReadOnly())) {
            assertThatThrownBy(() -> SealedBlock.of(other))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("array of bytes");
        }
        assertThatThrownBy(() -> SealedBlock.of(MemorySegment.ofBuffer(
                                java.nio.ByteBuffer.allocateDirect(64).asReadOnlyBuffer()))
                        .seal(1))
                .isInstanceOf(ReadOnlyBufferException.class);
    }
}
