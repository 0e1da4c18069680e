// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.ContextCalls;
import io.github.rdma4j.cuda.internal.DeviceCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Creates contexts: primary or separate ones. */
final class NewContexts {
    /** {@code CU_COMPUTEMODE_PROHIBITED}. */
    private static final int PROHIBITED = 2;

    private NewContexts() {}

    static CudaContext primary(CudaDevice device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment context = arena.allocate(ValueLayout.JAVA_LONG);
            check(
                    DeviceCalls.primaryContextRetain(context, device.handle()),
                    "cuDevicePrimaryCtxRetain(device=%d)".formatted(device.ordinal()),
                    device);
            return new CudaContext(device, context.get(ValueLayout.JAVA_LONG, 0), true);
        }
    }

    /** The driver has no specific result for a GPU in compute mode PROHIBITED. */
    private static void check(int result, String call, CudaDevice device) {
        if (result == CudaHeaders.CUDA_ERROR_UNKNOWN() && isProhibited(device)) {
            throw Results.failure(
                    result,
                    call,
                    device + " is in compute mode PROHIBITED",
                    "run sudo nvidia-smi -i %s -c DEFAULT".formatted(device.pciAddress()));
        }
        Results.check(result, call);
    }

    private static boolean isProhibited(CudaDevice device) {
        try {
            return device.attribute(DeviceAttribute.COMPUTE_MODE) == PROHIBITED;
        } catch (CudaException e) {
            // The failure is still reported, without its cause.
            return false;
        }
    }

    static CudaContext create(CudaDevice device, ContextFlag... flags) {
        int mask = ContextFlag.mask(flags);
        int later = mask & ContextFlag.mask(ContextFlag.SYNC_MEMOPS);
        CudaContext made;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment context = arena.allocate(ValueLayout.JAVA_LONG);
            check(
                    ContextCalls.create(context, mask & ~later, device.handle()),
                    "cuCtxCreate(flags=0x%x, device=%d)".formatted(mask & ~later, device.ordinal()),
                    device);
            made = new CudaContext(device, context.get(ValueLayout.JAVA_LONG, 0), false);
        }
        try {
            if (later != 0) {
                made.synchronizeMemoryOperations();
            }
            leaveStack();
            return made;
        } catch (RuntimeException | Error e) {
            try {
                made.close();
            } catch (RuntimeException undoing) {
                e.addSuppressed(undoing);
            }
            throw e;
        }
    }

    /**
     * Removes the new context from this thread's stack, where the driver has put it. A later cuCtxDestroy removes it
     * only from the thread where it is current; if another thread closed the context, the entry would remain.
     */
    private static void leaveStack() {
        Results.check(ContextCalls.setCurrent(0), "cuCtxSetCurrent(NULL) after cuCtxCreate()");
    }
}
