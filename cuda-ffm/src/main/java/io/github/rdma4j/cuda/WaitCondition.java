// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;

/**
 * The condition on which a stream that waits for a value in memory continues ({@code CUstreamWaitValue_flags}).
 *
 * @since 0.1.0
 */
public enum WaitCondition {
    /**
     * Memory − value is not negative, as a signed number, so that counters may wrap ({@code CU_STREAM_WAIT_VALUE_GEQ}).
     */
    AT_LEAST(CudaHeaders.CU_STREAM_WAIT_VALUE_GEQ()),
    /** Memory equals the value ({@code CU_STREAM_WAIT_VALUE_EQ}). */
    EQUAL(CudaHeaders.CU_STREAM_WAIT_VALUE_EQ()),
    /** Memory and value have a bit in common. */
    AND(CudaHeaders.CU_STREAM_WAIT_VALUE_AND()),
    /** ~(memory | value) is not 0. Needs {@link DeviceAttribute#CAN_USE_STREAM_WAIT_VALUE_NOR}. */
    NOR(CudaHeaders.CU_STREAM_WAIT_VALUE_NOR());

    private final int code;

    WaitCondition(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
