// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

/**
 * The result for one size.
 *
 * @param type the type of the elements, in the spelling of nccl-tests
 * @param operation the operation, in the spelling of nccl-tests
 * @param inPlace whether the send and receive buffers are the same
 * @param bytes the number of bytes that each rank sends
 * @param elements the number of elements that each rank sends
 * @param iterations the number of operations in the mean
 * @param microseconds the mean time of one operation
 * @param compared the elements of all ranks that were compared, 0 if none were
 * @param wrong the wrong elements of all ranks
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

    /** Returns the bytes of the result divided by the time, in GB/s (10⁹). */
    double algorithmBandwidth() {
        return bytes / microseconds / BYTES_PER_MICROSECOND;
    }

    /**
     * Returns the rate of each link of a ring, in GB/s: 2 (n − 1) / n times the algorithm bandwidth. With one rank it
     * is 0.
     */
    double busBandwidth(int ranks) {
        return algorithmBandwidth() * 2 * (ranks - 1) / ranks;
    }
}
