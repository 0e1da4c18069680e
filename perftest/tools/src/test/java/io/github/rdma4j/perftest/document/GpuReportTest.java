// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.result.GpuInfo;
import io.github.rdma4j.perftest.result.Results;
import io.github.rdma4j.perftest.result.RunInfo;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Documents describe a GPU if there is one, and otherwise have no entry for it. */
class GpuReportTest {
    private static RunInfo info(GpuInfo gpu) {
        return Results.info(RunParameters.parse(Tool.WRITE_BANDWIDTH, "localhost"), gpu);
    }

    private static JsonNode json(RunInfo info) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        JsonReport.write(Results.outcome(info, List.of(Results.bandwidth(64, 1, false))), out);
        return new ObjectMapper().readTree(out.toByteArray()).at("/rdma4j/test");
    }

    private static List<String> csv(RunInfo info) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CsvReport.write(Results.outcome(info, List.of(Results.bandwidth(64, 1, false))), out);
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void jsonNamesGpuAndPathAndWhyNoneIsBetter() throws IOException {
        JsonNode json = json(info(Results.STAGED));
        assertThat(json.get("gpu").asText()).isEqualTo("CUDA device 0, NVIDIA H200, 0000:17:00.0");
        assertThat(json.get("gpu_memory").asText()).isEqualTo("device memory");
        assertThat(json.get("gpu_path").asText()).isEqualTo("staged");
        assertThat(json.at("/gpu_path_reason/dmabuf").asText()).isEqualTo("the adapter cannot");
        assertThat(json.at("/gpu_path_reason/peermem").asText()).startsWith("no module");
        assertThat(json(info(null)).has("gpu")).isFalse();
    }

    @Test
    void rowsNameThePath() throws IOException {
        assertThat(csv(info(Results.STAGED)).getFirst()).endsWith(",MsgRate,gpu_path,state");
        assertThat(csv(info(Results.STAGED)).get(1)).endsWith(",staged,complete");
        assertThat(csv(info(null)).getFirst()).endsWith(",MsgRate,state");
    }
}
