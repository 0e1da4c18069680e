// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.Optional;

/** The tools, under the names of the C ones. */
public enum Tool {
    /** Half the round trip of a small RDMA write that the other side answers. */
    WRITE_LATENCY("ib_write_lat", "RDMA_Write Latency Test", Verb.WRITE, true, 2, 1000, 1),

    /** Bytes and messages per second of RDMA writes. */
    WRITE_BANDWIDTH("ib_write_bw", "RDMA_Write BW Test", Verb.WRITE, false, 65536, 5000, 128),

    /** The time that an RDMA read takes. */
    READ_LATENCY("ib_read_lat", "RDMA_Read Latency Test", Verb.READ, true, 2, 1000, 1),

    /** Bytes and messages per second of RDMA reads. */
    READ_BANDWIDTH("ib_read_bw", "RDMA_Read BW Test", Verb.READ, false, 65536, 1000, 128),

    /** The time that an atomic operation takes. */
    ATOMIC_LATENCY("ib_atomic_lat", "Atomic Latency Test", Verb.ATOMIC, true, 8, 1000, 1),

    /** Atomic operations per second. */
    ATOMIC_BANDWIDTH("ib_atomic_bw", "Atomic BW Test", Verb.ATOMIC, false, 8, 1000, 128),

    /** Half the round trip of a small message that the other side answers. */
    SEND_LATENCY("ib_send_lat", "Send Latency Test", Verb.SEND, true, 2, 1000, 1),

    /** Bytes and messages per second of sends. */
    SEND_BANDWIDTH("ib_send_bw", "Send BW Test", Verb.SEND, false, 65536, 1000, 128);

    private final String command;
    private final String title;
    private final Verb verb;
    private final boolean latency;
    private final long defaultSize;
    private final int defaultIterations;
    private final int defaultTransmitDepth;

    Tool(
            String command,
            String title,
            Verb verb,
            boolean latency,
            long defaultSize,
            int defaultIterations,
            int defaultTransmitDepth) {
        this.command = command;
        this.title = title;
        this.verb = verb;
        this.latency = latency;
        this.defaultSize = defaultSize;
        this.defaultIterations = defaultIterations;
        this.defaultTransmitDepth = defaultTransmitDepth;
    }

    /** The name on the command line. */
    public String command() {
        return command;
    }

    /** The heading that the C tool prints. */
    public String title() {
        return title;
    }

    /** Returns the verb that it measures. */
    public Verb verb() {
        return verb;
    }

    /** Returns whether it measures latency, not bandwidth. */
    public boolean isLatency() {
        return latency;
    }

    /** Returns the default message size in bytes. */
    public long defaultSize() {
        return defaultSize;
    }

    /** Returns the default number of messages. */
    public int defaultIterations() {
        return defaultIterations;
    }

    /** Returns the default depth of the send queue. */
    public int defaultTransmitDepth() {
        return defaultTransmitDepth;
    }

    /** The tool of that name. */
    public static Optional<Tool> ofCommand(String command) {
        for (Tool tool : values()) {
            if (tool.command.equals(command)) {
                return Optional.of(tool);
            }
        }
        return Optional.empty();
    }
}
