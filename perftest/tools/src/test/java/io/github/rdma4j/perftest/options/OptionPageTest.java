// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.CommandRun;
import io.github.rdma4j.perftest.options.OptionPage.Row;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Holds docs/options.md to the C tools' own --help on one side, and to our tools on the other: each option of
 * C once, for the tools that list it, honoured where our help lists it, else refused in the words of the page.
 */
class OptionPageTest {
    static final String INSTALLED = "4.5";
    private static final String HONOURED = "honoured";
    private static final String WITH_A_DIFFERENCE = "with a difference";
    private static final String REFUSED = "refused";

    /** Compares the rows of one C version with the help of its tools. */
    static void assertAgreesWithHelp(String version, String folder) throws Exception {
        Map<String, Set<Tool>> help = OptionHelp.ofC(folder);
        List<String> wrong = new ArrayList<>();
        Set<String> seen = new TreeSet<>();
        for (Row row : OptionPage.rowsOfC()) {
            Set<Tool> tools = help.get(row.names());
            if (!row.versions().contains(version)) {
                if (tools != null) {
                    wrong.add(row.names() + ": " + version + " also has it");
                }
                seen.add(row.names());
            } else if (tools == null) {
                wrong.add(row.names() + ": not in the help of " + version);
            } else if (!row.tools().equals(tools)) {
                wrong.add(row.names() + ": for " + row.tools() + " on the page, for " + tools + " in " + version);
            } else if (!seen.add(row.names())) {
                wrong.add(row.names() + ": twice on the page");
            }
        }
        help.keySet().stream()
                .filter(names -> !seen.contains(names))
                .forEach(names -> wrong.add(names + ": in the help of " + version + ", not on the page"));
        assertThat(wrong).isEmpty();
    }

    @Test
    void eachOptionOfTheInstalledToolsIsOnThePageOnce() throws Exception {
        assertAgreesWithHelp(INSTALLED, "");
    }

    @Test
    void acceptedOptionsAreInOurHelpAndRefusedOptionsAreNot() throws Exception {
        Map<String, Set<Tool>> ours = toolsByName();
        List<String> wrong = new ArrayList<>();
        for (Row row : OptionPage.rowsOfC()) {
            for (String name : row.eachName()) {
                Set<Tool> tools = ours.getOrDefault(name, EnumSet.noneOf(Tool.class));
                boolean agrees = switch (row.state()) {
                    case HONOURED -> tools.containsAll(row.tools());
                    // The sentence may limit the option to fewer tools.
                    case WITH_A_DIFFERENCE -> !tools.isEmpty();
                    case REFUSED -> tools.isEmpty();
                    default -> false;
                };
                if (!agrees) {
                    wrong.add(name + ": '" + row.state() + "' for " + row.tools() + " on the page; our help has it for "
                            + tools);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void refusalUsesTheSentenceOfThePage() throws Exception {
        for (Row row : OptionPage.rowsOfC()) {
            if (row.state().equals(REFUSED)) {
                for (String name : row.eachName()) {
                    CommandRun run = CommandRun.of(Tool.WRITE_BANDWIDTH, name);
                    assertThat(run.status()).as(name).isEqualTo(2);
                    assertThat(run.err())
                            .startsWith("ib_write_bw: option '" + name + "' of the C tools is refused: "
                                    + row.sentence() + "\n");
                }
            }
        }
    }

    @Test
    void ownOptionsAreAlsoOnThePage() throws Exception {
        Set<String> ofC = new TreeSet<>();
        for (Row row : OptionPage.rowsOfC()) {
            ofC.addAll(row.eachName());
        }
        Set<String> expected = new TreeSet<>(toolsByName().keySet());
        expected.removeAll(ofC);
        assertThat(OptionPage.namesOfOurs()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void totalsAreThoseOfTheTable() throws Exception {
        List<Row> rows = OptionPage.rowsOfC();
        assertThat(OptionPage.text())
                .contains("**" + rows.size() + " options of the C tools: " + count(rows, HONOURED) + " honoured, "
                        + count(rows, WITH_A_DIFFERENCE) + " honoured with a difference, " + count(rows, REFUSED)
                        + " refused.**");
    }

    @Test
    void nothingIsBothHonouredAndRefused() {
        assertThat(toolsByName().keySet()).doesNotContainAnyElementsOf(RefusedOptions.names());
    }

    private static long count(List<Row> rows, String state) {
        return rows.stream().filter(row -> row.state().equals(state)).count();
    }

    private static Map<String, Set<Tool>> toolsByName() {
        Map<String, Set<Tool>> result = new TreeMap<>();
        OptionHelp.ofOurs().forEach((names, tools) -> {
            for (String name : names.split(", ")) {
                result.computeIfAbsent(name, key -> EnumSet.noneOf(Tool.class)).addAll(tools);
            }
        });
        return result;
    }
}
