// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.compare.Samples;
import io.github.rdma4j.perftest.compare.result.CaseResult;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TcpTableTest {
    @Test
    void saysHowManyTimesRdmaIsBetter() {
        CaseResult latency = new CaseResult(
                Samples.LATENCY,
                Samples.order(Samples.LATENCY),
                List.of(Samples.round(
                        1,
                        Samples.latency(Implementation.JAVA, 11, 12).with(Map.of("cpu_per_message", 22.0)),
                        Samples.latency(Implementation.C, 10, 12),
                        Samples.latency(Implementation.TCP_JAVA, 33, 34).with(Map.of("cpu_per_message", 55.0)))));
        CaseResult bandwidth = new CaseResult(
                Samples.BANDWIDTH,
                Samples.order(Samples.BANDWIDTH),
                List.of(Samples.round(
                        1,
                        Samples.bandwidth(Implementation.JAVA, 60, 1),
                        Samples.bandwidth(Implementation.C, 50, 1),
                        Samples.bandwidth(Implementation.TCP_C, 100, 1))));

        List<String> lines = TcpTable.of(List.of(latency, bandwidth), Samples.conditions())
                .lines()
                .toList();

        assertThat(lines.get(0)).contains("median", "RDMA Java", "TCP C");
        assertThat(lines.get(1)).matches("ib_write_lat +2 +t_typical \\[usec] +11.00 +10.00 +33.00 +- +3.00 +-");
        assertThat(lines.get(2)).matches("ib_write_lat +2 +CPU/message \\[usec] +22.00 +- +55.00 +- +2.50 +-");
        assertThat(lines.get(4)).matches("ib_write_bw +65536 +BW average \\[MiB/s] +60.00 +50.00 +- +100.00 +- +0.50");
    }

    @Test
    void saysWhereAnotherSizeWasSent() {
        CaseResult latency = new CaseResult(
                Samples.LATENCY,
                Samples.order(Samples.LATENCY),
                List.of(Samples.round(
                        1,
                        Samples.latency(Implementation.JAVA, 11, 12),
                        Samples.latency(Implementation.C, 10, 12),
                        Samples.latency(Implementation.TCP_JAVA, 33, 34),
                        Samples.latency(Implementation.TCP_C, 33, 34).with(Map.of("bytes", 14.0)))));

        assertThat(TcpTable.of(List.of(latency), Samples.conditions()).lines().toList())
                .last()
                .isEqualTo("TCP C beside ib_write_lat, 2 bytes: messages of 14 bytes, its smallest.");
    }

    private static CaseResult bandwidth(Measurement... tcp) {
        List<Measurement> all = new ArrayList<>(
                List.of(Samples.bandwidth(Implementation.JAVA, 60, 1), Samples.bandwidth(Implementation.C, 50, 1)));
        all.addAll(List.of(tcp));
        return new CaseResult(
                Samples.BANDWIDTH,
                Samples.order(Samples.BANDWIDTH),
                List.of(
                        Samples.round(1, all.toArray(Measurement[]::new)),
                        Samples.round(
                                2,
                                Samples.bandwidth(Implementation.JAVA, 70, 1),
                                Samples.bandwidth(Implementation.C, 80, 1))));
    }

    @Test
    void figuresAreMediansAndTheirNumberIsPrinted() {
        String text = TcpTable.of(
                List.of(bandwidth(Samples.bandwidth(Implementation.TCP_JAVA, 130, 1))), Samples.conditions());

        assertThat(text.lines().toList().get(1))
                .matches("ib_write_bw +65536 +BW average \\[MiB/s] +65.00 +65.00 +130.00 +- +0.50 +-");
        assertThat(text).contains(" Rounds: 2, of TCP 1.\n");
    }

    @Test
    void saysWhyASoftwareDeviceIsSlowerThanTcp() {
        String reason = "Bandwidth: rxe0 has no hardware. The kernel plays the adapter, packet by packet, without the"
                + " offloads that TCP has, so RDMA is the slower one here; the rows are for adapters, where the same"
                + " command shows the gain.\n";
        CaseResult beside = bandwidth(Samples.bandwidth(Implementation.TCP_JAVA, 130, 1));

        assertThat(TcpTable.of(List.of(beside), Samples.conditions())).contains(reason);
        assertThat(TcpTable.of(List.of(beside), Samples.conditionsOfHardware())).doesNotContain("adapter");
        assertThat(TcpTable.of(List.of(bandwidth()), Samples.conditions())).doesNotContain("adapter");
        assertThat(TcpTable.of(
                        List.of(bandwidth(Samples.bandwidth(Implementation.TCP_JAVA, 64, 1))), Samples.conditions()))
                .doesNotContain("adapter");
        assertThat(TcpTable.of(
                        List.of(Samples.latencyResult(new double[] {11}, new double[] {10})), Samples.conditions()))
                .doesNotContain("adapter");
    }
}
