// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

/** The programs that can be the server of a run. */
public enum ServerProgram {
    /** Java's tool. */
    JAVA,

    /** C's tool. */
    C,

    /** Java's test over plain TCP. */
    TCP_JAVA,

    /** The C program for latency over plain TCP. */
    SOCKPERF,

    /** The C program for bandwidth over plain TCP. */
    IPERF
}
