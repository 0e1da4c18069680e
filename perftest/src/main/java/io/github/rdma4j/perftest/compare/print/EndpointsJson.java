// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.perftest.compare.endpoints.EchoMeasurement;
import io.github.rdma4j.perftest.compare.endpoints.EchoMetric;
import io.github.rdma4j.perftest.compare.endpoints.EchoResult;
import io.github.rdma4j.perftest.compare.endpoints.EndpointsResult;
import io.github.rdma4j.perftest.document.EnvironmentJson;
import io.github.rdma4j.perftest.document.ResultJson;
import io.github.rdma4j.perftest.echo.Transport;
import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.figures.MedianInterval;
import io.github.rdma4j.perftest.result.Pace;
import java.io.IOException;
import java.io.OutputStream;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Writes a comparison of endpoints with TCP as one JSON document; docs/results.md explains it. */
public final class EndpointsJson {
    private static final Set<EchoMetric> CPU = EnumSet.range(EchoMetric.SERVER_USER, EchoMetric.MACHINE);

    private EndpointsJson() {}

    /**
     * Writes the document.
     *
     * @param out receives UTF-8; it is flushed, not closed
     */
    public static void write(EndpointsResult result, OutputStream out) throws IOException {
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            EnvironmentJson.write(
                    json, result.started(), result.seconds(), result.place().environment());
            EnvironmentJson.writeState(json, result.state(), result.failure());
            json.writeNumberField("rounds", result.plan().rounds());
            json.writeBooleanField("warm_up", result.plan().warmUp());
            json.writeArrayFieldStart("tests");
            for (int connections : result.plan().connections()) {
                for (Transport transport : result.plan().transports()) {
                    writeTest(json, result, connections, transport);
                }
            }
            json.writeEndArray();
            json.writeArrayFieldStart("comparison");
            for (EchoResult one : result.results()) {
                for (Transport transport : one.transports()) {
                    if (transport.isOfEndpoints()) {
                        writeRows(json, one, transport);
                    }
                }
            }
            json.writeEndArray();
            json.writeEndObject();
            json.writeRaw('\n');
        }
    }

    private static void writeTest(JsonGenerator json, EndpointsResult result, int connections, Transport transport)
            throws IOException {
        List<EchoResult> results = result.results().stream()
                .filter(one -> one.test().connections() == connections)
                .toList();
        if (results.isEmpty()) {
            return;
        }
        json.writeStartObject();
        json.writeObjectFieldStart("test_info");
        json.writeStringField("test", "Echo Latency Test");
        json.writeStringField("tool", "echo");
        json.writeStringField("implementation", transport.key());
        if (transport.isOfEndpoints() && transport != Transport.ENDPOINT) {
            json.writeStringField("variant", "Endpoint, " + transport.title());
        }
        json.writeStringField("role", "client");
        json.writeNumberField("connections", connections);
        json.writeStringField("address", result.place().address());
        json.writeNumberField("duration", result.plan().seconds());
        json.writeEndObject();
        json.writeArrayFieldStart("results");
        for (EchoResult one : results) {
            writeResult(json, one, transport);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Writes the figures of the median round, all samples, and the rounds. */
    private static void writeResult(JsonGenerator json, EchoResult result, Transport transport) throws IOException {
        LatencyFigures latency = result.latency(transport);
        json.writeStartObject();
        json.writeNumberField("MsgSize", result.test().size());
        json.writeNumberField("n_iterations", latency.samples());
        writeMiddle(json, result, transport, EchoMetric.MEDIAN);
        writeMiddle(json, result, transport, EchoMetric.PERCENTILE_99);
        json.writeObjectFieldStart("cpu");
        for (EchoMetric metric : CPU) {
            writeMiddle(json, result, transport, metric);
        }
        json.writeEndObject();
        double reached = result.spread(transport, EchoMetric.REACHED).median();
        ResultJson.writeLatency(json, latency, new Pace(result.test().rate(), reached));
        json.writeArrayFieldStart("rounds");
        List<EchoMeasurement> rounds = result.of(transport);
        for (int i = 0; i < rounds.size(); i++) {
            json.writeStartObject();
            json.writeNumberField("round", i + 1);
            for (EchoMetric metric : EchoMetric.values()) {
                ResultJson.number(json, metric.key(), metric.of(rounds.get(i)));
            }
            if (transport == Transport.ENDPOINT_FAILOVER) {
                json.writeNumberField("moves", rounds.get(i).moves());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeObjectFieldStart("spread");
        for (EchoMetric metric : EchoMetric.values()) {
            ResultJson.spread(json, metric.key(), result.spread(transport, metric));
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private static void writeMiddle(JsonGenerator json, EchoResult result, Transport transport, EchoMetric metric)
            throws IOException {
        ResultJson.number(json, metric.key(), result.spread(transport, metric).median());
    }

    private static void writeRows(JsonGenerator json, EchoResult result, Transport transport) throws IOException {
        for (EchoMetric metric : EchoMetric.values()) {
            writeRow(json, result, transport, metric);
        }
    }

    private static void writeRow(JsonGenerator json, EchoResult result, Transport transport, EchoMetric metric)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("tool", "echo");
        json.writeNumberField("size", result.test().size());
        json.writeNumberField("connections", result.test().connections());
        ResultJson.number(json, "rate", result.test().rate());
        json.writeStringField("metric", metric.key());
        json.writeStringField("better", metric.lowerIsBetter() ? "lower" : "higher");
        json.writeStringField("implementation", transport.key());
        ResultJson.number(
                json, "endpoint_median", result.spread(transport, metric).median());
        ResultJson.number(
                json, "tcp_java_median", result.spread(Transport.TCP, metric).median());
        MedianInterval ratio = result.ratio(transport, metric);
        ResultJson.number(json, "ratio_median", ratio.median());
        ResultJson.number(json, "ratio_low", ratio.low());
        ResultJson.number(json, "ratio_high", ratio.high());
        json.writeEndObject();
    }
}
