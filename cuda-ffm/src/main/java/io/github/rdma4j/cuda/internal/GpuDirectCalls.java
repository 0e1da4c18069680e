// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.bindings.PFN_cuFlushGPUDirectRDMAWrites_v11030;
import java.lang.invoke.MethodHandle;

/** The functions for GPUDirect RDMA. All return a CUresult. */
public final class GpuDirectCalls {
    private static final MethodHandle FLUSH_WRITES =
            Driver.function("cuFlushGPUDirectRDMAWrites", 11030, PFN_cuFlushGPUDirectRDMAWrites_v11030.descriptor());

    private GpuDirectCalls() {}

    /** cuFlushGPUDirectRDMAWrites: Makes earlier writes by other devices visible. */
    public static int flushWrites(int target, int scope) {
        try {
            return (int) FLUSH_WRITES.invokeExact(target, scope);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
