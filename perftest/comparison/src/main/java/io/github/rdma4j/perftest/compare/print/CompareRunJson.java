// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.CaseResult;
import io.github.rdma4j.perftest.compare.result.CompareResult;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.compare.result.Round;
import io.github.rdma4j.perftest.document.ResultJson;
import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.figures.Spread;
import io.github.rdma4j.perftest.options.Tool;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Writes all sizes of one tool and one implementation as a test of a results document. */
final class CompareRunJson {
    private static final double NANOSECONDS = 1e3;

    private CompareRunJson() {}

    /** Writes the test, where a value is expected; nothing when the implementation was not run with the tool. */
    static void write(JsonGenerator json, CompareResult result, Tool tool, Implementation implementation)
            throws IOException {
        List<CaseResult> cases = result.cases().stream()
                .filter(test -> test.test().tool() == tool)
                .filter(test -> !test.of(implementation).isEmpty())
                .toList();
        if (cases.isEmpty()) {
            return;
        }
        RunOrder order = cases.getFirst().order();
        Measurement first = cases.getFirst().of(implementation).getFirst();
        json.writeStartObject();
        json.writeObjectFieldStart("test_info");
        json.writeStringField("test", tool.title());
        json.writeStringField("tool", tool.command());
        json.writeStringField("implementation", implementation.key());
        json.writeStringField("role", "client");
        if (!implementation.isTcp()) {
            json.writeStringField("Device", order.device());
            json.writeNumberField("Number_of_qps", order.queuePairs());
            json.writeObjectFieldStart("settings");
            for (Map.Entry<String, String> setting : first.output().settings().entrySet()) {
                json.writeStringField(setting.getKey(), setting.getValue());
            }
            json.writeEndObject();
        }
        json.writeEndObject();
        json.writeArrayFieldStart("results");
        for (CaseResult test : cases) {
            writeResult(json, test, implementation);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Writes the figures of the median round, all samples, and the rounds. */
    private static void writeResult(JsonGenerator json, CaseResult test, Implementation implementation)
            throws IOException {
        List<Measurement> measurements = test.of(implementation);
        Measurement first = measurements.getFirst();
        json.writeStartObject();
        json.writeNumberField("MsgSize", first.bytes(test.test().size()));
        json.writeNumberField("n_iterations", test.order().iterations());
        if (!test.test().tool().isLatency()) {
            json.writeStringField("BW_unit", "MiB/sec");
        }
        for (String key : first.columns()) {
            ResultJson.number(json, key, median(measurements, key));
        }
        json.writeObjectFieldStart("cpu");
        ResultJson.number(json, "ns_per_message", NANOSECONDS * test.median(implementation, Metric.CPU_PER_MESSAGE));
        ResultJson.number(
                json, "machine_ns_per_message", NANOSECONDS * test.median(implementation, Metric.MACHINE_PER_MESSAGE));
        json.writeEndObject();
        List<LatencyFigures> samples = measurements.stream()
                .map(Measurement::latency)
                .filter(Objects::nonNull)
                .toList();
        if (!samples.isEmpty()) {
            ResultJson.writeLatency(json, LatencyFigures.together(samples), null);
        }
        writeRounds(json, test, implementation);
        json.writeEndObject();
    }

    private static void writeRounds(JsonGenerator json, CaseResult test, Implementation implementation)
            throws IOException {
        json.writeArrayFieldStart("rounds");
        for (Round round : test.rounds()) {
            Measurement measurement = round.of(implementation);
            if (measurement != null) {
                json.writeStartObject();
                json.writeNumberField("round", round.number());
                ResultJson.number(json, "seconds", measurement.seconds());
                for (Map.Entry<String, Double> figure : measurement.figures().entrySet()) {
                    ResultJson.number(json, figure.getKey(), figure.getValue());
                }
                json.writeEndObject();
            }
        }
        json.writeEndArray();
        json.writeObjectFieldStart("spread");
        for (Metric metric : test.compared()) {
            double[] figures = test.figures(implementation, metric);
            if (figures.length > 0) {
                ResultJson.spread(json, metric.key(), Spread.of(figures));
            }
        }
        json.writeEndObject();
    }

    private static double median(List<Measurement> measurements, String key) {
        double[] figures = measurements.stream()
                .map(measurement -> measurement.figures().get(key))
                .filter(value -> value != null && Double.isFinite(value))
                .mapToDouble(Double::doubleValue)
                .toArray();
        return figures.length == 0 ? Double.NaN : Spread.of(figures).median();
    }
}
