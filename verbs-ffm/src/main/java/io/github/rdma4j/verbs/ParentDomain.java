// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_parent_domain_init_attr;
import io.github.rdma4j.verbs.internal.ExtendedVerb;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A parent domain (ibv_alloc_parent_domain(3)): a view of a protection domain that adds a {@link ThreadDomain} or a
 * {@link QueueAllocator} for the resources created in it. Memory that is registered in one of the two can be used in
 * the other.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public final class ParentDomain extends ProtectionDomain {
    private final ProtectionDomain base;
    /** The arena of the callbacks. */
    private final Arena arena;

    private ParentDomain(ProtectionDomain base, ThreadDomain threads, MemorySegment domain, Arena arena) {
        super(base.context(), domain, threads == null ? new Resource[] {base} : new Resource[] {base, threads});
        this.base = base;
        this.arena = arena;
    }

    static ParentDomain allocate(ProtectionDomain base, ParentDomainConfig config) {
        ThreadDomain threads = config.threadDomain();
        if (threads != null) {
            if (threads.context() != base.context()) {
                throw new IllegalArgumentException(threads + " is not of the same device context as " + base);
            }
            threads.requireOpen();
        }
        Arena arena = Arena.ofShared();
        try {
            MemorySegment domain = ExtendedVerb.ALLOC_PARENT_DOMAIN.create(
                    "ibv_alloc_parent_domain(%s)"
                            .formatted(base.context().device().name()),
                    base.context().segment(),
                    base.context().segment(),
                    attributes(base, config, arena));
            return new ParentDomain(base, threads, domain, arena);
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
    }

    static MemorySegment attributes(ProtectionDomain base, ParentDomainConfig config, Arena arena) {
        MemorySegment attributes = ibv_parent_domain_init_attr.allocate(arena);
        ibv_parent_domain_init_attr.pd(attributes, base.segment());
        if (config.threadDomain() != null) {
            ibv_parent_domain_init_attr.td(attributes, config.threadDomain().segment());
        }
        QueueAllocator allocator = config.allocator();
        if (allocator != null) {
            ibv_parent_domain_init_attr.comp_mask(attributes, RdmaHeaders.IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS());
            QueueMemory memory = new QueueMemory(allocator);
            ibv_parent_domain_init_attr.alloc(
                    attributes, ibv_parent_domain_init_attr.alloc.allocate(memory::allocate, arena));
            ibv_parent_domain_init_attr.free(
                    attributes, ibv_parent_domain_init_attr.free.allocate(memory::free, arena));
        }
        return attributes;
    }

    @Override
    ProtectionDomain root() {
        return base.root();
    }

    @Override
    void afterRelease() {
        closeMemory(arena);
    }

    /** {@return the device's name} */
    @Override
    public String toString() {
        return "parent domain of " + context().device().name();
    }
}
