// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.result.GpuInfo;
import io.github.rdma4j.perftest.result.PathLimit;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.RunOutcome;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.wire.WireVersion;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/**
 * Writes a test as one JSON document: "test_info" and "results" as the C tools write them, and "rdma4j" with additional
 * fields. No key of the C tools occurs twice in the document, because scripts search for the keys as text.
 * docs/results.md has the schema.
 */
public final class JsonReport {
    private JsonReport() {}

    /**
     * Writes the document.
     *
     * @param outcome the result of the test
     * @param out receives UTF-8; it is flushed, not closed
     */
    public static void write(RunOutcome outcome, OutputStream out) throws IOException {
        write(outcome, Optional.empty(), out);
    }

    /**
     * Writes the document, with the limit of the test's links.
     *
     * @param limit the limit of the links; empty if unknown
     */
    public static void write(RunOutcome outcome, Optional<PathLimit> limit, OutputStream out) throws IOException {
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            // One key a line, without indentation, as the C tools write it.
            json.setPrettyPrinter(new DefaultPrettyPrinter(DefaultPrettyPrinter.DEFAULT_SEPARATORS
                            .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                            .withRootSeparator(""))
                    .withObjectIndenter(new DefaultIndenter("", "\n")));
            json.writeStartObject();
            ClassicJson.write(json, outcome);
            json.writeObjectFieldStart("rdma4j");
            EnvironmentJson.write(json, outcome.started(), outcome.seconds(), outcome.environment());
            EnvironmentJson.writeState(json, outcome.state(), outcome.failure());
            writeTest(json, outcome.info(), limit);
            json.writeArrayFieldStart("sizes");
            for (int i = 0; i < outcome.results().size(); i++) {
                SizeResult result = outcome.results().get(i);
                ResultJson.write(json, result, outcome.observation(i));
            }
            json.writeEndArray();
            json.writeEndObject();
            json.writeEndObject();
            json.writeRaw('\n');
        }
    }

    private static void writeTest(JsonGenerator json, RunInfo info, Optional<PathLimit> limit) throws IOException {
        RunParameters parameters = info.parameters();
        json.writeObjectFieldStart("test");
        json.writeStringField("tool", parameters.tool().command());
        json.writeStringField("role", parameters.isServer() ? "server" : "client");
        json.writeBooleanField("bidirectional", parameters.workload().bidirectional());
        json.writeNumberField("duration", parameters.workload().durationSeconds());
        json.writeNumberField("rounds", parameters.figures().rounds());
        if (!parameters.workload().latencyGap().isZero()) {
            json.writeNumberField(
                    "latency_gap_usec", parameters.workload().latencyGap().toNanos() / 1000);
        }
        json.writeStringField("implementation", "java");
        json.writeStringField("java", Runtime.version().toString());
        json.writeStringField("wire_version", WireVersion.OURS);
        json.writeStringField("peer_wire_version", info.peerVersion());
        json.writeStringField("placement", info.placement());
        json.writeStringField("warm_up", info.warmUp());
        if (info.gpu() != null) {
            writeGpu(json, info.gpu());
        }
        if (limit.isPresent()) {
            json.writeObjectFieldStart("path_limit");
            json.writeNumberField("bytes_per_second", Math.round(limit.get().bytesPerSecond()));
            json.writeStringField("link", limit.get().link());
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private static void writeGpu(JsonGenerator json, GpuInfo gpu) throws IOException {
        json.writeStringField("gpu", gpu.gpu());
        json.writeStringField("gpu_memory", gpu.memory());
        json.writeStringField("gpu_path", gpu.path());
        json.writeObjectFieldStart("gpu_path_reason");
        for (GpuInfo.Refused refused : gpu.refused()) {
            json.writeStringField(refused.path(), refused.why());
        }
        json.writeEndObject();
    }
}
