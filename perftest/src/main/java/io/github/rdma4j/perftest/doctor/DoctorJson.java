// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.gpudirect.check.CheckReport;
import io.github.rdma4j.perftest.doctor.check.Diagnosis;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.Outcome;
import io.github.rdma4j.perftest.doctor.gpu.GpuJson;
import io.github.rdma4j.perftest.doctor.gpu.GpuPage;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.doctor.machine.RdmaPort;
import io.github.rdma4j.perftest.doctor.pair.PeerReport;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.findings.FindingDocument;
import io.github.rdma4j.perftest.findings.FindingFields;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
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
        write(
                Optional.of(diagnosis),
                diagnosis.outcome(),
                diagnosis.findings(),
                diagnosis.gpuDirect(),
                Optional.empty(),
                status,
                out);
    }

    /**
     * Writes the document of two machines.
     *
     * @param diagnosis of this one
     */
    static void write(Diagnosis diagnosis, PeerReport report, int status, OutputStream out) throws IOException {
        write(
                Optional.of(diagnosis),
                report.outcome(),
                report.findings(),
                Optional.empty(),
                Optional.of(report),
                status,
                out);
    }

    /** Writes the document of {@code --gpu}, which has the findings of GPUDirect only. */
    static void write(CheckReport gpuDirect, Outcome outcome, int status, OutputStream out) throws IOException {
        write(Optional.empty(), outcome, List.of(), Optional.of(gpuDirect), Optional.empty(), status, out);
    }

    private static void write(
            Optional<Diagnosis> diagnosis,
            Outcome outcome,
            List<Finding> findings,
            Optional<CheckReport> gpuDirect,
            Optional<PeerReport> report,
            int status,
            OutputStream out)
            throws IOException {
        FindingDocument.write(out, SCHEMA, SCHEMA_VERSION, BuildInfo.version(), json -> {
            json.writeStringField("outcome", outcome.name().toLowerCase(Locale.ROOT));
            json.writeNumberField("exit_status", status);
            json.writeArrayFieldStart("ports");
            if (diagnosis.isPresent()) {
                for (RdmaDevice device : diagnosis.get().devices()) {
                    for (RdmaPort port : device.ports()) {
                        write(json, diagnosis.get(), device, port);
                    }
                }
            }
            json.writeEndArray();
            json.writeArrayFieldStart("findings");
            for (Finding finding : findings) {
                write(json, finding);
            }
            if (gpuDirect.isPresent()) {
                GpuJson.writeFindings(json, GpuPage.findings(gpuDirect.get(), diagnosis.isPresent()));
            }
            json.writeEndArray();
            if (gpuDirect.isPresent()) {
                GpuJson.write(json, gpuDirect.get());
            }
            if (report.isPresent()) {
                PeerJson.write(json, report.get());
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
        json.writeStringField("subject", FindingFields.emptyToNull(finding.subject()));
        json.writeStringField("source", finding.source());
        FindingFields.write(json, finding.state(), finding.seen(), finding.meaning(), finding.remedy());
        json.writeEndObject();
    }
}
