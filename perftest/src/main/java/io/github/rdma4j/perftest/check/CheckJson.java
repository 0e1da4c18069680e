// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.check;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.gpudirect.PathRefusal;
import io.github.rdma4j.gpudirect.check.CheckReport;
import io.github.rdma4j.gpudirect.check.CheckedAdapter;
import io.github.rdma4j.gpudirect.check.CheckedGpu;
import io.github.rdma4j.gpudirect.check.Finding;
import io.github.rdma4j.gpudirect.check.GpuFacts;
import io.github.rdma4j.gpudirect.check.PairVerdict;
import io.github.rdma4j.gpudirect.topology.PciDistance;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.findings.FindingDocument;
import io.github.rdma4j.perftest.findings.FindingFields;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** Writes a report as one JSON document; docs/gpudirect-check.md has its fields. */
final class CheckJson {
    /** A reader of version n understands every document of version n. */
    static final int SCHEMA_VERSION = 1;

    static final String SCHEMA = "https://rdma4j.github.io/schema/gpudirect-check-1.json";

    private CheckJson() {}

    /**
     * Writes the document.
     *
     * @param status the exit status of the command
     * @param out receives UTF-8; it is flushed, not closed
     */
    static void write(CheckReport report, int status, OutputStream out) throws IOException {
        FindingDocument.write(out, SCHEMA, SCHEMA_VERSION, BuildInfo.version(), json -> {
            json.writeStringField("outcome", report.outcome().name().toLowerCase(Locale.ROOT));
            json.writeNumberField("exit_status", status);
            json.writeArrayFieldStart("gpus");
            for (CheckedGpu gpu : report.gpus()) {
                write(json, gpu);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("adapters");
            for (CheckedAdapter adapter : report.adapters()) {
                write(json, adapter);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("findings");
            for (Finding finding : report.findings()) {
                write(json, finding);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("pairs");
            for (PairVerdict verdict : report.verdicts()) {
                write(json, verdict);
            }
            json.writeEndArray();
        });
    }

    private static void write(JsonGenerator json, CheckedGpu gpu) throws IOException {
        json.writeStartObject();
        json.writeStringField("gpu", gpu.label());
        json.writeStringField("pci_address", gpu.address().toString());
        json.writeStringField("name", gpu.facts().map(GpuFacts::name).orElse(null));
        place(json, gpu.function());
        write(json, gpu.window());
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, Bar1Memory window) throws IOException {
        json.writeObjectFieldStart("bar1");
        write(json, "total_bytes", window.total());
        write(json, "used_bytes", window.used());
        write(json, "free_bytes", window.free());
        json.writeStringField("unknown", FindingFields.emptyToNull(window.unknown()));
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, String field, OptionalLong value) throws IOException {
        if (value.isPresent()) {
            json.writeNumberField(field, value.getAsLong());
        } else {
            json.writeNullField(field);
        }
    }

    private static void write(JsonGenerator json, CheckedAdapter adapter) throws IOException {
        json.writeStartObject();
        json.writeStringField("adapter", adapter.name());
        json.writeStringField(
                "pci_address",
                adapter.place()
                        .function()
                        .map(function -> function.address().toString())
                        .orElse(null));
        json.writeBooleanField("software_device", adapter.place().isSoftware());
        place(json, adapter.place().function());
        json.writeEndObject();
    }

    private static void place(JsonGenerator json, Optional<PciFunction> function) throws IOException {
        Optional<Integer> node = function.map(PciFunction::numaNode).filter(number -> number >= 0);
        if (node.isPresent()) {
            json.writeNumberField("numa_node", node.get());
        } else {
            json.writeNullField("numa_node");
        }
        json.writeStringField(
                "link", function.map(found -> found.link().toString()).orElse(null));
    }

    private static void write(JsonGenerator json, Finding finding) throws IOException {
        json.writeStartObject();
        json.writeStringField("id", finding.id().key());
        json.writeStringField("subject", finding.subject().kind().name().toLowerCase(Locale.ROOT));
        json.writeStringField("gpu", FindingFields.emptyToNull(finding.subject().gpu()));
        json.writeStringField(
                "adapter", FindingFields.emptyToNull(finding.subject().adapter()));
        FindingFields.write(json, finding.state(), finding.seen(), finding.meaning(), finding.remedy());
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, PairVerdict verdict) throws IOException {
        json.writeStartObject();
        json.writeStringField("gpu", verdict.gpu());
        json.writeStringField("adapter", verdict.adapter());
        json.writeStringField(
                "distance", verdict.distance().map(PciDistance::label).orElse(null));
        json.writeBooleanField("nearest", verdict.nearest());
        json.writeStringField("path", verdict.path().map(CheckJson::key).orElse(null));
        json.writeStringField("obstacle", verdict.obstacle().orElse(null));
        json.writeArrayFieldStart("refused");
        if (verdict.decision().isPresent()) {
            for (PathRefusal refusal : verdict.decision().get().refusals()) {
                json.writeStartObject();
                json.writeStringField("path", key(refusal.path()));
                json.writeStringField("reason", refusal.reason().name());
                json.writeStringField("explanation", refusal.explanation());
                json.writeStringField("remedy", FindingFields.emptyToNull(refusal.remedy()));
                json.writeEndObject();
            }
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** As --gpu-path of the tools takes it. */
    private static String key(GpuPath path) {
        return switch (path) {
            case DATA_DIRECT -> "datadirect";
            case DMA_BUF -> "dmabuf";
            case PEER_MEMORY -> "peermem";
            case STAGED -> "staged";
        };
    }
}
