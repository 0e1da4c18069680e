// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.rdma4j.perftest.compare.Samples;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.compare.result.ToolOutput;
import io.github.rdma4j.perftest.exit.CompareException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CToolOutputTest {
    @Test
    void readsTheLatencyTableOfDebiansVersion() {
        ToolOutput output = CToolOutput.parse(Samples.output("c-4.5-lat.txt"));

        assertThat(output.figures())
                .containsEntry("bytes", 2.0)
                .containsEntry("iterations", 20000.0)
                .containsEntry("t_min", 9.33)
                .containsEntry("t_max", 169844.41)
                .containsEntry("t_typical", 9.82)
                .containsEntry("t_avg", 572.93)
                .containsEntry("t_stdev", 1331.18)
                .containsEntry("percentile_99", 4038.95)
                .containsEntry("percentile_99.9", 8121.62);
        assertThat(output.heading()).startsWith(" #bytes #iterations    t_min[usec]");
        assertThat(output.row()).startsWith(" 2       20000 ");
    }

    @ParameterizedTest
    @CsvSource({"read-lat,2,38.55,218.14", "send-lat,2,10.95,4535.15", "atomic-lat,8,17.52,552.07"})
    void readsTheTablesOfTheOtherTools(String tool, double bytes, double typical, double longest) {
        assertThat(CToolOutput.parse(Samples.output("c-4.5-" + tool + ".txt")).figures())
                .containsEntry("bytes", bytes)
                .containsEntry("iterations", 500.0)
                .containsEntry("t_typical", typical)
                .containsEntry("percentile_99.9", longest);
    }

    @Test
    void readsTheSettingsOfTheBanner() {
        assertThat(CToolOutput.parse(Samples.output("c-4.5-bw4k.txt")).settings())
                .containsEntry("Device", "rxe0")
                .containsEntry("Number of qps", "1")
                .containsEntry("Transport type", "IB")
                .containsEntry("TX depth", "128")
                .containsEntry("CQ Moderation", "100")
                .containsEntry("Mtu", "4096[B]")
                .containsEntry("GID index", "1")
                .containsEntry("Max inline data", "0[B]")
                .containsEntry("rdma_cm QPs", "OFF");
    }

    @Test
    void readsTheBandwidthTableOfDebiansVersion() {
        assertThat(CToolOutput.parse(Samples.output("c-4.5-bw64k.txt")).figures())
                .containsEntry("BW_peak", 69.74)
                .containsEntry("BW_average", 57.34);
    }

    @Test
    void computesTheCoarserFigureFromTheFiner() {
        var small = CToolOutput.parse(Samples.output("c-4.5-bw2.txt")).figures();
        assertThat(small).containsEntry("MsgRate", 0.036933);
        assertThat(small.get("BW_average")).isCloseTo(36933 * 2 / 1048576.0, within(1e-9));

        var large = CToolOutput.parse(Samples.output("c-4.5-bw64k.txt")).figures();
        assertThat(large).containsEntry("BW_average", 57.34);
        assertThat(large.get("MsgRate")).isCloseTo(57.34 / 65536 * 1.048576, within(1e-9));
    }

    @Test
    void readsTheTableOfLaterVersions() {
        ToolOutput output = CToolOutput.parse(Samples.output("c-newer-bw.txt"));

        assertThat(output.figures()).containsEntry("BW_average", 11745.61).containsEntry("CPU_Util", 6.25);
        assertThat(output.settings()).containsEntry("CQE Poll Batch", "16").containsEntry("TX depth", "128");
    }

    @Test
    void figureThatIsNoNumberIsNone() {
        String text = " #bytes #iterations  t_typical[usec] t_avg[usec]\n 2 5 -nan inf\n";

        Measurement measurement = Measurement.of(Implementation.C, CToolOutput.parse(text));

        assertThatThrownBy(() -> measurement.figure(Metric.TYPICAL_LATENCY))
                .isInstanceOf(CompareException.class)
                .hasMessage("C printed no usable t_typical: '2 5 -nan inf'");
        assertThatThrownBy(() -> measurement.figure(Metric.MESSAGE_RATE)).isInstanceOf(CompareException.class);
    }

    @Test
    void withoutTheSizeNothingIsComputed() {
        String text = " #bytesX #iterations BW average[MiB/sec] MsgRate[Mpps]\n 2 5 1.0 1.5\n";

        assertThat(CToolOutput.parse(text).figures())
                .containsEntry(Metric.AVERAGE_BANDWIDTH.key(), 1.0)
                .containsEntry(Metric.MESSAGE_RATE.key(), 1.5);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Couldn't connect to 127.0.0.1:5555\n",
                " #bytes #iterations t_typical[usec]\n",
                " #bytes #iterations t_typical[usec]\n 2 5\n",
                " #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]\n 2 5 1.0 1.0 1.0\n"
            })
    void refusesWhatItDoesNotUnderstand(String text) {
        assertThatThrownBy(() -> CToolOutput.parse(text)).isInstanceOf(CompareException.class);
    }
}
