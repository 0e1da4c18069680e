// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import io.github.rdma4j.perftest.compare.result.HostGpu;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import java.util.ArrayList;
import java.util.List;

/** The machine of the servers, as the fields of a message. */
final class MachineFields {
    private static final int MOST_FLAGS = 64;
    private static final int MOST = 1 << 20;

    private MachineFields() {}

    static Fields of(ServerMachine machine) {
        Environment environment = machine.environment();
        Fields fields = new Fields()
                .with("host", machine.host())
                .with("c-folder", machine.cFolder())
                .with("sockperf", machine.sockperf())
                .with("iperf", machine.iperf())
                .with("rdma4j", environment.rdma4j())
                .with("device", environment.device())
                .with("device-port", environment.devicePort())
                .with("software", environment.softwareDevice())
                .with("mtu", environment.activeMtu())
                .with("gid-index", environment.gidIndex())
                .with("kernel", environment.kernel())
                .with("architecture", environment.architecture())
                .with("processors", environment.processors())
                .with("clock", environment.clock())
                .with("jvm", environment.jvm())
                .with("c-version", environment.cVersion());
        withText(fields, "firmware", environment.firmware());
        withText(fields, "driver", environment.driver());
        withText(fields, "link-layer", environment.linkLayer());
        withText(fields, "cpu-model", environment.cpuModel());
        withText(fields, "pinned-cores", environment.pinnedCores());
        if (environment.numaNode() != null) {
            fields.with("numa-node", environment.numaNode());
        }
        if (machine.gpu() != null) {
            withText(fields, "gpu", machine.gpu().name());
            withText(fields, "gpu-path", machine.gpu().path());
            fields.with("gpu-reason", machine.gpu().reason());
        }
        List<String> flags = environment.jvmFlags();
        for (int i = 0; i < Math.min(flags.size(), MOST_FLAGS); i++) {
            fields.with("jvm-flag." + i, flags.get(i));
        }
        return fields;
    }

    /** Leaves out unknown values. */
    private static void withText(Fields fields, String name, String value) {
        if (value != null) {
            fields.with(name, value);
        }
    }

    /**
     * Reads the fields that {@link #of} writes.
     *
     * @param address the address by which the machine was reached
     * @throws BadMessageException if a field is missing or invalid
     */
    static ServerMachine read(String address, Fields fields) {
        List<String> flags = new ArrayList<>();
        for (int i = 0; i < MOST_FLAGS && fields.has("jvm-flag." + i); i++) {
            flags.add(fields.text("jvm-flag." + i));
        }
        Environment environment = new Environment(
                fields.text("rdma4j"),
                fields.text("device"),
                fields.integer("device-port", 1, 255),
                fields.yes("software"),
                fields.text("firmware", null),
                fields.text("driver", null),
                fields.text("link-layer", null),
                fields.integer("mtu", 0, MOST),
                fields.integer("gid-index", -1, 255),
                fields.text("kernel"),
                fields.text("architecture"),
                fields.text("cpu-model", null),
                fields.integer("processors", 1, MOST),
                fields.has("numa-node") ? fields.integer("numa-node", -1, MOST) : null,
                fields.text("pinned-cores", null),
                null,
                fields.text("clock"),
                fields.text("jvm"),
                flags,
                fields.text("c-version"));
        return new ServerMachine(
                address,
                fields.text("host"),
                environment,
                fields.text("c-folder"),
                fields.yes("sockperf"),
                fields.yes("iperf"),
                fields.has("gpu-reason")
                        ? new HostGpu(
                                fields.text("gpu", null), fields.text("gpu-path", null), fields.text("gpu-reason"))
                        : null);
    }
}
