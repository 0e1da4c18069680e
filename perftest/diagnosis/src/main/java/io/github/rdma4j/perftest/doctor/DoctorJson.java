// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.perftest.doctor.check.Diagnosis;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.Outcome;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.doctor.machine.RdmaPort;
import io.github.rdma4j.perftest.doctor.pair.PeerReport;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.findings.FindingDocument;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Optional;

/** Writes a diagnosis as one JSON document; docs/doctor.schema.json has its fields. */
final class DoctorJson {
    /** A reader of version n understands every document of version n. */
    static final int SCHEMA_VERSION = 1;

    static final String SCHEMA = "https://rdma4j.github.io/schema/doctor-1.json";

    private DoctorJson() {}

    /**
     * Writes the document.
     *
     * @param status the exit status of the command
     * @param out receives UTF-8; it is flushed, not closed
     */
    static void write(Diagnosis diagnosis, int status, OutputStream out) throws IOException {
        write(diagnosis, Optional.empty(), status, out);
    }

    /**
     * Writes the document of two machines.
     *
     * @param diagnosis of this one
     */
    static void write(Diagnosis diagnosis, PeerReport report, int status, OutputStream out) throws IOException {
        write(diagnosis, Optional.of(report), status, out);
    }

    private static void write(Diagnosis diagnosis, Optional<PeerReport> report, int status, OutputStream out)
            throws IOException {
        Outcome outcome = report.map(PeerReport::outcome).orElseGet(diagnosis::outcome);
        FindingDocument.write(out, SCHEMA, SCHEMA_VERSION, BuildInfo.version(), json -> {
            json.writeStringField("outcome", outcome.name().toLowerCase(Locale.ROOT));
            json.writeNumberField("exit_status", status);
            json.writeArrayFieldStart("ports");
            for (RdmaDevice device : diagnosis.devices()) {
                for (RdmaPort port : device.ports()) {
                    write(json, diagnosis, device, port);
                }
            }
            json.writeEndArray();
            json.writeArrayFieldStart("findings");
            for (Finding finding : report.map(PeerReport::findings).orElseGet(diagnosis::findings)) {
                write(json, finding);
            }
            json.writeEndArray();
            if (report.isPresent()) {
                PeerJson.write(json, report.get());
            } else if (diagnosis.gpus().isPresent()) {
                GpuJson.write(json, diagnosis.gpus().get());
            }
        });
    }

    private static void write(JsonGenerator json, Diagnosis diagnosis, RdmaDevice device, RdmaPort port)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("device", device.name());
        json.writeNumberField("port", port.number());
        json.writeStringField("interface", port.networkInterface().orElse(null));
        json.writeBooleanField("usable", diagnosis.canUse(device, port));
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, Finding finding) throws IOException {
        json.writeStartObject();
        json.writeStringField("id", finding.check().key());
        json.writeStringField("section", finding.check().section().name().toLowerCase(Locale.ROOT));
        json.writeStringField("subject", emptyToNull(finding.subject()));
        json.writeStringField("source", finding.source());
        json.writeStringField("state", finding.state().name());
        json.writeStringField("seen", finding.seen());
        json.writeStringField("meaning", emptyToNull(finding.meaning()));
        json.writeStringField("remedy", emptyToNull(finding.remedy()));
        json.writeEndObject();
    }

    /** A text, or null for none. */
    static String emptyToNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
