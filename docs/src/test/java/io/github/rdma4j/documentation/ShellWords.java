// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import java.util.ArrayList;
import java.util.List;

/** As much of a shell's grammar as the pages use: quotes, comments, continued lines, several commands in a line. */
final class ShellWords {
    private final String text;
    private final List<List<String>> commands = new ArrayList<>();
    private List<String> command = new ArrayList<>();
    private StringBuilder word;

    private ShellWords(String text) {
        this.text = text.replace("\\\n", " ");
    }

    /** The commands of a script, each as its words. */
    static List<List<String>> commands(String script) {
        return new ShellWords(script).read();
    }

    private List<List<String>> read() {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\'' || c == '"') {
                int end = text.indexOf(c, i + 1);
                if (end < 0) {
                    throw new IllegalArgumentException("a quote that does not end: " + text.substring(i));
                }
                word().append(text, i + 1, end);
                i = end;
            } else if (c == '#' && word == null) {
                i = text.indexOf('\n', i) - 1;
                if (i < 0) {
                    break;
                }
            } else if (c == ' ') {
                endWord();
            } else if ("\n;&|".indexOf(c) >= 0) {
                endCommand();
            } else {
                word().append(c);
            }
        }
        endCommand();
        return commands;
    }

    private StringBuilder word() {
        if (word == null) {
            word = new StringBuilder();
        }
        return word;
    }

    private void endWord() {
        if (word != null) {
            command.add(word.toString());
            word = null;
        }
    }

    private void endCommand() {
        endWord();
        if (!command.isEmpty()) {
            commands.add(command);
            command = new ArrayList<>();
        }
    }
}
