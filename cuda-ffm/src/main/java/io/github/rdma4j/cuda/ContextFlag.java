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
    /** Threads that wait in the driver spin. The fastest mode, but each keeps a CPU busy. */
    SCHED_SPIN(CudaHeaders.CU_CTX_SCHED_SPIN()),
    /** Threads that wait in the driver yield. */
    SCHED_YIELD(CudaHeaders.CU_CTX_SCHED_YIELD()),
    /** Threads that wait in the driver sleep. */
    SCHED_BLOCKING_SYNC(CudaHeaders.CU_CTX_SCHED_BLOCKING_SYNC()),
    /** Synchronous memory operations are complete when they return, also for other PCI devices. From CUDA 12.1 on. */
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

    /** Returns the flags of the current context. */
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
