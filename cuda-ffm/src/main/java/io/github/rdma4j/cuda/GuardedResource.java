// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.ContextCalls;
import io.github.rdma4j.cuda.internal.Results;
import io.github.rdma4j.cuda.internal.UseGuard;
import java.util.function.IntSupplier;

/**
 * One whose handle goes into hot calls: the driver would follow the pointer of a destroyed one, so a close waits until no thread is
 * inside such a call.
 */
abstract class GuardedResource extends CudaResource {
    private final CudaContext context;
    private final UseGuard guard = new UseGuard();
    /** For hot calls, between {@link #enter()} and {@link #exit()}. */
    final long pointer;

    GuardedResource(CudaContext context, long pointer) {
        super(context);
        this.context = context;
        this.pointer = pointer;
    }

    @Override
    public final CudaContext context() {
        return context;
    }

    @Override
    public final long handle() {
        requireOpen();
        return pointer;
    }

    /** Must be followed by {@link #exit()}; not for calls within a call on the same object. */
    final void enter() {
        if (!guard.enter()) {
            throw closedException();
        }
    }

    final void exit() {
        guard.exit();
    }

    @Override
    final void awaitNobodyInside() {
        guard.close();
    }

    /**
     * Makes a call that the driver refused once more, if it was refused for the context that is current on this thread. Hot calls do
     * not set it each time: it is the right one nearly always, and what is refused for it has had no effect.
     */
    final int again(int result, IntSupplier call) {
        if (result != CudaHeaders.CUDA_ERROR_INVALID_CONTEXT()
                && result != CudaHeaders.CUDA_ERROR_INVALID_HANDLE()
                && result != CudaHeaders.CUDA_ERROR_CONTEXT_IS_DESTROYED()) {
            return result;
        }
        Results.check(ContextCalls.setCurrent(context.handle()), "cuCtxSetCurrent()");
        return call.getAsInt();
    }
}
