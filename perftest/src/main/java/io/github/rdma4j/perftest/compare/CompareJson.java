// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;

/** Writes a comparison as one JSON document; docs/compare.md has the schema. */
final class CompareJson {
    private CompareJson() {}

    /**
     * Writes the document.
     *
     * @param out receives UTF-8; it is flushed, not closed
     */
    static void write(CompareResult result, OutputStream out) throws IOException {
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            json.writeNumberField("schema", 1);
            json.writeStringField("started", result.started().toString());
            number(json, "seconds", result.seconds());
            json.writeNumberField("rounds", result.plan().rounds());
            json.writeBooleanField("warm_up", result.plan().warmUp());
            writeConditions(json, result.conditions());
            json.writeArrayFieldStart("cases");
            for (CaseResult test : result.cases()) {
                writeCase(json, test);
            }
            json.writeEndArray();
            writeExpectations(json, result);
            json.writeEndObject();
            json.writeRaw('\n');
        }
    }

    private static void writeConditions(JsonGenerator json, Conditions conditions) throws IOException {
        json.writeObjectFieldStart("conditions");
        json.writeStringField("device", conditions.device());
        json.writeNumberField("device_port", conditions.devicePort());
        json.writeBooleanField("software_device", conditions.software());
        json.writeStringField("firmware", conditions.firmware());
        json.writeStringField("link_layer", conditions.linkLayer());
        json.writeNumberField("gid_index", conditions.gidIndex());
        json.writeNumberField("active_mtu", conditions.activeMtu());
        json.writeStringField("kernel", conditions.kernel());
        json.writeStringField("architecture", conditions.architecture());
        json.writeNumberField("processors", conditions.processors());
        json.writeStringField("clock", conditions.clock());
        json.writeStringField("jvm", conditions.jvm());
        json.writeArrayFieldStart("jvm_flags");
        for (String flag : conditions.jvmFlags()) {
            json.writeString(flag);
        }
        json.writeEndArray();
        json.writeStringField("rdma4j", conditions.rdma4j());
        json.writeStringField("c_version", conditions.cVersion());
        json.writeStringField("c_folder", conditions.cFolder());
        json.writeEndObject();
    }

    private static void writeCase(JsonGenerator json, CaseResult result) throws IOException {
        RunOrder order = result.order();
        json.writeStartObject();
        json.writeStringField("tool", order.tool().command());
        json.writeNumberField("size", order.size());
        json.writeNumberField("iterations", order.iterations());
        json.writeNumberField("queue_pairs", order.queuePairs());
        json.writeArrayFieldStart("runs");
        for (Round round : result.rounds()) {
            for (Implementation implementation : Implementation.turns(round.number())) {
                if (round.of(implementation) != null) {
                    writeRun(json, round.number(), round.of(implementation));
                }
            }
        }
        json.writeEndArray();
        json.writeArrayFieldStart("comparison");
        for (ComparisonRow row : result.rows()) {
            writeRow(json, row);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void writeRun(JsonGenerator json, int round, Measurement measurement) throws IOException {
        json.writeStartObject();
        json.writeNumberField("round", round);
        json.writeStringField("implementation", measurement.implementation().key());
        number(json, "seconds", measurement.seconds());
        json.writeObjectFieldStart("figures");
        for (Map.Entry<String, Double> figure : measurement.figures().entrySet()) {
            number(json, figure.getKey(), figure.getValue());
        }
        json.writeEndObject();
        json.writeObjectFieldStart("settings");
        for (Map.Entry<String, String> setting : measurement.output().settings().entrySet()) {
            json.writeStringField(setting.getKey(), setting.getValue());
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private static void writeRow(JsonGenerator json, ComparisonRow row) throws IOException {
        json.writeStartObject();
        json.writeStringField("metric", row.metric().key());
        json.writeStringField("better", row.metric().lowerIsBetter() ? "lower" : "higher");
        number(json, "java_best", row.javaBest());
        number(json, "c_best", row.cBest());
        number(json, "ratio_best", row.bestRatio());
        number(json, "java_median", row.javaMedian());
        number(json, "c_median", row.cMedian());
        number(json, "ratio_median", row.medianRatio());
        json.writeEndObject();
    }

    private static void writeExpectations(JsonGenerator json, CompareResult result) throws IOException {
        List<ComparisonRow> rows = result.rows();
        json.writeArrayFieldStart("expectations");
        for (Expectation expectation : result.plan().expectations()) {
            double ratio = expectation.ratio(rows);
            json.writeStartObject();
            json.writeStringField("expectation", expectation.text());
            number(json, "ratio", ratio);
            json.writeBooleanField("met", expectation.isMet(ratio));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** JSON has no infinity and no NaN: what could not be computed is null. */
    private static void number(JsonGenerator json, String key, double value) throws IOException {
        if (Double.isFinite(value)) {
            json.writeNumberField(key, Math.round(value * 1e6) / 1e6);
        } else {
            json.writeNullField(key);
        }
    }
}
