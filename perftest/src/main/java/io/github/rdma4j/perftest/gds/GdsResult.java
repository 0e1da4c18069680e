// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gds;

/**
 * What came out.
 *
 * @param way how
 * @param write whether the file was written
 * @param size bytes of a transfer
 * @param threads at the same time
 * @param passes how often the whole file was
 * @param median MiB per second, of the passes
 * @param least of the passes
 * @param most of the passes
 * @param bytes that were compared afterwards, and right
 */
record GdsResult(
        GdsWay way,
        boolean write,
        int size,
        int threads,
        int passes,
        double median,
        double least,
        double most,
        long bytes) {}
