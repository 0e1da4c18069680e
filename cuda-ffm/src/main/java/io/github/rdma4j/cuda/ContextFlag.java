// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.ContextCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A flag of a context ({@code CUctx_flags}).
 *
 * @since 0.1.0
 */
public enum ContextFlag {
    /** Threads that wait in the driver spin: quickest, and a core is busy. */
    SCHED_SPIN(CudaHeaders.CU_CTX_SCHED_SPIN()),
    /** Threads that wait in the driver yield in between. */
    SCHED_YIELD(CudaHeaders.CU_CTX_SCHED_YIELD()),
    /** Threads that wait in the driver sleep. */
    SCHED_BLOCKING_SYNC(CudaHeaders.CU_CTX_SCHED_BLOCKING_SYNC()),
    /** Synchronous memory operations have ended when they return, also for other PCI devices; from CUDA 12.1. */
    SYNC_MEMOPS(CudaHeaders.CU_CTX_SYNC_MEMOPS());

    private final int code;

    ContextFlag(int code) {
        this.code = code;
    }

    static int mask(ContextFlag... flags) {
        int mask = 0;
        for (ContextFlag flag : flags) {
            mask |= flag.code;
        }
        return mask;
    }

    /** All that are set. */
    static int ofCurrentContext() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment flags = arena.allocate(ValueLayout.JAVA_INT);
            Results.check(ContextCalls.getFlags(flags), "cuCtxGetFlags()");
            return flags.get(ValueLayout.JAVA_INT, 0);
        }
    }

    boolean in(int mask) {
        return (mask & code) == code;
    }
}
