// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The tables of docs/options.md. */
final class OptionPage {
    /** A row of the table of C's options. */
    record Row(String names, Set<Tool> tools, List<String> versions, String state, String sentence) {
        /** The names one by one, each with its dashes. */
        List<String> eachName() {
            return List.of(names.split(", "));
        }
    }

    private static final String NAME = "docs/options.md";

    private OptionPage() {}

    static String text() throws IOException {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve(NAME))) {
            folder = folder.getParent();
        }
        return Files.readString(folder.resolve(NAME));
    }

    /** The rows of C's options: option, tools, versions, here, what. */
    static List<Row> rowsOfC() throws IOException {
        return cells(5).stream()
                .map(cells -> new Row(
                        names(cells.get(0)),
                        tools(cells.get(1)),
                        List.of(cells.get(2).split(" ")),
                        cells.get(3),
                        cells.get(4)))
                .toList();
    }

    /** The options that only ours have: option, tools, what. */
    static List<String> namesOfOurs() throws IOException {
        return cells(3).stream().map(cells -> names(cells.get(0))).toList();
    }

    private static List<List<String>> cells(int columns) throws IOException {
        List<List<String>> rows = new ArrayList<>();
        for (String line : text().lines().toList()) {
            if (line.startsWith("| `")) {
                String[] cells = line.substring(1, line.lastIndexOf('|')).split("\\|", -1);
                if (cells.length == columns) {
                    rows.add(List.of(cells).stream().map(String::strip).toList());
                }
            }
        }
        return rows;
    }

    private static String names(String cell) {
        return cell.replace("`", "");
    }

    /** Tools in the words of the table: "all", or names without ib_, a "*" for any ending. */
    static Set<Tool> tools(String words) {
        Set<Tool> tools = EnumSet.noneOf(Tool.class);
        for (String word : words.split(" ")) {
            String pattern = word.equals("all") ? "ib_.*" : "ib_" + word.replace("*", ".*");
            boolean found = false;
            for (Tool tool : Tool.values()) {
                if (tool.command().matches(pattern)) {
                    tools.add(tool);
                    found = true;
                }
            }
            if (!found && !word.startsWith("send")) {
                throw new AssertionError(NAME + ": no tool is called " + word + " in: " + words);
            }
        }
        return tools;
    }
}
