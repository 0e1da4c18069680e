// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.endpoint.ExposedMemory;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.github.rdma4j.verbs.internal.endpoint.engine.Memories;
import java.util.Optional;

/**
 * The memory of an endpoint with failover: registered with the adapter, if there is one, and also served over TCP.
 *
 * @param memories the source of the memory
 * @param mover knows the transport in use
 */
record MovingMemories(Memories memories, Mover mover) implements Memories {
    @Override
    public ProtectionDomain domain() {
        return memories.domain();
    }

    @Override
    public Transport transport() {
        return mover.transport();
    }

    @Override
    public boolean moves() {
        return true;
    }

    @Override
    public Optional<RuntimeException> rdmaFailure() {
        return Optional.ofNullable(mover.failure());
    }

    @Override
    public MemoryRegion allocate(long size, AccessFlag... access) {
        return memories.allocate(size, access);
    }

    @Override
    public MemoryRegion register(MemorySlice slice, AccessFlag... access) {
        return memories.register(slice, access);
    }

    @Override
    public ExposedMemory expose(long size, AccessFlag... rights) {
        return memories.expose(size, rights);
    }

    @Override
    public ExposedMemory expose(MemorySlice slice, boolean owned, AccessFlag... rights) {
        if (!slice.region().hasSegment()) {
            throw new IllegalArgumentException(slice.region()
                    + " is not memory of this process, which alone can be served over TCP, to where this endpoint"
                    + " may move: use RDMA alone");
        }
        return memories.expose(slice, owned, rights);
    }
}
