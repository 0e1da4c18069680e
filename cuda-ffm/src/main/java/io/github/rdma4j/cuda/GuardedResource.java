// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.ContextCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.util.function.IntSupplier;

/**
 * One that belongs to a context, and whose handle or address goes into native calls between {@link #enter()} and
 * {@link #exit()}.
 */
abstract class GuardedResource extends CudaResource {
    private final CudaContext context;
    /** For native calls, between {@link #enter()} and {@link #exit()}. */
    final long pointer;
    /** Whether streams of other contexts were given work with it. Written inside, read when nobody is. */
    private boolean usedElsewhere;

    GuardedResource(CudaContext context, long pointer) {
        this(context, context, pointer);
    }

    /** One that is closed with another one than its context. */
    GuardedResource(CudaResource parent, CudaContext context, long pointer) {
        super(parent);
        this.context = context;
        this.pointer = pointer;
    }

    @Override
    public final CudaContext context() {
        return context;
    }

    /** {@link #enter()} for work that a stream does later: the stream is the user, or the kernel that it launches. */
    final void enterFor(GuardedResource user) {
        enter();
        if (user.context != context) {
            usedElsewhere = true;
        }
        user.uses(this);
    }

    /** Work that this was given needs a resource. */
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
     * Makes a call that the driver refused once more, if it was refused for the context that is current on this thread.
     * Hot calls do not set it each time: it is the right one nearly always, and what is refused for it has had no
     * effect.
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
