// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.bindings.ibv_parent_domain_init_attr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The callbacks of a parent domain, called as the adapter's library would: through their native function pointers. */
class QueueMemoryTest {
    private static final long RESOURCE = 5L << 32 | 1;

    private final Arena arena = Arena.ofConfined();
    private final List<String> freed = new ArrayList<>();

    @AfterEach
    void close() {
        arena.close();
    }

    private MemorySegment allocate(QueueAllocator allocator, long size, long alignment) {
        MemorySegment function =
                ibv_parent_domain_init_attr.alloc.allocate(new QueueMemory(allocator)::allocate, arena);
        return ibv_parent_domain_init_attr.alloc.invoke(
                function, MemorySegment.NULL, MemorySegment.NULL, size, alignment, RESOURCE);
    }

    private QueueAllocator returning(MemorySegment memory) {
        return new QueueAllocator() {
            @Override
            public MemorySegment allocate(long size, long alignment, long resourceType) {
                return memory;
            }

            @Override
            public void free(MemorySegment given, long resourceType) {
                freed.add("%x/%d/%x".formatted(given.address(), given.byteSize(), resourceType));
            }
        };
    }

    @Test
    void memoryGoesOutAndComesBackAsTheSameSegment() {
        MemorySegment memory = arena.allocate(8192, 4096);
        QueueMemory callbacks = new QueueMemory(returning(memory));
        MemorySegment allocate = ibv_parent_domain_init_attr.alloc.allocate(callbacks::allocate, arena);
        MemorySegment free = ibv_parent_domain_init_attr.free.allocate(callbacks::free, arena);

        MemorySegment given = ibv_parent_domain_init_attr.alloc.invoke(
                allocate, MemorySegment.NULL, MemorySegment.NULL, 8000, 4096, RESOURCE);
        assertThat(given.address()).isEqualTo(memory.address());

        ibv_parent_domain_init_attr.free.invoke(free, MemorySegment.NULL, MemorySegment.NULL, given, RESOURCE);
        assertThat(freed).containsExactly("%x/8192/500000001".formatted(memory.address()));
    }

    @Test
    void nullMeansTheLibrarysOwnAllocator() {
        assertThat(allocate(returning(null), 64, 64).address()).isEqualTo(-1);
    }

    @Test
    void oversizedQueueIsAFailedAllocation() {
        MemorySegment memory = arena.allocate(8192, 4096);
        assertThat(allocate(returning(memory), 8193, 4096).address()).isZero();
        assertThat(allocate(returning(memory.asSlice(64)), 4096, 4096).address())
                .isZero();
        assertThat(allocate(returning(MemorySegment.ofArray(new byte[64])), 64, 1)
                        .address())
                .isZero();
    }

    @Test
    void exceptionIsAFailedAllocationAndNotTheEndOfTheProcess() {
        QueueAllocator throwing = new QueueAllocator() {
            @Override
            public MemorySegment allocate(long size, long alignment, long resourceType) {
                throw new IllegalStateException("none left");
            }

            @Override
            public void free(MemorySegment given, long resourceType) {
                throw new IllegalStateException("not mine");
            }
        };
        assertThat(allocate(throwing, 64, 64).address()).isZero();
    }
}
