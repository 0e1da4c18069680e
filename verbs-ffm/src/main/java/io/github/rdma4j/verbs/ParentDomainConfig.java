// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.Objects;

/**
 * Settings that a {@link ParentDomain} adds to its protection domain; by default none.
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public final class ParentDomainConfig {
    private ThreadDomain threadDomain;
    private QueueAllocator allocator;

    ParentDomainConfig() {}

    /**
     * Sets a thread domain: resources of the parent domain are used by one thread at a time.
     *
     * @param domain the thread domain, of the same device
     * @return this
     */
    public ParentDomainConfig threadDomain(ThreadDomain domain) {
        this.threadDomain = Objects.requireNonNull(domain, "thread domain");
        return this;
    }

    /**
     * Sets the allocator that provides the memory of queues created in the parent domain.
     *
     * @param queueAllocator called by any thread that creates or closes a resource in the domain
     * @return this
     */
    public ParentDomainConfig allocator(QueueAllocator queueAllocator) {
        this.allocator = Objects.requireNonNull(queueAllocator, "allocator");
        return this;
    }

    ThreadDomain threadDomain() {
        return threadDomain;
    }

    QueueAllocator allocator() {
        return allocator;
    }
}
