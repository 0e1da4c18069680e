// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.ContextCalls;
import io.github.rdma4j.cuda.internal.LostContexts;
import io.github.rdma4j.cuda.internal.Results;
import java.util.function.IntSupplier;

/**
 * A resource of a context whose handle or address is used in native calls between {@link #enter()} and {@link #exit()}.
 */
abstract class GuardedResource extends CudaResource {
    private final CudaContext context;
    /** For native calls, between {@link #enter()} and {@link #exit()}. */
    final long pointer;
    /**
     * Whether streams of other contexts have received work with this resource or a part of it. Written inside a call,
     * and read when no thread is inside.
     */
    private boolean usedElsewhere;

    /** The object that contains it and closes it; null for its context. */
    private final GuardedResource whole;

    GuardedResource(CudaContext context, long pointer) {
        this(context, context, pointer);
    }

    /** A resource that is closed with another object than its context. */
    GuardedResource(CudaResource parent, CudaContext context, long pointer) {
        super(parent);
        this.context = context;
        this.pointer = pointer;
        this.whole = parent instanceof GuardedResource guarded ? guarded : null;
    }

    @Override
    public final CudaContext context() {
        return context;
    }

    /** As {@link #enter()}, for work that a stream or a graph does later. */
    final void enterFor(GuardedResource user) {
        enter();
        if (user.context != context) {
            for (GuardedResource used = this; used != null; used = used.whole) {
                used.usedElsewhere = true;
            }
        }
        user.uses(this);
    }

    /** Called when work that was submitted to this object uses a resource. */
    void uses(GuardedResource resource) {}

    @Override
    boolean isUsedByWorkElsewhere() {
        return usedElsewhere;
    }

    @Override
    public final long handle() {
        requireOpen();
        return pointer;
    }

    /**
     * Repeats a call if the driver refused it because of the thread's current context. Hot calls do not set the context
     * each time, because it is nearly always the right one, and a refused call has no effect. An error about a lost
     * context can refer to another context.
     */
    final int retry(int result, IntSupplier call) {
        if (result != CudaHeaders.CUDA_ERROR_INVALID_CONTEXT()
                && result != CudaHeaders.CUDA_ERROR_INVALID_HANDLE()
                && !LostContexts.isLost(result)) {
            return result;
        }
        Results.check(ContextCalls.setCurrent(context.handle()), "cuCtxSetCurrent()");
        return call.getAsInt();
    }
}
