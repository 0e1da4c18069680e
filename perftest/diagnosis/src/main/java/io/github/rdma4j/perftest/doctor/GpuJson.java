// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.gpudirect.PathRefusal;
import io.github.rdma4j.gpudirect.topology.PciDistance;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.perftest.doctor.machine.CheckedGpu;
import io.github.rdma4j.perftest.doctor.machine.GpuFacts;
import io.github.rdma4j.perftest.doctor.machine.GpuReport;
import io.github.rdma4j.perftest.doctor.machine.PairVerdict;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/** Writes GPUs, adapters and the path of each pair into the document of {@link DoctorJson}. */
final class GpuJson {
    private GpuJson() {}

    /** Writes the field {@code gpudirect}. */
    static void write(JsonGenerator json, GpuReport report) throws IOException {
        json.writeObjectFieldStart("gpudirect");
        json.writeArrayFieldStart("gpus");
        for (CheckedGpu gpu : report.gpus()) {
            write(json, gpu);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("adapters");
        for (RdmaDevice adapter : report.adapters()) {
            write(json, adapter);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("pairs");
        for (PairVerdict verdict : report.verdicts()) {
            write(json, verdict);
        }
        json.writeEndArray();
        json.writeEndObject();
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
        json.writeStringField("unknown", DoctorJson.emptyToNull(window.unknown()));
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, String field, OptionalLong value) throws IOException {
        if (value.isPresent()) {
            json.writeNumberField(field, value.getAsLong());
        } else {
            json.writeNullField(field);
        }
    }

    private static void write(JsonGenerator json, RdmaDevice adapter) throws IOException {
        json.writeStartObject();
        json.writeStringField("adapter", adapter.name());
        json.writeStringField(
                "pci_address",
                adapter.function()
                        .map(function -> function.address().toString())
                        .orElse(null));
        json.writeBooleanField("software_device", adapter.isSoftware());
        place(json, adapter.function());
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

    private static void write(JsonGenerator json, PairVerdict verdict) throws IOException {
        json.writeStartObject();
        json.writeStringField("gpu", verdict.gpu());
        json.writeStringField("adapter", verdict.adapter());
        json.writeStringField(
                "distance", verdict.distance().map(PciDistance::label).orElse(null));
        json.writeBooleanField("nearest", verdict.nearest());
        json.writeStringField("path", verdict.path().map(GpuJson::key).orElse(null));
        json.writeStringField("obstacle", verdict.obstacle().orElse(null));
        json.writeArrayFieldStart("refused");
        if (verdict.decision().isPresent()) {
            for (PathRefusal refusal : verdict.decision().get().refusals()) {
                json.writeStartObject();
                json.writeStringField("path", key(refusal.path()));
                json.writeStringField("reason", refusal.reason().name());
                json.writeStringField("explanation", refusal.explanation());
                json.writeStringField("remedy", DoctorJson.emptyToNull(refusal.remedy()));
                json.writeEndObject();
            }
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Returns the value for --gpu-path of the tools. */
    private static String key(GpuPath path) {
        return switch (path) {
            case DATA_DIRECT -> "datadirect";
            case DMA_BUF -> "dmabuf";
            case PEER_MEMORY -> "peermem";
            case STAGED -> "staged";
        };
    }
}
