// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

/**
 * What came out of one size.
 *
 * @param type of the elements, as nccl-tests call it
 * @param operation as nccl-tests call it
 * @param inPlace whether sent and received in one place
 * @param bytes that each rank sends
 * @param elements that each rank sends
 * @param iterations whose mean time this is
 * @param microseconds of one operation
 * @param compared elements of all ranks, 0 if none were
 * @param wrong elements of all ranks
 */
record Timing(
        String type,
        String operation,
        boolean inPlace,
        long bytes,
        long elements,
        long iterations,
        double microseconds,
        long compared,
        long wrong) {
    private static final double BYTES_PER_MICROSECOND = 1000;

    /** Bytes of the result per time, in GB/s (10⁹). */
    double algorithmBandwidth() {
        return bytes / microseconds / BYTES_PER_MICROSECOND;
    }

    /** What each link of a ring carries meanwhile, in GB/s: 2 (n − 1) / n times as much. 0 of one rank. */
    double busBandwidth(int ranks) {
        return algorithmBandwidth() * 2 * (ranks - 1) / ranks;
    }
}
