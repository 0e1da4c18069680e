// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * How far a flush moves the data that was written before it ({@code enum ibv_placement_type}).
 *
 * @since 0.1.0
 */
public enum FlushPlacement {
    /** All readers of the memory see the data; the region needs {@link AccessFlag#FLUSH_GLOBAL}. */
    GLOBAL(1),
    /** The data survives a power failure; the region needs {@link AccessFlag#FLUSH_PERSISTENT}. */
    PERSISTENT(1 << 1),
    /** Both. */
    GLOBAL_AND_PERSISTENT(1 | 1 << 1);

    private final int code;

    FlushPlacement(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
