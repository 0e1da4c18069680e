// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.perftest.compare.Samples;
import io.github.rdma4j.perftest.compare.plan.CompareCase;
import io.github.rdma4j.perftest.compare.plan.Expectation;
import io.github.rdma4j.perftest.compare.plan.TcpPath;
import io.github.rdma4j.perftest.compare.plan.TcpSetting;
import io.github.rdma4j.perftest.compare.result.CaseResult;
import io.github.rdma4j.perftest.compare.result.CompareResult;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.compare.result.ToolOutput;
import io.github.rdma4j.perftest.compare.runner.TcpFigures;
import io.github.rdma4j.perftest.document.ResultsSchema;
import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.result.RunState;
import io.github.rdma4j.perftest.tcp.TcpParameters;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CompareJsonTest {
    private static JsonNode write(CompareResult result) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CompareJson.write(result, out);
        assertThat(ResultsSchema.faults(out.toString(StandardCharsets.UTF_8))).isEmpty();
        return new ObjectMapper().readTree(out.toByteArray());
    }

    /** The second case was never run. */
    @Test
    void interruptedRunJudgesNoExpectation() throws IOException {
        List<CompareCase> cases = List.of(Samples.LATENCY, Samples.BANDWIDTH);
        CompareResult whole = Samples.result(
                Samples.plan(cases, 2, Expectation.parse("ib_write_bw:65536:best>=2", cases)),
                Samples.latencyResult(new double[] {12}, new double[] {10}));
        JsonNode json = write(new CompareResult(
                whole.started(),
                whole.seconds(),
                whole.conditions(),
                whole.plan(),
                null,
                whole.cases(),
                RunState.INTERRUPTED,
                "ended by a signal"));

        assertThat(json.at("/state").asText()).isEqualTo("interrupted");
        assertThat(json.at("/comparison")).isNotEmpty();
        assertThat(json.at("/expectations")).isEmpty();
    }

    @Test
    void serversMachineHasAnEnvironmentOfItsOwn() throws IOException {
        CompareResult result = new CompareResult(
                Instant.EPOCH,
                1,
                Samples.conditionsOfTwoMachines("5.9"),
                Samples.plan(List.of(Samples.LATENCY), 1),
                null,
                List.of(Samples.latencyResult(new double[] {12}, new double[] {10})));

        JsonNode json = write(result);

        assertThat(json.at("/environment/device").asText()).isEqualTo("mlx5_0");
        assertThat(json.at("/server/address").asText()).isEqualTo("10.0.0.1");
        assertThat(json.at("/server/host").asText()).isEqualTo("alpha");
        assertThat(json.at("/server/environment/device").asText()).isEqualTo("mlx5_3");
        assertThat(json.at("/server/environment/c_version").asText()).isEqualTo("5.9");
    }

    /** As C's tools print where a figure rounds to nothing. */
    @Test
    void divisionByZeroIsNoRatioAndMeetsNothing() throws IOException {
        List<CompareCase> cases = List.of(Samples.LATENCY);
        CompareResult result = Samples.result(
                Samples.plan(
                        cases,
                        1,
                        Expectation.parse("ib_write_lat:2:median>=1", cases),
                        Expectation.parse("ib_write_lat:2:best>=1", cases)),
                Samples.latencyResult(new double[] {12}, new double[] {0}));

        assertThat(result.missed()).hasSize(2);
        assertThat(write(result).at("/comparison/0/ratio_median").isNull()).isTrue();
    }

    @Test
    void holdsEveryFigureAndTheComparison() throws IOException {
        List<CompareCase> cases = List.of(Samples.LATENCY, Samples.BANDWIDTH);
        Expectation met = Expectation.parse("ib_write_lat:2:best<=1.10", cases);
        Expectation missed = Expectation.parse("ib_write_bw:65536:best>=2", cases);
        JsonNode json = write(Samples.result(
                Samples.plan(cases, 2, met, missed),
                Samples.latencyResult(new double[] {12, 11}, new double[] {10, 10}),
                Samples.bandwidthResult()));

        assertThat(json.at("/schema_version").asInt()).isEqualTo(1);
        assertThat(json.at("/started").asText()).isEqualTo("1970-01-01T00:00:00Z");
        assertThat(json.at("/rounds").asInt()).isEqualTo(2);
        assertThat(json.at("/environment/device").asText()).isEqualTo("rxe0");
        assertThat(json.at("/environment/c_version").asText()).isEqualTo("6.06");
        assertThat(json.at("/tcp").isMissingNode()).isTrue();
        assertThat(json.at("/tests")).hasSize(4);
        JsonNode java = json.at("/tests/0");
        assertThat(java.at("/test_info/tool").asText()).isEqualTo("ib_write_lat");
        assertThat(java.at("/test_info/implementation").asText()).isEqualTo("java");
        assertThat(java.at("/test_info/settings/Mtu").asText()).isEqualTo("4096[B]");
        assertThat(java.at("/results")).hasSize(1);
        assertThat(java.at("/results/0/MsgSize").asLong()).isEqualTo(2);
        assertThat(java.at("/results/0/t_typical").asDouble()).isEqualTo(11.5);
        assertThat(java.at("/results/0/rounds")).hasSize(2);
        assertThat(java.at("/results/0/rounds/1/round").asInt()).isEqualTo(2);
        assertThat(java.at("/results/0/rounds/1/t_typical").asDouble()).isEqualTo(11);
        assertThat(java.at("/results/0/spread/t_typical/max").asDouble()).isEqualTo(12);
        assertThat(java.at("/results/0/cpu/ns_per_message").isNull()).isTrue();
        assertThat(json.at("/tests/1/test_info/implementation").asText()).isEqualTo("c");
        assertThat(json.at("/tests/3/results/0/BW_unit").asText()).isEqualTo("MiB/sec");
        assertThat(json.at("/comparison")).hasSize(9);
        assertThat(json.at("/comparison/0/tool").asText()).isEqualTo("ib_write_lat");
        assertThat(json.at("/comparison/0/size").asLong()).isEqualTo(2);
        assertThat(json.at("/comparison/0/metric").asText()).isEqualTo("t_typical");
        assertThat(json.at("/comparison/0/better").asText()).isEqualTo("lower");
        assertThat(json.at("/comparison/0/ratio_best").asDouble()).isEqualTo(1.1);
        assertThat(json.at("/comparison/0/ratio_median").asDouble()).isEqualTo(1.15);
        assertThat(json.at("/comparison/0/ratio_low").isNull()).isTrue();
        assertThat(json.at("/comparison/0/c_median").asDouble()).isEqualTo(10);
        assertThat(json.at("/comparison/0/tcp_java_best").isNull()).isTrue();
        assertThat(json.at("/comparison/2/metric").asText()).isEqualTo("percentile_99");
        assertThat(json.at("/comparison/5/better").asText()).isEqualTo("higher");
        assertThat(json.at("/expectations/0/met").asBoolean()).isTrue();
        assertThat(json.at("/expectations/1/met").asBoolean()).isFalse();
        assertThat(json.at("/expectations/1/ratio").asDouble()).isEqualTo(1.2);
    }

    @Test
    void ratioHasItsInterval() throws IOException {
        JsonNode json = write(Samples.result(
                Samples.plan(List.of(Samples.LATENCY), 6),
                Samples.latencyResult(new double[] {11, 12, 13, 10, 9, 14}, new double[] {10, 10, 10, 10, 10, 10})));

        assertThat(json.at("/comparison/0/ratio_median").asDouble()).isEqualTo(1.15);
        assertThat(json.at("/comparison/0/ratio_low").asDouble()).isEqualTo(0.9);
        assertThat(json.at("/comparison/0/ratio_high").asDouble()).isEqualTo(1.4);
    }

    @Test
    void writesNullForWhatIsNoNumber() throws IOException {
        JsonNode json = write(Samples.result(
                Samples.plan(List.of(Samples.LATENCY), 1),
                Samples.latencyResult(new double[] {Double.MIN_VALUE}, new double[] {1})));
        assertThat(json.at("/comparison/0/java_best").asDouble()).isEqualTo(Double.MIN_VALUE);

        CaseResult withoutStatistics = new CaseResult(
                Samples.LATENCY,
                Samples.order(Samples.LATENCY),
                List.of(Samples.round(
                        1,
                        Samples.latency(Implementation.JAVA, 1, 1).with(Map.of("t_max", Double.NaN)),
                        Samples.latency(Implementation.C, 1, 1))));
        JsonNode other = write(Samples.result(Samples.plan(List.of(Samples.LATENCY), 1), withoutStatistics));
        assertThat(other.at("/tests/0/results/0/t_max").isNull()).isTrue();
    }

    @Test
    void plainTcpIsATestOfTheToolThatItStandsBeside() throws IOException {
        TcpParameters run = new TcpParameters(true, 2, 3, "10.0.0.1", 18515, true, 60, true);
        LatencyFigures samples = TcpFigures.latency(new long[] {0, 20_000, 60_000}, 2);
        Measurement tcp = Measurement.of(Implementation.TCP_JAVA, ToolOutput.of(TcpFigures.of(run, samples)))
                .with(samples)
                .with(Map.of("cpu_per_message", 1.5, "machine_per_message", 2.5));
        CaseResult test = new CaseResult(
                Samples.LATENCY,
                Samples.order(Samples.LATENCY),
                List.of(Samples.round(
                        1, Samples.latency(Implementation.JAVA, 1, 1), Samples.latency(Implementation.C, 1, 1), tcp)));
        CompareResult result = new CompareResult(
                Instant.EPOCH,
                1,
                Samples.conditions(),
                Samples.plan(List.of(Samples.LATENCY), 1),
                new TcpSetting(new TcpPath("10.0.0.1", "eth0"), true),
                List.of(test));

        JsonNode json = write(result);

        assertThat(json.at("/tcp/interface").asText()).isEqualTo("eth0");
        assertThat(json.at("/tcp/latency_waits").asText()).isEqualTo("spin");
        assertThat(json.at("/tests/2/test_info/tool").asText()).isEqualTo("ib_write_lat");
        assertThat(json.at("/tests/2/test_info/implementation").asText()).isEqualTo("tcp-java");
        assertThat(json.at("/tests/2/test_info/Device").isMissingNode()).isTrue();
        assertThat(json.at("/tests/2/results/0/t_min").asDouble()).isEqualTo(10);
        assertThat(json.at("/tests/2/results/0/latency/samples").asInt()).isEqualTo(2);
        assertThat(json.at("/tests/2/results/0/cpu/ns_per_message").asDouble()).isEqualTo(1500);
        assertThat(json.at("/tests/2/results/0/cpu/machine_ns_per_message").asDouble())
                .isEqualTo(2500);
        assertThat(json.at("/comparison/0/tcp_java_best").asDouble()).isCloseTo(10, within(0.01));
    }
}
