// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gds;

import io.github.rdma4j.perftest.figures.Spread;
import java.util.List;

/**
 * The result of one path.
 *
 * @param method the path
 * @param write whether the file was written
 * @param size bytes of a transfer
 * @param threads the number of concurrent threads
 * @param speeds of each pass over the whole file, in MiB per second
 * @param bytes the number of bytes that were compared afterwards and were right
 */
record GdsResult(GdsMethod method, boolean write, int size, int threads, List<Double> speeds, long bytes) {
    /** Copies the list. */
    GdsResult {
        speeds = List.copyOf(speeds);
    }

    /** Returns the spread of the passes. */
    Spread spread() {
        return Spread.of(speeds.stream().mapToDouble(Double::doubleValue).toArray());
    }
}
