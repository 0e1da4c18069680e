// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.figures.LatencySamples;
import java.util.List;
import org.junit.jupiter.api.Test;

class LatencyDetailsTest {
    private static LatencyFigures figures(int count) {
        LatencySamples samples = new LatencySamples(2);
        for (int i = 0; i < count; i++) {
            samples.record(i == 7 ? 400_000 : 20_000);
        }
        return samples.figures(0, 1);
    }

    @Test
    void everyPercentileHasTheSamplesBeyondIt() {
        LatencyDetails details = new LatencyDetails();
        details.add(2, figures(999));
        List<String> lines = details.text().lines().toList();
        assertThat(lines.get(0))
                .isEqualTo(" latency [usec]        samples       mean      stdev        50%        90%        99%"
                        + "      99.9%     99.99%    99.999%        max");
        assertThat(lines.get(1))
                .isEqualTo(" of 2 bytes                999      10.19       6.01      10.00      10.00      10.00"
                        + "     200.00     200.00     200.00     200.00");
        assertThat(lines.get(2))
                .isEqualTo("   samples beyond                                           499         99          9"
                        + "          0          0          0");
        assertThat(lines.get(3))
                .isEqualTo(" Warning: fewer than 10 samples lie beyond 99.9%, 99.99%, 99.999%: chance, not a"
                        + " measurement. 99.9% takes 10000 messages, 99.999% 1000000.");
        assertThat(lines)
                .hasSize(4)
                .noneMatch(line -> Character.isDigit(line.strip().charAt(0)));
    }

    @Test
    void noWarningWithEnoughSamples() {
        LatencyDetails details = new LatencyDetails();
        details.add(2, figures(1_000_000));
        assertThat(details.text()).doesNotContain("Warning");
        details.add(4, figures(999_998));
        assertThat(details.text())
                .endsWith(" Warning: fewer than 10 samples lie beyond 99.999%: chance, not a measurement."
                        + " 99.999% takes 1000000 messages.\n");
        details.add(8, figures(9_998));
        assertThat(details.text())
                .as("the weakest size counts")
                .contains("beyond 99.9%, 99.99%, 99.999%:", "99.9% takes 10000 messages, 99.999% 1000000.");
    }
}
