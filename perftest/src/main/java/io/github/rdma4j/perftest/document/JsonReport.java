// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.perftest.options.TestParameters;
import io.github.rdma4j.perftest.result.GpuInfo;
import io.github.rdma4j.perftest.result.Observation;
import io.github.rdma4j.perftest.result.PathLimit;
import io.github.rdma4j.perftest.result.TestInfo;
import io.github.rdma4j.perftest.result.TestOutcome;
import io.github.rdma4j.perftest.wire.WireVersion;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/**
 * Writes a test as one JSON document. The keys are those of the C tools; "results" is an array, with one object per
 * size, where the C tools write one object and overwrite it at each size. docs/results.md has the schema.
 */
public final class JsonReport {
    private JsonReport() {}

    /**
     * Writes the document.
     *
     * @param outcome what was measured
     * @param out receives UTF-8; it is flushed, not closed
     */
    public static void write(TestOutcome outcome, OutputStream out) throws IOException {
        write(outcome, Optional.empty(), out);
    }

    /**
     * Writes the document, with what the test's links allow.
     *
     * @param limit of them; empty if it is not known
     */
    public static void write(TestOutcome outcome, Optional<PathLimit> limit, OutputStream out) throws IOException {
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            EnvironmentJson.write(json, outcome.started(), outcome.seconds(), outcome.environment());
            EnvironmentJson.writeState(json, outcome.state(), outcome.failure());
            writeInfo(json, outcome.info(), limit);
            json.writeArrayFieldStart("results");
            for (int i = 0; i < outcome.results().size(); i++) {
                Observation seen = i < outcome.observations().size()
                        ? outcome.observations().get(i)
                        : null;
                ResultJson.write(json, outcome.results().get(i), seen);
            }
            json.writeEndArray();
            json.writeEndObject();
            json.writeRaw('\n');
        }
    }

    private static void writeInfo(JsonGenerator json, TestInfo info, Optional<PathLimit> limit) throws IOException {
        TestParameters parameters = info.parameters();
        json.writeObjectFieldStart("test_info");
        json.writeStringField("test", info.title());
        json.writeStringField("Dual_port", "OFF");
        json.writeStringField("Device", info.device());
        json.writeNumberField("Number_of_qps", info.queuePairs());
        json.writeStringField("Transport_type", info.transportName());
        json.writeStringField("Connection_type", parameters.connection().toString());
        json.writeStringField("Using_SRQ", parameters.sharesReceiveQueue() ? "ON" : "OFF");
        json.writeStringField("PCIe_relax_order", parameters.relaxedOrdering() ? "ON" : "OFF");
        json.writeStringField("ibv_wr_API", "OFF");
        json.writeNumberField("TX_depth", parameters.transmitDepth());
        json.writeNumberField("CQ_Moderation", parameters.completionModeration());
        json.writeNumberField("Mtu", info.mtu());
        json.writeStringField("Link_type", info.linkLayerName());
        if (info.gidIndex() >= 0) {
            json.writeNumberField("GID_index", info.gidIndex());
        }
        if (parameters.tool().verb().asksForData()) {
            json.writeNumberField("Outstand_reads", info.outstandingReads());
        } else {
            json.writeNumberField("Max_inline_data", info.inlineSize());
        }
        json.writeStringField("rdma_cm_QPs", parameters.peer().rdmaCm() ? "ON" : "OFF");
        json.writeStringField("Data_ex_method", parameters.peer().meetingPoint().overRdma() ? "rdma_cm" : "Ethernet");
        if (parameters.peer().typeOfService() >= 0) {
            json.writeNumberField("TOS", parameters.peer().typeOfService());
        }
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
