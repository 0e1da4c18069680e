// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole messages are recognised, and every kind of damage is found. */
class SealedMessagesTest {
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate(20_000, 64);
    private final SealedMessages messages = new SealedMessages(memory);

    @AfterEach
    void free() {
        arena.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 8, 15, 16, 17, 23, 64, 4096, 9999})
    void sealedMessageIsWhole(long size) {
        for (long number : new long[] {0, 1, 255, 256, 1L << 40}) {
            messages.seal(100, size, number);
            assertThat(messages.check(100, size, number)).isTrue();
        }
        assertThat(messages.failure()).isNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {2, 8, 15, 16, 17, 64, 1000})
    void everyDamagedByteIsFoundButTheFreeOnes(long size) {
        long free = size < 16 ? 1 : 4;
        messages.seal(0, size, 77);
        for (long i = 0; i < size; i++) {
            byte before = memory.get(ValueLayout.JAVA_BYTE, i);
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (before ^ 1));
            assertThat(messages.check(0, size, 77)).as("byte %d", i).isEqualTo(i >= size - free);
            memory.set(ValueLayout.JAVA_BYTE, i, before);
        }
        assertThat(messages.failure())
                .isEqualTo("--data_validation: where message 77 was expected, damaged data arrived");
    }

    @Test
    void anotherMessageIsNamed() {
        messages.seal(0, 64, 5);
        assertThat(messages.check(0, 64, 6)).isFalse();
        assertThat(messages.failure()).isEqualTo("--data_validation: where message 6 was expected, message 5 arrived");
        assertThat(messages.check(0, 64, 5)).isTrue();
        assertThat(messages.failure()).contains("message 6");
    }

    @ParameterizedTest
    @ValueSource(longs = {2, 15, 16, 4096})
    void erasedMessageIsNotThereAnyMore(long size) {
        messages.seal(8, size, 9);
        messages.erase(8, size);
        assertThat(messages.check(8, size, 9)).isFalse();
        messages.seal(8, size, 9);
        assertThat(messages.check(8, size, 9)).isTrue();
    }

    @Test
    void counterOfALatencyTestIsNotPartOfIt() {
        messages.seal(0, 16, 3);
        memory.set(ValueLayout.JAVA_BYTE, 15, (byte) 99);
        assertThat(messages.check(0, 16, 3)).isTrue();
        messages.seal(0, 2, 3);
        memory.set(ValueLayout.JAVA_BYTE, 1, (byte) 99);
        assertThat(messages.check(0, 2, 3)).isTrue();
    }

    @Test
    void messagesOfDifferentNumbersDiffer() {
        messages.seal(0, 64, 1);
        messages.seal(64, 64, 2);
        assertThat(memory.asSlice(8, 40).mismatch(memory.asSlice(72, 40))).isLessThan(8);
    }
}
