// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The private data of the handshake, and the number beside each message. */
class HelloTest {
    private static final Hello HELLO = new Hello(Hello.VERSION, 65_535, 1 << 26, new byte[] {7, 0, 9, 0});

    @Test
    void itComesBackAsItWasSentAlsoWithPaddingBehindIt() {
        assertThat(Hello.parse(HELLO.toBytes())).isEqualTo(HELLO);
        assertThat(Hello.parse(Arrays.copyOf(HELLO.toBytes(), 196))).isEqualTo(HELLO);
        assertThat(HELLO.toBytes()).hasSize(Hello.HEADER + 4);
    }

    @Test
    void whatIsNoGreetingIsFoundOut() {
        assertThatThrownBy(() -> Hello.parse(new byte[56]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not speak the endpoint protocol");
        assertThat(Hello.problem(new byte[0])).contains("does not speak");
    }

    @Test
    void anotherVersionIsNamedWithBothNumbers() {
        byte[] later = new Hello(Hello.VERSION + 4, 1, 1, new byte[0]).toBytes();
        assertThat(Hello.problem(later)).contains("version 6").contains("this side version 2");
    }

    @Test
    void aDamagedGreetingIsFoundOut() {
        byte[] noBuffers = new Hello(Hello.VERSION, 0, 1, new byte[0]).toBytes();
        byte[] cut = Arrays.copyOf(HELLO.toBytes(), Hello.HEADER + 3);
        assertThat(Hello.problem(noBuffers)).contains("damaged");
        assertThat(Hello.problem(cut)).contains("damaged");
        assertThat(Hello.problem(Hello.refusal())).contains("damaged");
        assertThat(Hello.versionOf(Hello.refusal())).isEqualTo(Hello.VERSION);
    }

    @Test
    void aFrameHoldsKindAndCredits() {
        int frame = Frame.of(Frame.CLOSE, Frame.MAX_CREDITS);
        assertThat(Frame.kind(frame)).isEqualTo(Frame.CLOSE);
        assertThat(Frame.credits(frame)).isEqualTo(65_535);
        assertThat(Frame.kind(Frame.of(Frame.MESSAGE, 1))).isEqualTo(Frame.MESSAGE);
    }
}
