// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

/**
 * NCCL's own reductions ({@code ncclRedOp_t}).
 *
 * @since 0.1.0
 */
public enum NcclOperation implements NcclReduction {
    /** The sum. */
    SUM(0),
    /** The product ({@code ncclProd}). */
    PRODUCT(1),
    /** The maximum. */
    MAX(2),
    /** The minimum. */
    MIN(3),
    /**
     * The mean: the sum divided by the number of ranks, of integers rounded toward zero ({@code ncclAvg}). NCCL 2.10
     * and later.
     */
    AVERAGE(4);

    private static final NcclVersion AVERAGE_SINCE = new NcclVersion(2, 10, 3);

    private final int code;

    NcclOperation(int code) {
        this.code = code;
    }

    /** {@return its number in nccl.h} */
    public int code() {
        return code;
    }

    void requireKnown(Library library) {
        if (this == AVERAGE) {
            library.require(AVERAGE_SINCE, "the reduction AVERAGE");
        }
    }
}
