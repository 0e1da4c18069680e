// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.print;

import java.io.PrintStream;
import java.util.Locale;

/**
 * A line that is overwritten during a run: its progress, its rate and the remaining time. Called from two threads.
 */
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

    /**
     * Shows the progress of a run.
     *
     * @param total messages of the run; 0 when it lasts a time
     * @param duration seconds of a timed run; otherwise 0
     */
    synchronized void show(long size, long messages, long total, int duration, long elapsedNanoseconds) {
        if (terminal == null) {
            return;
        }
        double seconds = elapsedNanoseconds / 1e9;
        String rate = String.format(Locale.ROOT, "%.0f messages/s", messages / seconds);
        String text;
        if (total > 0) {
            double left = messages > 0 ? seconds / messages * (total - messages) : Double.NaN;
            text = String.format(
                    Locale.ROOT,
                    " %d bytes: %d of %d messages (%d %%), %s, %.0f s%s",
                    size,
                    messages,
                    total,
                    100 * messages / total,
                    rate,
                    seconds,
                    Double.isNaN(left) ? "" : String.format(Locale.ROOT, ", %.0f s left", left));
        } else {
            text = String.format(
                    Locale.ROOT, " %d bytes: %d messages, %s, %.0f s of %d s", size, messages, rate, seconds, duration);
        }
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
