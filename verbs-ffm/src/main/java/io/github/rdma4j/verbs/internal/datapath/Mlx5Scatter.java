// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static io.github.rdma4j.verbs.internal.NativeMemory.getInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.getLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.structure;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.internal.NativeMemory;

/**
 * Copies received data from a completion to the buffer of its request. An mlx5 adapter puts a few received bytes into
 * the completion, unless the queue pair was created with {@code scatterToCompletion(false)}.
 */
final class Mlx5Scatter {
    private Mlx5Scatter() {}

    /**
     * Copies the data.
     *
     * @param entry the first data segment of the request
     * @param start the start of the ring
     * @param end the end of the ring, after which it continues at its start
     * @param entries the maximum number of segments
     * @param data the address of the data
     * @param length the length of the data
     * @return the status of the completion, {@code IBV_WC_…}
     */
    static int copy(long entry, long start, long end, int entries, long data, int length) {
        long from = structure(data);
        long left = Integer.toUnsignedLong(length);
        long place = entry;
        for (int i = 0; i < entries && left > 0; i++) {
            long segment = structure(place == end ? start : place);
            long room = Integer.toUnsignedLong(Integer.reverseBytes(getInt(segment + Mlx5Layout.DATA_LENGTH)));
            long bytes = Math.min(room, left);
            long target = Long.reverseBytes(getLong(segment + Mlx5Layout.DATA_ADDRESS));
            NativeMemory.copy(from, structure(target), bytes);
            from += bytes;
            left -= bytes;
            place = segment + Mlx5Layout.DATA_BYTES;
        }
        return left == 0 ? RdmaHeaders.IBV_WC_SUCCESS() : RdmaHeaders.IBV_WC_LOC_LEN_ERR();
    }
}
