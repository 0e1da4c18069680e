// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.report;

import java.io.PrintStream;
import java.util.Locale;

/** One line that is written over and over while a run lasts. Called from two threads. */
final class ProgressLine {
    private static final String ERASE = "\r\u001b[K";

    private final PrintStream terminal;
    private boolean shown;

    /**
     * @param terminal where to write; null to write nothing
     */
    ProgressLine(PrintStream terminal) {
        this.terminal = terminal;
    }

    synchronized void show(long size, long messages, long total, long elapsedNanoseconds) {
        if (terminal == null) {
            return;
        }
        double seconds = elapsedNanoseconds / 1e9;
        String text = total > 0
                ? String.format(
                        Locale.ROOT,
                        " %d bytes: %d of %d messages (%d %%), %.0f s",
                        size,
                        messages,
                        total,
                        100 * messages / total,
                        seconds)
                : String.format(Locale.ROOT, " %d bytes: %d messages, %.0f s", size, messages, seconds);
        terminal.print(ERASE + text);
        terminal.flush();
        shown = true;
    }

    synchronized void clear() {
        if (shown) {
            terminal.print(ERASE);
            terminal.flush();
            shown = false;
        }
    }
}
