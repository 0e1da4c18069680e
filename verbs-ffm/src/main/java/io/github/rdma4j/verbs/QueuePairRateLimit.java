// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * The send rate limit of a queue pair ({@code struct ibv_qp_rate_limit_attr}).
 *
 * @param kilobitsPerSecond the maximum average rate, 1 to 2^32 - 1; 0 for no limit
 * @param maxBurst the maximum number of bytes in a burst at the port's full speed, 0 to 2^32 - 1; 0 for the device's
 *     default
 * @param typicalPacket the usual size of a packet in bytes, 0 to 65535, by which the device sets the gaps; 0 for the
 *     port's MTU
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public record QueuePairRateLimit(long kilobitsPerSecond, long maxBurst, int typicalPacket) {
    /** Checks the ranges. */
    public QueuePairRateLimit {
        requireBits("rate limit", kilobitsPerSecond, Integer.SIZE);
        requireBits("burst size", maxBurst, Integer.SIZE);
        requireBits("packet size", typicalPacket, Short.SIZE);
    }

    private static void requireBits(String name, long value, int bits) {
        if (value < 0 || value >>> bits != 0) {
            throw new IllegalArgumentException("%s %d is not in 0..%d".formatted(name, value, (1L << bits) - 1));
        }
    }
}
