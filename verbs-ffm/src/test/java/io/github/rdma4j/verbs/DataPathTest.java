// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DataPathTest {
    @Test
    void thePropertyHasTheNamesInSmallLetters() {
        assertThat(DataPath.parse("rings")).isEqualTo(DataPath.RINGS);
        assertThat(DataPath.parse("functions")).isEqualTo(DataPath.FUNCTIONS);
        assertThat(DataPath.parse(null)).isEqualTo(DataPath.FUNCTIONS);
        assertThat(DataPath.parse("")).isEqualTo(DataPath.FUNCTIONS);
    }

    @Test
    void anythingElseIsAMistakeThatIsTold() {
        assertThatThrownBy(() -> DataPath.parse("ring"))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("-Dio.github.rdma4j.verbs.dataPath=ring names none")
                .hasMessageContaining("[functions, rings]");
    }

    @Test
    void aChoiceIsReadAsASentence() {
        assertThat(new DataPathChoice(DataPath.RINGS, "")).hasToString("rings");
        assertThat(new DataPathChoice(DataPath.FUNCTIONS, "why")).hasToString("functions (why)");
    }
}
