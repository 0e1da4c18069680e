// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.findings;

/** Wraps text to a readable width, with continuation lines indented to the start of the text. */
public final class Paragraphs {
    private static final int WIDTH = 120;

    private final StringBuilder text = new StringBuilder();

    /** A line as it is. */
    public void line(String line) {
        text.append(line).append('\n');
    }

    /** Prints text after a label, wrapped into lines that are indented by the label's length. */
    public void entry(String label, String words) {
        StringBuilder line = new StringBuilder(label);
        boolean empty = true;
        for (String word : words.split(" ")) {
            if (!empty && line.length() + 1 + word.length() > WIDTH) {
                line(line.toString());
                line.setLength(0);
                line.repeat(' ', label.length());
                empty = true;
            }
            line.append(empty ? "" : " ").append(word);
            empty = false;
        }
        line(line.toString());
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
