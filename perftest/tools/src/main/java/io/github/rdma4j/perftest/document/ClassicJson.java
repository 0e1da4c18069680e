// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.perftest.options.Output;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.LatencyResult;
import io.github.rdma4j.perftest.result.Observation;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.RunOutcome;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.result.TimedLatencyResult;
import java.io.IOException;
import java.util.Locale;

/**
 * The part of a document that the C tools also write: the same keys, in the same order, with the same decimals. If
 * there are several sizes it contains the last one, because the C tools rewrite their file for each.
 */
final class ClassicJson {
    private ClassicJson() {}

    /** Writes the fields "test_info" and "results"; the latter is empty when nothing was measured. */
    static void write(JsonGenerator json, RunOutcome outcome) throws IOException {
        writeInfo(json, outcome.info());
        json.writeObjectFieldStart("results");
        int last = outcome.results().size() - 1;
        if (last >= 0) {
            writeResult(json, outcome.info().parameters(), outcome.results().get(last), outcome.observation(last));
        }
        json.writeEndObject();
    }

    private static void writeInfo(JsonGenerator json, RunInfo info) throws IOException {
        RunParameters parameters = info.parameters();
        json.writeObjectFieldStart("test_info");
        json.writeStringField("test", info.title().replace(' ', '_'));
        if (parameters.queues().events()) {
            json.writeStringField(
                    "Test with events",
                    "Using_" + info.device() + "_comp" + parameters.queues().completionVector());
        }
        if (parameters.queues().multicast()) {
            json.writeStringField("MultiCast_runs", "on_UD");
        }
        json.writeStringField("Dual_port", "OFF");
        json.writeStringField("Device", info.device());
        json.writeNumberField("Number_of_qps", info.queuePairs());
        json.writeStringField("Transport_type", info.transportName());
        json.writeStringField("Connection_type", parameters.connection().toString());
        json.writeStringField("Using_SRQ", onOff(parameters.sharesReceiveQueue()));
        json.writeStringField("PCIe_relax_order", onOff(parameters.relaxedOrdering()));
        json.writeStringField("ibv_wr_API", "OFF");
        boolean bothWays = parameters.workload().bidirectional();
        if (!parameters.isServer() || bothWays) {
            json.writeNumberField("TX_depth", parameters.transmitDepth());
        }
        if (parameters.queues().postList() > 1) {
            json.writeNumberField("Post_List", parameters.queues().postList());
        }
        if (parameters.queues().receiveList() > 1) {
            json.writeNumberField("Recv_Post_List", parameters.queues().receiveList());
        }
        if (parameters.usesReceives() && (parameters.isServer() || bothWays)) {
            json.writeNumberField("RX_depth", parameters.receiveDepth());
        }
        if (!parameters.tool().isLatency()) {
            json.writeNumberField("CQ_Moderation", parameters.completionModeration());
        }
        json.writeNumberField("Mtu", info.mtu());
        json.writeStringField("Link_type", info.linkLayerName());
        if (info.gidIndex() >= 0) {
            json.writeNumberField("GID_index", info.gidIndex());
        }
        if (parameters.tool().verb().requestsData()) {
            json.writeNumberField("Outstand_reads", info.outstandingReads());
        } else {
            json.writeNumberField("Max_inline_data", info.inlineSize());
        }
        json.writeStringField("rdma_cm_QPs", onOff(parameters.peer().rdmaCm()));
        if (parameters.gpu().ordinal() != null) {
            json.writeNumberField("cuda_device", parameters.gpu().ordinal());
        }
        json.writeStringField("Use_ROCm_memory", onOff(false));
        json.writeStringField("Use_MUSA_memory", onOff(false));
        json.writeStringField("Data_ex_method", parameters.peer().meetingPoint().overRdma() ? "rdma_cm" : "Ethernet");
        if (parameters.peer().typeOfService() >= 0) {
            json.writeNumberField("TOS", parameters.peer().typeOfService());
        }
        json.writeEndObject();
    }

    private static String onOff(boolean on) {
        return on ? "ON" : "OFF";
    }

    private static void writeResult(JsonGenerator json, RunParameters parameters, SizeResult result, Observation seen)
            throws IOException {
        Output only = parameters.figures().output();
        double scale = Math.max(1, parameters.figures().cyclesPerMicrosecond());
        if (only != null) {
            switch (result) {
                case LatencyResult r -> number(json, "avg_lat", 6, r.average() * scale);
                case TimedLatencyResult r -> number(json, "t_avg", 6, r.average());
                case BandwidthResult r
                when only == Output.MESSAGE_RATE -> number(json, "msgRate_avg", 6, r.messageRate());
                case BandwidthResult r -> number(json, "bw_avg", 6, r.average());
            }
            return;
        }
        json.writeNumberField("MsgSize", result.size());
        json.writeNumberField("n_iterations", result.iterations());
        switch (result) {
            case LatencyResult r -> {
                number(json, "t_min", 2, r.minimum() * scale);
                number(json, "t_max", 2, r.maximum() * scale);
                number(json, "t_typical", 2, r.typical() * scale);
                number(json, "t_avg", 2, r.average() * scale);
                number(json, "t_stdev", 2, r.deviation() * scale);
                number(json, "percentile_99", 2, r.percentile99() * scale);
                number(json, "percentile_99.9", 2, r.percentile999() * scale);
            }
            case TimedLatencyResult r -> {
                number(json, "t_avg", 2, r.average());
                number(json, "tps_average", 2, r.transactionsPerSecond());
            }
            case BandwidthResult r -> {
                int decimals = r.hasSmallFigures() ? 6 : 2;
                number(json, "BW_peak", decimals, r.peak());
                number(json, "BW_average", decimals, r.average());
                number(json, "MsgRate", 6, r.messageRate());
            }
        }
        if (parameters.placement().cpuUtilisation()) {
            number(json, "CPU_util", 2, seen == null ? 0 : seen.cpuUtilisation());
        }
    }

    /**
     * Writes a number without an exponent, which scripts do not expect. A value that was not measured is 0, as in the C
     * tools' table.
     */
    private static void number(JsonGenerator json, String key, int decimals, double value) throws IOException {
        json.writeFieldName(key);
        json.writeNumber(String.format(Locale.ROOT, "%." + decimals + "f", Double.isFinite(value) ? value : 0));
    }
}
