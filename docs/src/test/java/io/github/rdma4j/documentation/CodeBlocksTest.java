// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every code block of the pages has a kind that some test checks. */
class CodeBlocksTest {
    private static final Set<String> HELD = Set.of(
            "java", // JavaBlocksTest
            "sh", // CommandBlocksTest
            "json", // DataBlocksTest
            "kotlin", "xml", "yaml");
    /** Output of programs, and drawings. */
    private static final String TEXT = "text";

    @Test
    void eachIsInALanguageThatATestHolds() {
        assertThat(CodeBlock.all()
                        .filter(block -> !block.language().equals(TEXT) && !HELD.contains(block.language()))
                        .map(block -> block + " '" + block.language() + "'"))
                .isEmpty();
    }

    @Test
    void noLanguageIsHeldForNothing() {
        assertThat(CodeBlock.all().map(CodeBlock::language)).containsAll(HELD);
    }

    /** Else it would be shown as text, and commands in it be held by nothing. */
    @Test
    void commandsAreNotShownAsText() {
        assertThat(CodeBlock.in(TEXT)
                        .filter(block -> block.text().lines().anyMatch(line -> line.matches("(\\$ )?scripts/.*"))))
                .isEmpty();
    }

    @Test
    void commentBeforeABlockIsOneThatTheTestsKnow() {
        assertThat(Pages.all().stream().flatMap(CodeBlocksTest::unknownComments))
                .isEmpty();
    }

    private static Stream<String> unknownComments(Path page) {
        return Pages.text(page)
                .lines()
                .filter(line -> line.matches("<!-- (?!from \\S+ -->|all of \\S+ -->|given:( |$)).*"))
                .filter(line -> !line.contains("SPDX"));
    }
}
