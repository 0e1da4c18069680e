// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.internal.DeviceDriver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InlineDataTest {
    private static final int MAX = 200;

    private final InlineData data = new InlineData(Arena.ofAuto(), 1, MAX);

    /** The bytes that the adapter's library would read, and those after them. */
    private byte[] copied() {
        return MemorySegment.ofAddress(data.address()).reinterpret(MAX).toArray(ValueLayout.JAVA_BYTE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7})
    void copyTakesEachLengthWholeAndNothingElse(int offset) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(offset + MAX, Long.BYTES);
            for (int i = 0; i < memory.byteSize(); i++) {
                memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
            }
            for (int length = 0; length <= MAX; length++) {
                MemorySegment.ofAddress(data.address()).reinterpret(MAX).fill((byte) 0);
                MemorySegment source = memory.asSlice(offset, length);
                data.copy(source);
                byte[] expected = new byte[MAX];
                MemorySegment.ofArray(expected).copyFrom(source);
                assertThat(copied()).as("%d bytes", length).isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 8, 24, 64, 65})
    void closedArenaRefusesCopy(int length) {
        MemorySegment source;
        try (Arena arena = Arena.ofConfined()) {
            source = arena.allocate(length);
        }
        assertThatThrownBy(() -> data.copy(source)).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {MAX + 1, 2 * MAX})
    void tooMuchDataIsRefused(int length) {
        assertThatThrownBy(() -> data.copy(MemorySegment.ofArray(new byte[length])))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void driverThatIgnoresInlineIsRefused() {
        DeviceDriver driver = new DeviceDriver("vmw_pvrdma");
        QueuePairCheck.requireInlineData(0, driver);
        QueuePairCheck.requireInlineData(64, new DeviceDriver("mlx5_core"));
        assertThatThrownBy(() -> QueuePairCheck.requireInlineData(64, driver))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxInlineData 64")
                .hasMessageContaining("vmw_pvrdma");
    }
}
