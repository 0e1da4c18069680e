// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Why a peer has left RDMA, as it comes over TCP. */
class MoveWordsTest {
    private static String afterTheWay(String reason) {
        MoveWords said = new MoveWords(MoveWords.Kind.DOWN, 1, 0, 0, false, MoveWords.reason(reason));
        return MoveWords.parse(said.toBytes()).reason();
    }

    @Test
    void aShortReasonIsWhole() {
        assertThat(afterTheWay("a round trip takes 30.0 µs")).isEqualTo("a round trip takes 30.0 µs");
    }

    @Test
    void aLongReasonEndsBehindAWholeCharacterAndSaysSo() {
        for (int before = 190; before < 200; before++) {
            String arrived = afterTheWay("x".repeat(before) + "µ".repeat(10));
            assertThat(arrived).matches("x{" + before + "}µ*…|x{190,}…");
            assertThat(arrived).doesNotContain("\uFFFD");
        }
    }

    /** It gets into messages and logs. */
    @Test
    void aReasonIsOneLine() {
        assertThat(afterTheWay("gone\n12:00 all is well\u001b[2J")).isEqualTo("gone 12:00 all is well [2J");
    }
}
