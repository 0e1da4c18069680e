// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;

/**
 * The scope in which a barrier of {@link MemoryOperations} orders the writes of a stream
 * ({@code CUstreamMemoryBarrier_flags}).
 *
 * @since 0.1.0
 */
public enum BarrierScope {
    /** The host, adapters and other devices ({@code CU_STREAM_MEMORY_BARRIER_TYPE_SYS}). */
    SYSTEM(CudaHeaders.CU_STREAM_MEMORY_BARRIER_TYPE_SYS()),
    /** Work of the same device ({@code CU_STREAM_MEMORY_BARRIER_TYPE_GPU}). */
    DEVICE(CudaHeaders.CU_STREAM_MEMORY_BARRIER_TYPE_GPU());

    private final int code;

    BarrierScope(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
