// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessagesTest {
    @ParameterizedTest
    @ValueSource(ints = {16, 17, 64, 8192})
    void anEchoIsRight(int size) {
        Messages messages = new Messages(size);

        assertThat(messages.fault(messages.write(3, 1_000_000), 3, 1_000_000)).isNull();
    }

    @Test
    void faultsAreNamed() {
        Messages messages = new Messages(64);

        assertThat(messages.fault(messages.write(0, 5), 0, 6)).isEqualTo("is number 5");
        assertThat(messages.fault(messages.write(0, 5).asSlice(0, 63), 0, 5)).isEqualTo("has 63 bytes instead of 64");
        assertThat(messages.fault(messages.write(0, 5), 1, 5)).isEqualTo("has a wrong byte at 8");
        MemorySegment torn = messages.write(0, 5);
        torn.set(ValueLayout.JAVA_LONG_UNALIGNED, 56, 4);
        assertThat(messages.fault(torn, 0, 5)).isEqualTo("is number 5, at its end 4");
    }
}
