// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_td_init_attr;
import io.github.rdma4j.verbs.internal.ExtendedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A thread domain ({@code struct ibv_td}, ibv_alloc_td(3)): a promise that the resources of a {@link ParentDomain} with
 * it are used by one thread at a time, so that the adapter's library need not lock. <b>The promise is not checked.</b>
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public final class ThreadDomain extends Resource {
    private final DeviceContext context;
    private final MemorySegment domain;

    ThreadDomain(DeviceContext context) {
        super(context);
        this.context = context;
        try (Arena arena = Arena.ofConfined()) {
            this.domain = ExtendedVerb.ALLOC_TD.create(
                    "ibv_alloc_td(" + context.device().name() + ")",
                    context.segment(),
                    context.segment(),
                    ibv_td_init_attr.allocate(arena));
        }
    }

    /** {@return the device context of this resource} */
    public DeviceContext context() {
        return context;
    }

    MemorySegment segment() {
        return domain;
    }

    @Override
    public long handle() {
        requireOpen();
        return domain.address();
    }

    @Override
    void release() {
        Failures.check(
                "ibv_dealloc_td(" + context.device().name() + ")",
                ExtendedVerb.DEALLOC_TD.call(context.segment(), domain));
    }

    /** {@return the device's name} */
    @Override
    public String toString() {
        return "thread domain of " + context.device().name();
    }
}
