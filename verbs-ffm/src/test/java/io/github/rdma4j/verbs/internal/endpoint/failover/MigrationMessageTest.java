// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Why a peer has left RDMA, as it comes over TCP. */
class MigrationMessageTest {
    private static String afterTheWay(String reason) {
        MigrationMessage sent =
                new MigrationMessage(MigrationMessage.Kind.DOWN, 1, 0, 0, false, MigrationMessage.reason(reason));
        return MigrationMessage.parse(sent.toBytes()).reason();
    }

    @Test
    void shortReasonIsWhole() {
        assertThat(afterTheWay("a round trip takes 30.0 µs")).isEqualTo("a round trip takes 30.0 µs");
    }

    @Test
    void longReasonIsCutAfterAWholeCharacterAndMarked() {
        for (int before = 190; before < 200; before++) {
            String arrived = afterTheWay("x".repeat(before) + "µ".repeat(10));
            assertThat(arrived).matches("x{" + before + "}µ*…|x{190,}…");
            assertThat(arrived).doesNotContain("\uFFFD");
            assertThat(MigrationMessage.reason("x".repeat(before) + "µ".repeat(10)))
                    .hasSizeBetween(199, 200);
        }
    }

    /** It gets into messages and logs. */
    @Test
    void reasonIsOneLine() {
        assertThat(afterTheWay("gone\n12:00 all is well\u001b[2J")).isEqualTo("gone 12:00 all is well [2J");
    }

    @ParameterizedTest
    @EnumSource
    void messagesArriveUnchanged(MigrationMessage.Kind kind) {
        byte[] body = {1, 2, 3};
        MigrationMessage sent = new MigrationMessage(kind, -7, Long.MAX_VALUE, 5, true, body);
        MigrationMessage received = MigrationMessage.parse(sent.toBytes());
        assertThat(received).isEqualTo(sent).hasSameHashCodeAs(sent).hasToString(kind + " -7");
        assertThat(received.kind()).isEqualTo(kind);
        assertThat(received.attempt()).isEqualTo(-7);
        assertThat(received.messages()).isEqualTo(Long.MAX_VALUE);
        assertThat(received.credits()).isEqualTo(5);
        assertThat(received.closed()).isTrue();
        assertThat(received.body()).isEqualTo(body);
        assertThat(MigrationMessage.parse(MigrationMessage.of(kind, 4, body).toBytes()))
                .isEqualTo(new MigrationMessage(kind, 4, 0, 0, false, body))
                .isNotEqualTo(sent);
        assertThat(MigrationMessage.of(kind, 4)).isEqualTo(new MigrationMessage(kind, 4, 0, 0, false, new byte[0]));
    }

    @Test
    void foreignBytesAreNoMessage() {
        byte[] words = MigrationMessage.of(MigrationMessage.Kind.DOWN, 1).toBytes();
        for (int length = 0; length < words.length; length++) {
            assertThat(MigrationMessage.parse(Arrays.copyOf(words, length))).isNull();
        }
        byte[] unknown = words.clone();
        unknown[0] = (byte) MigrationMessage.Kind.values().length;
        assertThat(MigrationMessage.parse(unknown)).isNull();
        unknown[0] = -1;
        assertThat(MigrationMessage.parse(unknown)).isNull();
        // Numbers of messages and credits count up from 0.
        assertThat(MigrationMessage.parse(
                        new MigrationMessage(MigrationMessage.Kind.DOWN, 1, -1, 0, false, new byte[0]).toBytes()))
                .isNull();
        assertThat(MigrationMessage.parse(
                        new MigrationMessage(MigrationMessage.Kind.DOWN, 1, 0, -1, false, new byte[0]).toBytes()))
                .isNull();
    }

    @Test
    void longestReasonFits() {
        MigrationMessage words = new MigrationMessage(
                MigrationMessage.Kind.DOWN, 1, 0, 0, false, MigrationMessage.reason("x".repeat(5000)));
        assertThat(words.toBytes()).hasSize(MigrationMessage.MAX_BYTES);
        assertThat(afterTheWay("x".repeat(200))).isEqualTo("x".repeat(200));
        assertThat(afterTheWay("x".repeat(201))).isEqualTo("x".repeat(197) + "…");
    }
}
