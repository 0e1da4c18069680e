// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MisreadTest {
    private static final byte UNTOUCHED = (byte) 0xa5;
    private static final int OFFSET = 1_000;

    private final byte[] before = random(1);
    private final byte[] memory = random(2);
    private final byte[] found = Arrays.copyOfRange(memory, OFFSET, OFFSET + 5_000);

    private static byte[] random(long seed) {
        byte[] bytes = new byte[16_384];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    private Misread misread() {
        return Misread.of(found, OFFSET, memory, before, UNTOUCHED);
    }

    @Test
    void correctReadIsNoMisread() {
        assertThat(misread()).isNull();
    }

    @Test
    void partThatWasNotDelivered() {
        Arrays.fill(found, 4_096, 5_000, UNTOUCHED);

        assertThat(misread().isUndelivered()).isTrue();
        assertThat(misread().first()).isEqualTo(4_096);
        assertThat(misread().last()).isEqualTo(4_999);
        assertThat(misread().from()).isEqualTo(-1);
    }

    @Test
    void bytesFromBeforeTheLastWrite() {
        System.arraycopy(before, OFFSET + 100, found, 100, 50);

        assertThat(misread().isUndelivered()).isFalse();
        assertThat(misread().older()).isEqualTo(misread().wrong());
    }

    @Test
    void bytesFromAnotherPlace() {
        System.arraycopy(memory, OFFSET, found, 4_096, 904);

        assertThat(misread().isUndelivered()).isFalse();
        assertThat(misread().from()).isEqualTo(OFFSET);
        assertThat(misread().toString()).contains("from its offset 1000");
    }

    @Test
    void wrongByteAtTheEnd() {
        found[4_999]++;

        assertThat(misread().wrong()).isEqualTo(1);
        assertThat(misread().first()).isEqualTo(4_999);
        assertThat(misread().from()).isEqualTo(-1);
    }
}
