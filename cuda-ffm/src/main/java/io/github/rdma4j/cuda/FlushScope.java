// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;

/**
 * The scope in which flushed writes of other devices become visible ({@code CUflushGPUDirectRDMAWritesScope}).
 *
 * @since 0.1.0
 */
public enum FlushScope {
    /** Visible to the context that owns the memory. */
    OWNER(CudaHeaders.CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER()),
    /** Visible to all contexts of all devices. */
    ALL_DEVICES(CudaHeaders.CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES());

    private final int code;

    FlushScope(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
