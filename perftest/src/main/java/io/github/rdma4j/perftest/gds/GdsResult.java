// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gds;

import io.github.rdma4j.perftest.figures.Spread;
import java.util.List;

/**
 * What came out.
 *
 * @param way how
 * @param write whether the file was written
 * @param size bytes of a transfer
 * @param threads at the same time
 * @param speeds of each pass over the whole file, in MiB per second
 * @param bytes that were compared afterwards, and right
 */
record GdsResult(GdsWay way, boolean write, int size, int threads, List<Double> speeds, long bytes) {
    /** Copies the list. */
    GdsResult {
        speeds = List.copyOf(speeds);
    }

    /** Of the passes. */
    Spread spread() {
        return Spread.of(speeds.stream().mapToDouble(Double::doubleValue).toArray());
    }
}
