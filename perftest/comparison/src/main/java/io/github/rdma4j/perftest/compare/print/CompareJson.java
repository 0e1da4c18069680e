// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.perftest.compare.plan.TcpMode;
import io.github.rdma4j.perftest.compare.plan.TcpSetting;
import io.github.rdma4j.perftest.compare.result.CaseResult;
import io.github.rdma4j.perftest.compare.result.CompareResult;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.compare.result.Verdict;
import io.github.rdma4j.perftest.document.EnvironmentJson;
import io.github.rdma4j.perftest.document.ResultJson;
import io.github.rdma4j.perftest.figures.MedianInterval;
import io.github.rdma4j.perftest.options.Tool;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes a comparison as one JSON document. docs/results.md has the schema; docs/compare.md describes the fields that
 * only comparisons have.
 */
public final class CompareJson {
    private CompareJson() {}

    /**
     * Writes the document.
     *
     * @param out receives UTF-8; it is flushed, not closed
     */
    public static void write(CompareResult result, OutputStream out) throws IOException {
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            EnvironmentJson.write(
                    json,
                    result.started(),
                    result.seconds(),
                    result.conditions().environment());
            EnvironmentJson.writeState(json, result.state(), result.failure());
            json.writeNumberField("rounds", result.plan().rounds());
            json.writeBooleanField("warm_up", result.plan().warmUp());
            writeServer(json, result.conditions().server());
            writeTcp(json, result.tcp());
            json.writeArrayFieldStart("tests");
            for (Tool tool : result.plan().tools()) {
                for (Implementation implementation : Implementation.values()) {
                    CompareRunJson.write(json, result, tool, implementation);
                }
            }
            json.writeEndArray();
            json.writeArrayFieldStart("comparison");
            for (CaseResult test : result.cases()) {
                for (Metric metric : test.metrics()) {
                    writeRow(json, test, metric);
                }
            }
            json.writeEndArray();
            writeExpectations(json, result);
            json.writeEndObject();
            json.writeRaw('\n');
        }
    }

    private static void writeServer(JsonGenerator json, ServerMachine server) throws IOException {
        if (server != null) {
            json.writeObjectFieldStart("server");
            json.writeStringField("address", server.address());
            json.writeStringField("host", server.host());
            EnvironmentJson.write(json, server.environment());
            json.writeEndObject();
        }
    }

    private static void writeTcp(JsonGenerator json, TcpSetting tcp) throws IOException {
        if (tcp != null) {
            json.writeObjectFieldStart("tcp");
            json.writeStringField("address", tcp.path().address());
            json.writeStringField("interface", tcp.path().networkInterface());
            json.writeStringField("latency_waits", (tcp.spin() ? TcpMode.SPIN : TcpMode.BLOCK).option());
            json.writeEndObject();
        }
    }

    private static void writeRow(JsonGenerator json, CaseResult test, Metric metric) throws IOException {
        json.writeStartObject();
        json.writeStringField("tool", test.test().tool().command());
        json.writeNumberField("size", test.test().size());
        json.writeStringField("metric", metric.key());
        json.writeStringField("better", metric.lowerIsBetter() ? "lower" : "higher");
        for (Implementation implementation : Implementation.values()) {
            String name = implementation.key().replace('-', '_');
            ResultJson.number(json, name + "_best", test.best(implementation, metric));
            ResultJson.number(json, name + "_median", test.median(implementation, metric));
        }
        ResultJson.number(
                json, "ratio_best", test.best(Implementation.JAVA, metric) / test.best(Implementation.C, metric));
        MedianInterval ratio = test.ratio(metric);
        ResultJson.number(json, "ratio_median", ratio.median());
        ResultJson.number(json, "ratio_low", ratio.low());
        ResultJson.number(json, "ratio_high", ratio.high());
        json.writeEndObject();
    }

    private static void writeExpectations(JsonGenerator json, CompareResult result) throws IOException {
        json.writeArrayFieldStart("expectations");
        for (Verdict verdict : result.verdicts()) {
            json.writeStartObject();
            json.writeStringField("expectation", verdict.expectation().text());
            ResultJson.number(json, "ratio", verdict.ratio());
            json.writeBooleanField("met", verdict.met());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
