// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;

/**
 * Which calls are forbidden while a stream is captured ({@code CUstreamCaptureMode}). A driver forbids calls that it
 * cannot capture or that may wait: allocating and freeing, synchronous copies and fills, querying streams and events,
 * and closing memory. Such a call fails with {@code CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED} and invalidates the capture.
 *
 * @since 0.1.0
 */
public enum CaptureMode {
    /** Forbidden for all threads of the process. Threads that advance transfers would also fail. */
    GLOBAL(CudaHeaders.CU_STREAM_CAPTURE_MODE_GLOBAL()),
    /** Forbidden for the thread that captures. */
    THREAD_LOCAL(CudaHeaders.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL()),
    /** Not forbidden. The only mode for virtual threads. */
    RELAXED(CudaHeaders.CU_STREAM_CAPTURE_MODE_RELAXED());

    private final int code;

    CaptureMode(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
