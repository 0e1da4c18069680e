// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import java.util.ArrayList;
import java.util.List;

/**
 * The properties of a machine, as its own end reads them.
 *
 * @param rdma4j its version of rdma4j
 * @param host its name
 * @param kernel its release
 * @param ports its RDMA ports, or the ports of the device that the user names; at most {@value #MOST_PORTS}
 * @param failures what its own doctor reports as broken, one line each; at most {@value #MOST_FAILURES}
 */
public record PeerMachine(String rdma4j, String host, String kernel, List<PeerPort> ports, List<String> failures) {
    /** Only the first ports are kept. */
    public static final int MOST_PORTS = 16;

    /** Only the first failures are kept. */
    public static final int MOST_FAILURES = 8;

    /** The length in characters to which a failure is cut. */
    private static final int MOST_FAILURE = 300;

    /** Drops what exceeds the limits. */
    public PeerMachine {
        ports = List.copyOf(ports.subList(0, Math.min(ports.size(), MOST_PORTS)));
        failures = failures.stream()
                .limit(MOST_FAILURES)
                .map(line -> line.length() > MOST_FAILURE ? line.substring(0, MOST_FAILURE) : line)
                .toList();
    }

    /** Returns the fields of a message. */
    public Fields fields() {
        Fields fields = new Fields()
                .with("rdma4j", rdma4j)
                .with("host", host)
                .with("kernel", kernel)
                .with("ports", ports.size())
                .with("failures", failures.size());
        for (int i = 0; i < ports.size(); i++) {
            fields.withAll("port." + i + ".", ports.get(i).fields());
        }
        for (int i = 0; i < failures.size(); i++) {
            fields.with("failure." + i, failures.get(i));
        }
        return fields;
    }

    /**
     * Reads a machine from a message.
     *
     * @throws BadMessageException if a field is missing or invalid
     */
    public static PeerMachine of(Fields fields) {
        List<PeerPort> ports = new ArrayList<>();
        int count = fields.integer("ports", 0, MOST_PORTS);
        for (int i = 0; i < count; i++) {
            ports.add(PeerPort.of(fields.below("port." + i + ".")));
        }
        List<String> failures = new ArrayList<>();
        int troubles = fields.integer("failures", 0, MOST_FAILURES);
        for (int i = 0; i < troubles; i++) {
            failures.add(fields.text("failure." + i));
        }
        return new PeerMachine(fields.text("rdma4j"), fields.text("host"), fields.text("kernel"), ports, failures);
    }
}
