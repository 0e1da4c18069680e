// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.perftest.compare.result.HostGpu;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.document.EnvironmentJson;
import io.github.rdma4j.perftest.document.ResultJson;
import io.github.rdma4j.perftest.environment.Environment;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Writes a mesh as a JSON document. docs/results.md describes its fields. */
final class MeshJson {
    private MeshJson() {}

    /**
     * Writes the document.
     *
     * @param out receives UTF-8; it is flushed, not closed
     */
    static void write(MeshResult result, List<MeshFinding> findings, OutputStream out) throws IOException {
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            EnvironmentJson.write(
                    json,
                    result.started(),
                    result.seconds(),
                    result.environment() == null ? Environment.ofMachine() : result.environment());
            EnvironmentJson.writeState(json, result.state(), null);
            json.writeArrayFieldStart("tests");
            json.writeEndArray();
            json.writeObjectFieldStart("mesh");
            json.writeStringField("launcher", result.launcher());
            json.writeNumberField("latency_size", result.plan().latencySize());
            json.writeNumberField("bandwidth_size", result.plan().bandwidthSize());
            json.writeNumberField("repeats", result.plan().repeats());
            hosts(json, result.hosts());
            json.writeArrayFieldStart("pairs");
            for (PairResult pair : result.pairs()) {
                write(json, pair);
            }
            json.writeEndArray();
            findings(json, findings);
            json.writeEndObject();
            json.writeEndObject();
            json.writeRaw('\n');
        }
    }

    private static void hosts(JsonGenerator json, List<MeshResult.Host> hosts) throws IOException {
        json.writeArrayFieldStart("hosts");
        for (MeshResult.Host host : hosts) {
            json.writeStartObject();
            json.writeStringField("name", host.name());
            json.writeStringField("address", host.address());
            json.writeStringField("device", host.device());
            json.writeStringField("failure", host.failure());
            HostGpu gpu = host.gpu() == null ? new HostGpu(null, null, null) : host.gpu();
            json.writeStringField("gpu", gpu.name());
            json.writeStringField("gpu_path", gpu.path());
            json.writeStringField("gpu_reason", gpu.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void write(JsonGenerator json, PairResult pair) throws IOException {
        json.writeStartObject();
        json.writeNumberField("a", pair.pair().a());
        json.writeNumberField("b", pair.pair().b());
        json.writeStringField("failure", pair.failure());
        json.writeNumberField("messages", pair.messages());
        json.writeObjectFieldStart("losses");
        for (Map.Entry<String, Long> loss : new TreeMap<>(pair.losses()).entrySet()) {
            json.writeNumberField(loss.getKey(), loss.getValue());
        }
        json.writeEndObject();
        json.writeArrayFieldStart("results");
        for (Probe probe : Probe.values()) {
            if (!pair.figures().getOrDefault(probe, List.of()).isEmpty()) {
                write(json, pair, probe);
            }
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, PairResult pair, Probe probe) throws IOException {
        Metric metric = probe.metric();
        json.writeStartObject();
        json.writeStringField("tool", probe.tool().command());
        json.writeNumberField(
                "from", probe.isBack() ? pair.pair().b() : pair.pair().a());
        json.writeNumberField(
                "to", probe.isBack() ? pair.pair().a() : pair.pair().b());
        json.writeStringField("memory", probe.isGpu() ? "gpu" : "host");
        json.writeStringField("metric", metric.key());
        json.writeStringField("better", metric.lowerIsBetter() ? "lower" : "higher");
        ResultJson.number(json, "median", pair.median(probe));
        json.writeArrayFieldStart("figures");
        for (double figure : pair.figures().get(probe)) {
            json.writeNumber(figure);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void findings(JsonGenerator json, List<MeshFinding> findings) throws IOException {
        json.writeArrayFieldStart("findings");
        for (MeshFinding finding : findings) {
            json.writeStartObject();
            json.writeStringField("kind", finding.kind().name().toLowerCase(Locale.ROOT));
            json.writeArrayFieldStart("hosts");
            for (int rank : finding.ranks()) {
                json.writeNumber(rank);
            }
            json.writeEndArray();
            json.writeStringField("text", finding.text());
            json.writeStringField("remedy", finding.remedy());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
