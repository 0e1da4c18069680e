// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.coverage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The tables of a page in docs/, which the tests compare with the code. */
final class MarkdownTables {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    private MarkdownTables() {}

    static String text(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The rows whose first cell is in code font, with as many cells as asked for; a row with another number is a
     * mistake.
     */
    static List<List<String>> rows(String page, int cells) {
        List<List<String>> rows = new ArrayList<>();
        for (String line : page.lines().toList()) {
            if (line.startsWith("| `")) {
                List<String> row = new ArrayList<>();
                for (String cell : line.substring(1, line.lastIndexOf('|')).split("\\|", -1)) {
                    row.add(cell.strip());
                }
                if (row.size() != cells) {
                    throw new AssertionError("not " + cells + " cells: " + line);
                }
                rows.add(row);
            }
        }
        return rows;
    }

    /** Returns the names in code font in a cell. */
    static List<String> code(String cell) {
        List<String> names = new ArrayList<>();
        Matcher matcher = CODE.matcher(cell);
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        return names;
    }
}
