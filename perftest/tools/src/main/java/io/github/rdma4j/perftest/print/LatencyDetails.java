// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.print;

import io.github.rdma4j.perftest.figures.LatencyFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The lines below C's table of a latency test with --details: the percentiles over all samples, each with the number of
 * samples beyond it, and a warning if they are too few. No line begins with a number, so that a script that reads rows
 * of the table does not take it for a row.
 */
final class LatencyDetails {
    private static final int LABEL = 18;
    private static final int COLUMN = 11;

    private final StringBuilder text = new StringBuilder();
    private double firstWeak = Double.NaN;

    LatencyDetails() {
        label("latency [usec]");
        cell("samples");
        cell("mean");
        cell("stdev");
        for (double percent : LatencyFigures.PERCENTILES) {
            cell(LatencyFigures.name(percent) + "%");
        }
        cell("max");
        text.append('\n');
    }

    /** Adds the figures of one size. */
    void add(long size, LatencyFigures figures) {
        label("of " + size + (size == 1 ? " byte" : " bytes"));
        cell(Long.toString(figures.samples()));
        cell(figures.mean());
        cell(figures.deviation());
        for (double percent : LatencyFigures.PERCENTILES) {
            cell(figures.percentile(percent));
            // A closed loop of n messages has n - 1 samples, which is enough.
            if (figures.samples() + 1 < LatencyFigures.samplesFor(percent) && !(firstWeak <= percent)) {
                firstWeak = percent;
            }
        }
        cell(figures.maximum());
        text.append('\n');
        label("  samples beyond");
        text.append(" ".repeat(3 * COLUMN));
        for (double percent : LatencyFigures.PERCENTILES) {
            cell(Long.toString(figures.beyond(percent)));
        }
        text.append('\n');
    }

    /** The whole text, with the warning. */
    String text() {
        if (Double.isNaN(firstWeak)) {
            return text.toString();
        }
        List<String> weak = new ArrayList<>();
        for (double percent : LatencyFigures.PERCENTILES) {
            if (percent >= firstWeak) {
                weak.add(LatencyFigures.name(percent) + "%");
            }
        }
        return text + " Warning: fewer than " + LatencyFigures.ENOUGH_BEYOND + " samples lie beyond "
                + String.join(", ", weak) + ": chance, not a measurement. " + LatencyFigures.name(firstWeak)
                + "% takes "
                + LatencyFigures.samplesFor(firstWeak) + " messages"
                + (weak.size() == 1
                        ? ""
                        : ", " + weak.getLast() + " " + LatencyFigures.samplesFor(LatencyFigures.PERCENTILES.getLast()))
                + ".\n";
    }

    private void label(String label) {
        text.append(' ').append(label).append(" ".repeat(Math.max(1, LABEL - label.length())));
    }

    private void cell(double microseconds) {
        cell(String.format(Locale.ROOT, "%.2f", microseconds));
    }

    private void cell(String value) {
        text.append(" ".repeat(Math.max(1, COLUMN - value.length()))).append(value);
    }
}
