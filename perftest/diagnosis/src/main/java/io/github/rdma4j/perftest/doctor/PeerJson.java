// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.perftest.doctor.pair.PeerMachine;
import io.github.rdma4j.perftest.doctor.pair.PeerPort;
import io.github.rdma4j.perftest.doctor.pair.PeerReport;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Writes what both machines read of themselves, as the field {@code peer} of a document. */
final class PeerJson {
    private PeerJson() {}

    static void write(JsonGenerator json, PeerReport report) throws IOException {
        json.writeObjectFieldStart("peer");
        json.writeStringField("role", report.role().name().toLowerCase(Locale.ROOT));
        json.writeStringField("address", DoctorJson.emptyToNull(report.address()));
        json.writeFieldName("here");
        write(json, Optional.of(report.here()));
        json.writeFieldName("there");
        write(json, report.there());
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, Optional<PeerMachine> received) throws IOException {
        if (received.isEmpty()) {
            json.writeNull();
            return;
        }
        PeerMachine machine = received.get();
        json.writeStartObject();
        json.writeStringField("rdma4j", machine.rdma4j());
        json.writeStringField("host", machine.host());
        json.writeStringField("kernel", machine.kernel());
        json.writeArrayFieldStart("ports");
        for (PeerPort port : machine.ports()) {
            write(json, port);
        }
        json.writeEndArray();
        write(json, "failures", machine.failures());
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, PeerPort port) throws IOException {
        json.writeStartObject();
        json.writeStringField("device", port.device());
        json.writeNumberField("port", port.number());
        json.writeStringField("transport", port.transport().toString());
        json.writeStringField("state", DoctorJson.emptyToNull(port.state()));
        json.writeBooleanField("usable", port.usable());
        write(json, "mtu", port.mtu(), 1);
        write(json, "gid_index", port.gidIndex(), 0);
        json.writeStringField("gid", DoctorJson.emptyToNull(port.gid()));
        json.writeStringField("gid_type", DoctorJson.emptyToNull(port.gidType()));
        json.writeStringField("gid_reason", DoctorJson.emptyToNull(port.gidReason()));
        json.writeStringField("interface", DoctorJson.emptyToNull(port.networkInterface()));
        write(json, "interface_mtu", port.interfaceMtu(), 1);
        write(json, "vlan", port.vlan(), 0);
        write(json, "partition_keys", port.partitionKeys());
        write(json, "traffic_class", port.trafficClass(), 0);
        json.writeEndObject();
    }

    /** Writes a number, or null if it is unknown. */
    private static void write(JsonGenerator json, String name, int value, int least) throws IOException {
        if (value < least) {
            json.writeNullField(name);
        } else {
            json.writeNumberField(name, value);
        }
    }

    private static void write(JsonGenerator json, String name, List<String> texts) throws IOException {
        json.writeArrayFieldStart(name);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }
}
