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

/** The two ways to a {@link CudaContext}. */
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

    /** The driver has no result of its own for a GPU on which nobody may compute. */
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
     * Takes the new context off the stack of this thread, where the driver has put it. A later cuCtxDestroy does so
     * only where the context is current; of a context that another thread closes, an entry would stay for good.
     */
    private static void leaveStack() {
        Results.check(ContextCalls.setCurrent(0), "cuCtxSetCurrent(NULL) after cuCtxCreate()");
    }
}
