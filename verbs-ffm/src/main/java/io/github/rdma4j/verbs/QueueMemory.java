// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The callbacks of the adapter's library for the memory of queues. It keeps the segments that it has handed out
 * reachable, so that an automatic arena does not free them. It catches all exceptions, because an exception in a
 * callback would end the JVM.
 */
final class QueueMemory {
    /** {@code IBV_ALLOCATOR_USE_DEFAULT}. */
    static final MemorySegment USE_DEFAULT = MemorySegment.ofAddress(-1);

    private final QueueAllocator allocator;
    private final Map<Long, MemorySegment> handedOut = new ConcurrentHashMap<>();

    QueueMemory(QueueAllocator allocator) {
        this.allocator = allocator;
    }

    /** The {@code alloc} function of {@code struct ibv_parent_domain_init_attr}. */
    MemorySegment allocate(MemorySegment domain, MemorySegment context, long size, long alignment, long resourceType) {
        try {
            MemorySegment memory = allocator.allocate(size, alignment, resourceType);
            if (memory == null) {
                return USE_DEFAULT;
            }
            if (!memory.isNative() || memory.byteSize() < size || memory.address() % alignment != 0) {
                return MemorySegment.NULL;
            }
            handedOut.put(memory.address(), memory);
            return MemorySegment.ofAddress(memory.address());
        } catch (Throwable e) {
            return MemorySegment.NULL;
        }
    }

    /** The {@code free} function. */
    void free(MemorySegment domain, MemorySegment context, MemorySegment memory, long resourceType) {
        MemorySegment allocated = handedOut.remove(memory.address());
        if (allocated != null) {
            try {
                allocator.free(allocated, resourceType);
            } catch (Throwable e) {
                // The library cannot be notified; the memory is lost to its allocator.
            }
        }
    }
}
