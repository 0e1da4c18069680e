// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The private data of the handshake, and the number beside each message. */
class HelloTest {
    private static final Hello HELLO =
            new Hello(Hello.VERSION, true, 65_535, 1 << 26, new byte[] {7, 0, 9, 0}, new byte[] {1, 0});

    @Test
    void itComesBackAsItWasSentAlsoWithPaddingBehindIt() {
        assertThat(Hello.parse(HELLO.toBytes())).isEqualTo(HELLO);
        assertThat(Hello.parse(Arrays.copyOf(HELLO.toBytes(), 196))).isEqualTo(HELLO);
        assertThat(HELLO.toBytes()).hasSize(Hello.HEADER + 6);
        assertThat(Hello.lengthOf(HELLO.toBytes())).isEqualTo(Hello.HEADER + 6);
    }

    @Test
    void differentFieldsMakeDifferentHellos() {
        Hello plain = new Hello(Hello.VERSION, 65_535, 1 << 26, new byte[] {7, 0, 9, 0});
        assertThat(Hello.parse(plain.toBytes())).isEqualTo(plain).isNotEqualTo(HELLO);
        assertThat(Hello.parse(plain.toBytes()).integrity()).isFalse();
        assertThat(plain.token()).isEmpty();
        Hello empty = new Hello(Hello.VERSION, 1, 0, new byte[0]);
        assertThat(Hello.parse(empty.toBytes()))
                .as("a side that takes no bytes")
                .isEqualTo(empty);
    }

    /** By the token, a client that reconnects recognizes its server. */
    @Test
    void serverIsKnownByItsToken() {
        byte[] token = {0, 0, 0, 0, 0, 0, 1, 2};
        Hello server = new Hello(Hello.VERSION, false, 1, 1, new byte[] {9}, token);
        assertThat(Hello.parse(server.toBytes()).serverIdentity()).isEqualTo(258);
        assertThat(new Hello(Hello.VERSION, 1, 1, new byte[0]).serverIdentity()).isZero();
        assertThat(HELLO.serverIdentity()).as("a token of another length").isZero();
    }

    @Test
    void oneSideWithSumsAndOneWithoutDisagree() {
        Hello without = new Hello(Hello.VERSION, 1, 1, new byte[0]);
        assertThat(HELLO.disagreement(true)).isNull();
        assertThat(without.disagreement(false)).isNull();
        assertThat(HELLO.disagreement(false)).isEqualTo(Refusal.SUMS_UNWANTED);
        assertThat(without.disagreement(true)).isEqualTo(Refusal.SUMS_WANTED);
    }

    @Test
    void invalidHelloIsDetected() {
        assertThatThrownBy(() -> Hello.parse(new byte[56]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not speak the endpoint protocol");
        assertThat(Hello.problem(new byte[0])).contains("does not speak");
    }

    @Test
    void anotherVersionIsNamedWithBothNumbers() {
        byte[] later = new Hello(Hello.VERSION + 4, 1, 1, new byte[0]).toBytes();
        assertThat(Hello.problem(later))
                .contains("version %d".formatted(Hello.VERSION + 4))
                .contains("this side version %d".formatted(Hello.VERSION));
    }

    @Test
    void damagedGreetingIsFoundOut() {
        byte[] noBuffers = new Hello(Hello.VERSION, 0, 1, new byte[0]).toBytes();
        byte[] cut = Arrays.copyOf(HELLO.toBytes(), Hello.HEADER + 5);
        byte[] unknownFlag = HELLO.toBytes();
        unknownFlag[9] |= 8;
        byte[] onlyWhatIsNotOffered = HELLO.toBytes();
        onlyWhatIsNotOffered[9] |= 4;
        assertThat(Hello.problem(noBuffers)).contains("damaged");
        assertThat(Hello.problem(cut)).contains("damaged");
        assertThat(Hello.problem(unknownFlag)).contains("damaged");
        assertThat(Hello.problem(onlyWhatIsNotOffered)).contains("damaged");
    }

    @ParameterizedTest
    @EnumSource(Refusal.class)
    void refusalHasItsReason(Refusal reason) {
        byte[] refusal = Hello.refusal(reason);
        assertThat(Hello.isRefusal(refusal)).isTrue();
        assertThat(Hello.versionOf(refusal)).isEqualTo(Hello.VERSION);
        assertThat(Hello.problem(Arrays.copyOf(refusal, 148))).isEqualTo(reason.explanation());
        assertThat(Hello.refusalOf(refusal)).isEqualTo(reason);
        assertThat(reason.explanation()).isNotEmpty();
        assertThat(reason.remedy()).isNotEmpty();
        assertThat(Hello.isRefusal(HELLO.toBytes())).isFalse();
    }

    @Test
    void refusalOfALaterKindIsOne() {
        byte[] later = Hello.refusal(Refusal.NOT_ADMITTED);
        for (int number : new int[] {Refusal.values().length, 100, -1}) {
            later[15] = (byte) number;
            later[12] = (byte) (number >> 8);
            assertThat(Hello.refusalOf(later)).isEqualTo(Refusal.ANOTHER_PROTOCOL);
        }
    }

    @Test
    void textHidesTheToken() {
        Hello hello = new Hello(Hello.VERSION, false, 1, 1, new byte[0], "open sesame".getBytes(UTF_8));
        assertThat(hello.toString())
                .startsWith("Hello[version=" + Hello.VERSION)
                .doesNotContain("sesame")
                .doesNotContain("token");
    }

    @Test
    void frameHoldsKindAndCredits() {
        int frame = Frame.of(Frame.CLOSE, Frame.MAX_CREDITS);
        assertThat(Frame.kind(frame)).isEqualTo(Frame.CLOSE);
        assertThat(Frame.credits(frame)).isEqualTo(65_535);
        assertThat(Frame.kind(Frame.of(Frame.MESSAGE, 1))).isEqualTo(Frame.MESSAGE);
    }

    /** Where a transport has no immediate data. */
    @Test
    void frameBehindAMessageIsInTheOrderOfTheNetworkAndAnywhere() {
        byte[] bytes = new byte[8];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        Frame.write(memory, 3, Frame.of(Frame.CREDIT, 0x203));
        assertThat(bytes).containsExactly(0, 0, 0, 0, 1, 2, 3, 0);
        assertThat(Frame.read(memory, 3)).isEqualTo(Frame.of(Frame.CREDIT, 0x203));
    }
}
