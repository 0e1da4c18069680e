// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import java.time.Duration;

/** The field names and timeouts that both ends share. */
final class PeerFields {
    static final String VERSION = "rdma4j";
    static final String TOOLS = "tools";
    static final String TCP = "tcp";
    static final String ORDER = "order";
    static final String PROGRAM = "program";
    static final String RUN = "run";
    static final String PORT = "port";
    static final String BUSY = "busy";
    static final String CPU = "cpu";
    static final String COMPLAINT = "complaint";
    static final String FAILURE = "failure";
    static final String REMEDY = "remedy";
    static final String REASON = "reason";
    static final String HOST = "host";
    static final String JOB = "job";
    static final String RANK = "rank";
    static final String PATIENCE = "patience";
    static final String FIGURE = "figure.";
    static final String COUNTER = "counter.";

    /** The most counters of a port. */
    static final int MOST_COUNTERS = 400;

    /** A peer sends its first message at once; another program may never send one. */
    static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(5);

    /** The additional time for a run, and the time between two runs, in which a client's machine may be busy. */
    static final Duration GRACE = Duration.ofSeconds(120);

    private PeerFields() {}
}
