// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages, comments, messages, scripts and names of tests are free of the constructions that STYLE.md rules out. */
class ProseTest {
    @Test
    void treeHasNoHits() {
        assertThat(Prose.hits(Pages.root(), Pages.root())).as("see STYLE.md").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Each failure is told to the caller.",
                "The driver tells its version.",
                "Who polls keeps a CPU busy.",
                "The queue is full; who posts waits.",
                "It runs. What is written\nmay be read later.",
                "Whether it spins depends on the CPUs.",
                "Its size is that of the\nqueue.",
                "Do it as those in C do.",
                "The port shall be up.",
                "The region is not to be closed.",
                "A poll in the place of an event.",
                "This mends the queue.",
                "There is no news.",
                "It sends a good-bye.",
                "A thread looks for a message.",
                "No adapter has run it yet.",
                "It has failed of late.",
                "It closes by itself.",
                "It closes the region, too.",
                "It needs nothing but a port.",
                "All is tested but for XRC.",
                "The peer has not got it.",
                "It connects anew.",
                "It fails for want of a key.",
                "The error comes of the state.",
                "It is said in the log.",
                "The listener hears of it.",
                "It knows nothing of verbs.",
                "The peer to whom it belongs."
            })
    void findsWhatTheStyleRulesOut(String sentence) {
        assertThat(Prose.hits("docs/page.md", sentence)).isNotEmpty();
        assertThat(Prose.hits("a/src/main/java/A.java", "/** " + sentence.replace("\n", "\n * ") + " */\nclass A {}"))
                .isNotEmpty();
        assertThat(Prose.hits(
                        "a/src/main/java/A.java",
                        "String a = \"" + sentence.replace("\n", " \"\n    + \"") + "\"; // why"))
                .isNotEmpty();
        assertThat(Prose.hits("a/src/test/java/A.java", "// " + sentence.replace("\n", "\n// ") + "\nclass A {}"))
                .isNotEmpty();
        assertThat(Prose.hits("a/src/test/c/a.c", "int a; // " + sentence.replace("\n", "\n       // ")))
                .isNotEmpty();
        assertThat(Prose.hits("scripts/a", "# " + sentence.replace("\n", "\n# ")))
                .isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "The two lines tell the ports apart.",
                "A spinning thread keeps its CPU busy.",
                "Returns whether the queue is full.",
                "Who may connect? Every client with a token.",
                "The message is too long.",
                "`tell` is a command, and so is `shall`.",
                "All of it is tested, but slowly.",
                "It looks at the first byte."
            })
    void leavesPlainSentencesAlone(String sentence) {
        assertThat(Prose.hits("docs/page.md", sentence)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"whoTriesIsTold", "theseAreOther", "aQueueSaysSo", "refusalIsTold", "theQueueIsFull"})
    void findsOddNamesOfTests(String name) {
        assertThat(Prose.hits("a/src/test/java/A.java", "    @Test\n    void " + name + "() {}"))
                .singleElement()
                .asString()
                .startsWith("a/src/test/java/A.java:2: '" + name + "'");
    }

    @Test
    void plainNamesOfTestsPass() {
        assertThat(Prose.hits("a/src/test/java/A.java", "@Test\nvoid closedRegionRejectsPost() {}\nvoid tells() {}"))
                .isEmpty();
    }

    @Test
    void codeIsNoProse() {
        assertThat(Prose.hits("a/src/main/java/A.java", "/** Calls {@code tell}. */\nvoid tell() {\n  told.tell();\n}"))
                .isEmpty();
        assertThat(Prose.hits("docs/page.md", "```java\ntell(news);\n```\n[x](news.md)"))
                .isEmpty();
    }

    @Test
    void namesFileAndLine() {
        assertThat(Prose.hits("a/src/main/java/A.java", "/**\n * A queue.\n *\n * <p>It tells.\n */\nclass A {}"))
                .first()
                .asString()
                .startsWith("a/src/main/java/A.java:4: 'tells'");
    }
}
