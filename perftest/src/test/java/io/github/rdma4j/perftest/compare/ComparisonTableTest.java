// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTableTest {
    @Test
    void hasARowPerMetricAndSaysWhatTheRatioMeans() {
        List<ComparisonRow> rows = new ArrayList<>(Samples.latencyResult(new double[] {12, 11}, new double[] {10, 10})
                .rows());
        rows.addAll(Samples.bandwidthResult().rows());

        assertThat(ComparisonTable.of(rows, 2)).isEqualTo("""
                tool              bytes  metric                Java best       C best   ratio  Java median     C median   ratio
                ib_write_lat          2  t_typical [usec]          11.00        10.00   1.100        11.50        10.00   1.150
                ib_write_lat          2  t_avg [usec]              12.00        11.00   1.091        12.50        11.00   1.136
                ib_write_bw       65536  BW average [MiB/s]        60.00        50.00   1.200        60.00        50.00   1.200
                ib_write_bw       65536  MsgRate [Mpps]         0.000960     0.000800   1.200     0.000960     0.000800   1.200
                ratio = Java / C, of 2 rounds each. Latency [usec]: below 1 Java is faster. Bandwidth and message rate: above 1 Java is faster.
                """);
    }
}
