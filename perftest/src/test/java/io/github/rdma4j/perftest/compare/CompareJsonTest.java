// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompareJsonTest {
    private static JsonNode write(CompareResult result) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CompareJson.write(result, out);
        return new ObjectMapper().readTree(out.toByteArray());
    }

    @Test
    void holdsEveryFigureAndTheComparison() throws IOException {
        List<TestCase> cases = List.of(Samples.LATENCY, Samples.BANDWIDTH);
        Expectation met = Expectation.parse("ib_write_lat:2:best<=1.10", cases);
        Expectation missed = Expectation.parse("ib_write_bw:65536:best>=2", cases);
        JsonNode json = write(Samples.result(
                Samples.plan(cases, 2, met, missed),
                Samples.latencyResult(new double[] {12, 11}, new double[] {10, 10}),
                Samples.bandwidthResult()));

        assertThat(json.at("/schema").asInt()).isEqualTo(1);
        assertThat(json.at("/started").asText()).isEqualTo("1970-01-01T00:00:00Z");
        assertThat(json.at("/rounds").asInt()).isEqualTo(2);
        assertThat(json.at("/conditions/device").asText()).isEqualTo("rxe0");
        assertThat(json.at("/conditions/software_device").asBoolean()).isTrue();
        assertThat(json.at("/conditions/jvm_flags/0").asText()).isEqualTo("-Xmx1g");
        assertThat(json.at("/conditions/clock").asText()).contains("tsc");
        assertThat(json.at("/cases")).hasSize(2);
        assertThat(json.at("/cases/0/tool").asText()).isEqualTo("ib_write_lat");
        assertThat(json.at("/cases/0/size").asLong()).isEqualTo(2);
        assertThat(json.at("/cases/0/runs")).hasSize(4);
        assertThat(json.at("/cases/0/runs/0/implementation").asText()).isEqualTo("java");
        assertThat(json.at("/cases/0/runs/2/implementation").asText()).isEqualTo("c");
        assertThat(json.at("/cases/0/runs/2/round").asInt()).isEqualTo(2);
        assertThat(json.at("/cases/0/runs/0/figures/t_typical").asDouble()).isEqualTo(12);
        assertThat(json.at("/cases/0/runs/0/settings/Mtu").asText()).isEqualTo("4096[B]");
        assertThat(json.at("/cases/0/comparison/0/metric").asText()).isEqualTo("t_typical");
        assertThat(json.at("/cases/0/comparison/0/better").asText()).isEqualTo("lower");
        assertThat(json.at("/cases/0/comparison/0/ratio_best").asDouble()).isEqualTo(1.1);
        assertThat(json.at("/cases/1/comparison/0/better").asText()).isEqualTo("higher");
        assertThat(json.at("/expectations/0/met").asBoolean()).isTrue();
        assertThat(json.at("/expectations/1/met").asBoolean()).isFalse();
        assertThat(json.at("/expectations/1/ratio").asDouble()).isEqualTo(1.2);
    }

    @Test
    void writesNullForWhatIsNoNumber() throws IOException {
        JsonNode json = write(Samples.result(
                Samples.plan(List.of(Samples.LATENCY), 1),
                Samples.latencyResult(new double[] {Double.MIN_VALUE}, new double[] {1})));
        assertThat(json.at("/cases/0/comparison/0/java_best").asDouble()).isZero();

        CaseResult withoutStatistics = new CaseResult(
                Samples.LATENCY,
                Samples.order(Samples.LATENCY),
                List.of(Samples.round(
                        1,
                        Samples.latency(Implementation.JAVA, 1, 1).with(java.util.Map.of("t_max", Double.NaN)),
                        Samples.latency(Implementation.C, 1, 1))));
        JsonNode other = write(Samples.result(Samples.plan(List.of(Samples.LATENCY), 1), withoutStatistics));
        assertThat(other.at("/cases/0/runs/0/figures/t_max").isNull()).isTrue();
    }
}
