// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.ContextCalls;
import io.github.rdma4j.cuda.internal.LostContexts;
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
    /**
     * Whether streams of other contexts were given work with it, or with a part of it. Written inside, read when nobody
     * is.
     */
    private boolean usedElsewhere;

    /** The object that contains it and closes it; null for its context. */
    private final GuardedResource whole;

    GuardedResource(CudaContext context, long pointer) {
        this(context, context, pointer);
    }

    /** One that is closed with another one than its context. */
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

    /** {@link #enter()} for work that is done later, by a stream or a graph. */
    final void enterFor(GuardedResource user) {
        enter();
        if (user.context != context) {
            for (GuardedResource used = this; used != null; used = used.whole) {
                used.usedElsewhere = true;
            }
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
     * effect. An error about a lost context can refer to another context.
     */
    final int again(int result, IntSupplier call) {
        if (result != CudaHeaders.CUDA_ERROR_INVALID_CONTEXT()
                && result != CudaHeaders.CUDA_ERROR_INVALID_HANDLE()
                && !LostContexts.isLost(result)) {
            return result;
        }
        Results.check(ContextCalls.setCurrent(context.handle()), "cuCtxSetCurrent()");
        return call.getAsInt();
    }
}
