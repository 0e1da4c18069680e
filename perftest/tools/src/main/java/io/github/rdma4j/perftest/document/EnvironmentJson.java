// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.result.RunState;
import java.io.IOException;
import java.time.Instant;

/** Writes the first fields of a results document: its schema, its time and the environment. */
public final class EnvironmentJson {
    /** Names the schema and its version; changes with the version only. */
    public static final String SCHEMA = "https://rdma4j.github.io/schema/results-1.json";

    /** A reader of version n understands every document of version n. */
    public static final int SCHEMA_VERSION = 1;

    private EnvironmentJson() {}

    /**
     * Writes the fields about how the run ended.
     *
     * @param failure the failure that ended it, in words; null when it is complete
     */
    public static void writeState(JsonGenerator json, RunState state, String failure) throws IOException {
        json.writeStringField("state", state.key());
        if (failure != null) {
            json.writeStringField("failure", failure);
        }
    }

    /**
     * Writes the first fields of an object that has been started.
     *
     * @param started when the test began
     * @param seconds how long it took, all in all
     */
    public static void write(JsonGenerator json, Instant started, double seconds, Environment environment)
            throws IOException {
        json.writeStringField("schema", SCHEMA);
        json.writeNumberField("schema_version", SCHEMA_VERSION);
        json.writeStringField("started", started.toString());
        ResultJson.number(json, "seconds", seconds);
        write(json, environment);
    }

    /** Writes the field {@code environment}. */
    public static void write(JsonGenerator json, Environment environment) throws IOException {
        json.writeObjectFieldStart("environment");
        json.writeStringField("rdma4j", environment.rdma4j());
        json.writeStringField("device", environment.device());
        boolean device = environment.device() != null;
        integer(json, "device_port", device ? environment.devicePort() : null);
        if (device) {
            json.writeBooleanField("software_device", environment.softwareDevice());
        } else {
            json.writeNullField("software_device");
        }
        json.writeStringField("firmware", environment.firmware());
        json.writeStringField("driver", environment.driver());
        json.writeStringField("link_layer", environment.linkLayer());
        integer(json, "active_mtu", device ? environment.activeMtu() : null);
        integer(json, "gid_index", environment.gidIndex() < 0 ? null : environment.gidIndex());
        json.writeStringField("kernel", environment.kernel());
        json.writeStringField("architecture", environment.architecture());
        json.writeStringField("cpu_model", environment.cpuModel());
        json.writeNumberField("processors", environment.processors());
        integer(json, "numa_node", environment.numaNode());
        json.writeStringField("pinned_cores", environment.pinnedCores());
        integer(json, "memory_node", environment.memoryNode());
        json.writeStringField("clock", environment.clock());
        json.writeStringField("jvm", environment.jvm());
        json.writeArrayFieldStart("jvm_flags");
        for (String flag : environment.jvmFlags()) {
            json.writeString(flag);
        }
        json.writeEndArray();
        json.writeStringField("c_version", environment.cVersion());
        json.writeEndObject();
    }

    private static void integer(JsonGenerator json, String key, Integer value) throws IOException {
        if (value == null) {
            json.writeNullField(key);
        } else {
            json.writeNumberField(key, value);
        }
    }
}
