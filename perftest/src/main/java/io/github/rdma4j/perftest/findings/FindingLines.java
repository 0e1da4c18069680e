// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.findings;

import io.github.rdma4j.gpudirect.check.FindingState;

/** Lays out findings: a line with state, name and value, followed by the meaning and how to fix it. */
public final class FindingLines {
    /** The indentation of lines below a title. */
    public static final String INDENT = "  ";

    private static final int STATE = 9;
    private static final int NAME = 17;
    private static final String MARGIN = " ".repeat(INDENT.length() + STATE + NAME + 2);

    private final Paragraphs text;

    /**
     * Lines for a page.
     *
     * @param text receives them
     */
    public FindingLines(Paragraphs text) {
        this.text = text;
    }

    /** An empty line and a title. */
    public void section(String title) {
        text.line("");
        text.line(title);
    }

    /**
     * Prints the first line of a finding.
     *
     * @param state its severity
     * @param name the check
     * @param subject its subject; empty for the machine
     * @param seen the value
     */
    public void seen(FindingState state, String name, String subject, String seen) {
        text.entry(
                INDENT + padded(state == FindingState.OK ? "ok" : state.name(), STATE) + padded(name, NAME),
                (subject.isEmpty() ? "" : subject + ": ") + seen);
    }

    /**
     * Prints the meaning and the remedy.
     *
     * @param meaning without a full stop; empty if it needs no explanation
     * @param remedy without a full stop; empty if there is nothing to do
     */
    public void explain(String meaning, String remedy) {
        if (!meaning.isEmpty()) {
            text.entry(MARGIN, sentence(meaning));
        }
        if (!remedy.isEmpty()) {
            text.entry(MARGIN, "Remedy: " + remedy + ".");
        }
    }

    /** Words as a sentence. */
    public static String sentence(String words) {
        return Character.toUpperCase(words.charAt(0)) + words.substring(1) + ".";
    }

    private static String padded(String word, int width) {
        return word + " ".repeat(Math.max(1, width - word.length()));
    }
}
