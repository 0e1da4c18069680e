// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

/** Describes a chart as text, for readers who cannot see it. */
final class Alternative {
    private Alternative() {}

    /** The chart in a few sentences. */
    static String of(Chapter chapter, Chart chart) {
        Chart.Panel panel = chart.panels().getFirst();
        StringBuilder text = new StringBuilder(chart.title()).append(" of ").append(chapter.title());
        if (chart.panels().size() > 1 || chart.kind() == Chart.Kind.PERCENTILES) {
            text.append(", ").append(panel.label());
        }
        text.append(", in ").append(chart.unit()).append(". ");
        for (Chart.Line line : panel.lines()) {
            double[] first = line.points().getFirst();
            double[] last = line.points().getLast();
            text.append(line.name()).append(": ");
            text.append(Figures.number(first[1], 2)).append(" ").append(position(chart.kind(), first[0]));
            if (line.points().size() > 1) {
                text.append(", ").append(Figures.number(last[1], 2)).append(" ");
                text.append(position(chart.kind(), last[0]));
            }
            text.append(". ");
        }
        for (Chart.Guide guide : chart.guides()) {
            text.append(sentence(guide.name())).append(": ");
            text.append(Figures.number(guide.points().getLast()[1], 2)).append(" ");
            text.append(position(chart.kind(), guide.points().getLast()[0])).append(". ");
        }
        return text.append("All numbers are in the table below.").toString();
    }

    private static String sentence(String words) {
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }

    private static String position(Chart.Kind kind, double x) {
        return switch (kind) {
            case PERCENTILES -> x == 1 ? "at least" : "at most";
            case SIZES, BARS -> "at " + Figures.size((long) x);
            case ROUNDS -> "in round " + (long) x;
        };
    }
}
