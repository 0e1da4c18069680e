// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.ContextCalls;
import io.github.rdma4j.cuda.internal.Results;

/** Explains a refused call that used device memory, if its result is not enough. */
final class Diagnosis {
    private Diagnosis() {}

    static CudaException of(int result, String call, DeviceMemory... memories) {
        return Results.failure(result, call, result == CudaHeaders.CUDA_ERROR_INVALID_VALUE() ? lost(memories) : "");
    }

    /**
     * Another library may have freed its memory without notice. The driver may also refuse the query.
     */
    private static String lost(DeviceMemory... memories) {
        StringBuilder lost = new StringBuilder();
        for (DeviceMemory memory : memories) {
            if (ContextCalls.setCurrent(memory.context().handle()) == Results.SUCCESS && isUnknown(memory.pointer)) {
                lost.append(lost.isEmpty() ? "" : "; ")
                        .append(memory)
                        .append(" is no longer known to CUDA: the library that allocated it has freed it");
            }
        }
        return lost.toString();
    }

    private static boolean isUnknown(long address) {
        try {
            return PointerAttributes.of(address).type() == PointerAttributes.Type.UNKNOWN;
        } catch (CudaException e) {
            return false;
        }
    }
}
