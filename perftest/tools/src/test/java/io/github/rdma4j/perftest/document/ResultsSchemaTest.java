// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.result.Observation;
import io.github.rdma4j.perftest.result.Pace;
import io.github.rdma4j.perftest.result.Results;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.RunOutcome;
import io.github.rdma4j.perftest.result.SizeResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The documents of the tools follow the schema, and the schema refuses other documents. */
class ResultsSchemaTest {
    private static String document(Tool tool, SizeResult... results) throws IOException {
        RunInfo info = Results.info(RunParameters.parse(tool, "localhost"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        JsonReport.write(Results.outcome(info, List.of(results)), out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static List<String> faultsAfter(Consumer<ObjectNode> change) throws IOException {
        ObjectNode json =
                (ObjectNode) new ObjectMapper().readTree(document(Tool.WRITE_LATENCY, Results.latency(2, 100)));
        change.accept(json);
        return ResultsSchema.faults(json.toString());
    }

    private static ObjectNode own(JsonNode document) {
        return (ObjectNode) document.get("rdma4j");
    }

    private static ObjectNode result(JsonNode document) {
        return (ObjectNode) document.at("/rdma4j/sizes/0");
    }

    @Test
    void everyKindOfResultFollowsIt() throws IOException {
        assertThat(ResultsSchema.faults(document(
                        Tool.WRITE_LATENCY,
                        Results.latency(2, 1000),
                        Results.latency(4, 1000, 3, null),
                        Results.latency(8, 1000, 1, new Pace(1000, 999.5)),
                        Results.timed(2, 100, null),
                        Results.timed(2, 100, new Pace(1000, 0)))))
                .isEmpty();
        assertThat(ResultsSchema.faults(document(
                        Tool.WRITE_BANDWIDTH,
                        Results.bandwidth(4096, 1, false),
                        Results.bandwidth(4096, 3, false),
                        Results.bandwidth(4096, 1, true),
                        Results.bandwidth(4096, 2, true))))
                .isEmpty();
        assertThat(ResultsSchema.faults(document(Tool.WRITE_BANDWIDTH))).isEmpty();
    }

    @Test
    void machineFactsFollowTheSchema() throws IOException {
        RunOutcome plain = Results.outcome(
                Results.info(RunParameters.parse(Tool.WRITE_BANDWIDTH)), List.of(Results.bandwidth(64, 1, false)));
        RunOutcome seen = new RunOutcome(
                plain.info(),
                plain.started(),
                plain.seconds(),
                plain.environment().withMemoryNode(1).withCVersion("6.06"),
                plain.results(),
                List.of(new Observation(12.5, Map.of("port_xmit_data", 7L))));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        JsonReport.write(seen, out);
        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(ResultsSchema.faults(text)).isEmpty();
        JsonNode json = new ObjectMapper().readTree(text);
        assertThat(json.at("/rdma4j/environment/memory_node").asInt()).isEqualTo(1);
        assertThat(json.at("/rdma4j/environment/c_version").asText()).isEqualTo("6.06");
        assertThat(json.at("/rdma4j/sizes/0/cpu/utilisation").asDouble()).isEqualTo(0.125);
        assertThat(json.at("/rdma4j/sizes/0/counters/port_xmit_data").asInt()).isEqualTo(7);
    }

    @Test
    void gpuFactsFollowTheSchema() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        RunInfo info = Results.info(RunParameters.parse(Tool.WRITE_BANDWIDTH), Results.STAGED);
        JsonReport.write(Results.outcome(info, List.of(Results.bandwidth(64, 1, false))), out);
        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(ResultsSchema.faults(text)).isEmpty();
        ObjectNode json = (ObjectNode) new ObjectMapper().readTree(text);
        ((ObjectNode) json.at("/rdma4j/test")).put("gpu_path", "by pigeon");
        assertThat(ResultsSchema.faults(json.toString())).isNotEmpty();
    }

    @Test
    void violationsAreFound() throws IOException {
        assertThat(faultsAfter(json -> {})).isEmpty();
        assertThat(faultsAfter(json -> own(json).remove("environment"))).isNotEmpty();
        assertThat(faultsAfter(json -> own(json).put("schema_version", 2))).isNotEmpty();
        assertThat(faultsAfter(json -> own(json).put("started", "yesterday"))).isNotEmpty();
        assertThat(faultsAfter(json -> json.put("unheard", 1))).isNotEmpty();
        assertThat(faultsAfter(json -> own(json).put("unheard", 1))).isNotEmpty();
        assertThat(faultsAfter(json -> json.putArray("results"))).isNotEmpty();
        assertThat(faultsAfter(json -> json.remove("rdma4j"))).isNotEmpty();
        assertThat(faultsAfter(json -> json.putArray("tests"))).isNotEmpty();
        assertThat(faultsAfter(json -> ((ObjectNode) own(json).get("environment")).put("active_mtu", 1500)))
                .isNotEmpty();
        assertThat(faultsAfter(json -> ((ObjectNode) own(json).get("test")).put("implementation", "cobol")))
                .isNotEmpty();
        assertThat(faultsAfter(json -> result(json).remove("size"))).isNotEmpty();
        assertThat(faultsAfter(json -> ((ObjectNode) json.get("results")).put("t_max", "long")))
                .isNotEmpty();
        assertThat(faultsAfter(json -> ((ObjectNode) result(json).get("latency")).put("loop", "open")))
                .as("an open loop has a rate")
                .isNotEmpty();
        assertThat(faultsAfter(json -> ((ObjectNode) result(json).get("latency").get("percentiles")).remove("99.999")))
                .isNotEmpty();
        assertThat(faultsAfter(json -> result(json).putArray("rounds").addObject()))
                .as("rounds have a spread")
                .isNotEmpty();
    }
}
