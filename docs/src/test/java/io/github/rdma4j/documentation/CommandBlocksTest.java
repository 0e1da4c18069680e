// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command lines that pages show: our scripts and tools exist and take the options, and our files are there. */
class CommandBlocksTest {
    static Stream<CodeBlock> blocks() {
        return CodeBlock.in("sh");
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void commandsOfAPageCanBeGiven(CodeBlock block) {
        assertThat(CommandLines.faults(block.text())).isEmpty();
    }

    static Stream<String> commandsInSentences() {
        return Pages.all().stream()
                .flatMap(page -> Pages.codeInSentences(page).stream())
                .filter(code -> code.matches("(scripts/[\\w/-]+|rdma4j [\\w-]+)( [^…]*)?"))
                .filter(code -> code.contains(" ") || isNoOtherFile(Pages.root().resolve(code)))
                .distinct();
    }

    /** Sentences also name folders and parts of scripts. */
    private static boolean isNoOtherFile(Path file) {
        return !Files.exists(file) || Files.isRegularFile(file) && Files.isExecutable(file);
    }

    @ParameterizedTest
    @MethodSource("commandsInSentences")
    void commandsWithinSentencesCanBeGiven(String command) {
        assertThat(CommandLines.faults(command)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "scripts/nothing",
                "scripts/softroce --cpu 2 ibv_devices",
                "scripts/softroce --cpus 2 bash -c 'sleep 3 & scripts/nothing'",
                "scripts/softroce --cpus 2 rdma4j ib_write_lat --no_such_option",
                "scripts/rdma4j compare --toolz all",
                "scripts/rdma4j report --nothing results.json",
                "rdma4j ib_write_nothing",
                "ib_write_bw --no_such_option host",
                "docker run --rm rdma4j/softroce --cpu 2 ibv_devices",
                "java docs/examples/Nothing.java",
                "java io.github.rdma4j.perftest.Nothing",
                "scripts/lib/lint-workflows --fast",
                "scripts/bench fast",
                "scripts/bench verbs --fast",
                "scripts/softroce wire --off",
                "frobnicate",
            })
    void violationsAreFound(String line) {
        assertThat(CommandLines.faults(line)).hasSize(1);
    }

    @Test
    void linesAreReadAsAShellReadsThem() {
        assertThat(ShellWords.commands("a 'b c' \"d\" # e\nf && g \\\n  h & i; j#k"))
                .isEqualTo(List.of(
                        List.of("a", "b c", "d"), List.of("f"), List.of("g", "h"), List.of("i"), List.of("j#k")));
    }

    @Test
    void helpOfAScriptShowsWhichOptionsHaveValues() {
        assertThat(CommandLines.options("scripts/softroce"))
                .containsAllEntriesOf(Map.of("--cpus", true, "--host", false, "--vm", false, "--accel", true))
                .containsEntry("--verbose", false);
        assertThat(CommandLines.options("scripts/test").keySet())
                .isEqualTo(Set.of("--quick", "--full", "--only", "--help"));
    }
}
