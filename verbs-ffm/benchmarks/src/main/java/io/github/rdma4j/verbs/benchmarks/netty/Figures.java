// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks.netty;

import java.util.Arrays;

/**
 * What one measurement has found.
 *
 * @param answered messages whose echo arrived in time
 * @param seconds that it took
 * @param nanos of each of them, from the time when it was due, sorted
 * @param serverCpuNanos that the server's event loop has used
 * @param serverUserNanos of these, outside the kernel
 * @param serverBytes that the server's event loop has allocated on the heap
 */
record Figures(
        long answered, double seconds, long[] nanos, long serverCpuNanos, long serverUserNanos, long serverBytes) {
    Figures {
        Arrays.sort(nanos);
    }

    double rate() {
        return answered / seconds;
    }

    double percentileMicros(double share) {
        return nanos.length == 0
                ? Double.NaN
                : nanos[(int) Math.min(nanos.length - 1L, (long) (share * nanos.length))] / 1e3;
    }

    double cpuMicros() {
        return serverCpuNanos / 1e3 / answered;
    }

    double userMicros() {
        return serverUserNanos / 1e3 / answered;
    }

    double bytes() {
        return (double) serverBytes / answered;
    }
}
