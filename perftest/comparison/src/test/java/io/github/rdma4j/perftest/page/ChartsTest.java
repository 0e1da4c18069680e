// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChartsTest {
    @TempDir
    private Path folder;

    private List<Chart> charts(int chapter, String text) {
        return Charts.of(Chapters.of(SampleDocuments.read(folder, text)).get(chapter));
    }

    private static List<String> labels(Chart chart) {
        return chart.panels().stream().map(Chart.Panel::label).toList();
    }

    @Test
    void toolForLatencyHasItsCharts() {
        List<Chart> charts = charts(0, SampleDocuments.everything());

        assertThat(charts)
                .extracting(Chart::kind, Chart::unit)
                .containsExactly(
                        tuple(Chart.Kind.PERCENTILES, "µs"),
                        tuple(Chart.Kind.SIZES, "µs"),
                        tuple(Chart.Kind.SIZES, "µs"),
                        tuple(Chart.Kind.ROUNDS, "µs"));
        assertThat(labels(charts.get(1))).containsExactly("Median", "Median, best round", "Mean", "99 %", "99.9 %");
        assertThat(labels(charts.get(3))).containsExactly("2 B", "64 B", "4 KiB");
    }

    @Test
    void toolForBandwidthHasBarsWhereSizesAreFew() {
        List<Chart> charts = charts(1, SampleDocuments.everything());

        assertThat(charts)
                .extracting(Chart::kind, Chart::unit)
                .containsExactly(tuple(Chart.Kind.BARS, "MiB/s"), tuple(Chart.Kind.BARS, "messages/s"));
        assertThat(labels(charts.getFirst())).containsExactly("Average", "Average, best round");
    }

    @Test
    void whereSomeHaveAllSamplesAndSomeOneRoundTheyCanBeComparedByTheMiddleRound() {
        Chart percentiles = charts(0, SampleDocuments.everything()).getFirst();

        assertThat(labels(percentiles))
                .containsExactly("2 B", "2 B, C's columns", "64 B", "64 B, C's columns", "4 KiB", "4 KiB, C's columns");
        Chart.Panel middle = percentiles.panels().get(1);
        assertThat(middle.lines())
                .extracting(Chart.Line::name)
                .containsExactly("Java", "C", "TCP Java", "TCP C (14 B)");
        assertThat(middle.lines()).extracting(Chart.Line::complete).containsOnly(false);
        assertThat(middle.lines()).allSatisfy(line -> assertThat(line.points()).hasSize(4));
    }

    @Test
    void whereAllHaveAllSamplesThereIsNothingToChoose() {
        Chart percentiles = charts(
                        0,
                        SampleDocuments.comparison(
                                SampleDocuments.rdma("ib_write_lat", "java", SampleDocuments.latency(2, 10)),
                                SampleDocuments.test("ib_write_lat", "tcp-java", "", SampleDocuments.latency(2, 10))))
                .getFirst();

        assertThat(labels(percentiles)).containsExactly("2 B");
        assertThat(percentiles.panels().getFirst().lines())
                .extracting(Chart.Line::complete)
                .containsOnly(true);
    }

    @Test
    void everyRoundHasAPoint() {
        Chart rounds = charts(0, SampleDocuments.everything()).getLast();

        Chart.Line java = rounds.panels().getFirst().lines().getFirst();
        assertThat(java.points()).containsExactly(new double[] {1, 10.5}, new double[] {2, 12});
    }

    /** Plain TCP does not take part in every round of a comparison. */
    @Test
    void roundStandsAtItsNumber() {
        String rounds = SampleDocuments.bandwidth(65536, 71)
                .replaceAll(
                        "\"rounds\": .*",
                        "\"rounds\": [{\"round\": 1, \"BW_average\": 70}, {\"round\": 4, \"BW_average\": 72}]}");

        Chart chart = charts(0, SampleDocuments.comparison(SampleDocuments.test("ib_write_bw", "tcp-java", "", rounds)))
                .getLast();

        assertThat(chart.panels().getFirst().lines().getFirst().points())
                .containsExactly(new double[] {1, 70}, new double[] {4, 72});
    }
}
