// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.endpoint.ExposedMemory;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.util.Optional;

/**
 * The source of an endpoint's memory for transfers: it is registered with an adapter, or only added to the table from
 * which this side serves its peers over TCP.
 */
public interface Memories {
    /** {@return memory that is registered with an adapter} */
    static Memories of(ProtectionDomain domain) {
        return new Registered(domain, null);
    }

    /**
     * {@return the protection domain}
     *
     * @throws UnsupportedOperationException if there is no adapter
     */
    ProtectionDomain domain();

    /** {@return the transport of the transfers} */
    Transport transport();

    /** {@return why the transport is not RDMA; empty if that is unknown here} */
    default Optional<RuntimeException> rdmaFailure() {
        return Optional.empty();
    }

    /** Whether the transfers move between an adapter and threads. */
    default boolean moves() {
        return false;
    }

    /** Allocates memory that no peer can access yet. */
    MemoryRegion allocate(long size, AccessFlag... access);

    /** Registers a part of existing memory as a region of its own. */
    MemoryRegion register(MemorySlice slice, AccessFlag... access);

    ExposedMemory expose(long size, AccessFlag... rights);

    /**
     * Exposes existing memory.
     *
     * @param owned whether closing the exposed memory closes the region
     */
    ExposedMemory expose(MemorySlice slice, boolean owned, AccessFlag... rights);

    /**
     * Memory that is registered with an adapter.
     *
     * @param exposures the table from which other endpoints serve their peers over TCP; null if there are none
     */
    record Registered(ProtectionDomain domain, Exposures exposures) implements Memories {
        @Override
        public Transport transport() {
            return Transport.RDMA;
        }

        @Override
        public MemoryRegion allocate(long size, AccessFlag... access) {
            return domain.allocateMemory(size, access);
        }

        @Override
        public MemoryRegion register(MemorySlice slice, AccessFlag... access) {
            return domain.registerMemory(slice.segment(), access);
        }

        @Override
        public ExposedMemory expose(long size, AccessFlag... rights) {
            ExposedMemory exposed = ACCESS.exposeNew(domain, size, rights);
            if (isEntered(exposed.region())) {
                return exposed;
            }
            // A region of another adapter has the same key. This adapter would give it again if the key were free.
            try (exposed) {
                return expose(size, rights);
            }
        }

        @Override
        public ExposedMemory expose(MemorySlice slice, boolean owned, AccessFlag... rights) {
            ExposedMemory exposed = ACCESS.expose(domain, slice, owned, rights);
            if (!isEntered(slice.region())) {
                throw keyIsTaken(slice.region());
            }
            return exposed;
        }

        private boolean isEntered(MemoryRegion region) {
            return exposures == null || !region.hasSegment() || exposures.add(region);
        }
    }

    private static IllegalArgumentException keyIsTaken(MemoryRegion region) {
        return new IllegalArgumentException("another region that is exposed here has the key of " + region
                + ": register this one again, or close that one");
    }

    /**
     * Memory that this side's threads read and write for peers.
     *
     * @param exposures the table from which they serve peers
     * @param given the program's own domain, whose memory transfers may also use; null if there is none
     */
    record Served(Exposures exposures, ProtectionDomain given) implements Memories {
        @Override
        public ProtectionDomain domain() {
            if (given == null) {
                throw new UnsupportedOperationException(
                        "an endpoint over TCP has no adapter, and so no protection domain: take its memory from"
                                + " allocateMemory, expose or MemoryRegion.withoutAdapter");
            }
            return given;
        }

        @Override
        public Transport transport() {
            return Transport.TCP;
        }

        @Override
        public MemoryRegion allocate(long size, AccessFlag... access) {
            return MemoryRegion.withoutAdapter(size, access);
        }

        @Override
        public MemoryRegion register(MemorySlice slice, AccessFlag... access) {
            return MemoryRegion.withoutAdapter(slice.segment(), access);
        }

        @Override
        public ExposedMemory expose(long size, AccessFlag... rights) {
            AccessFlag[] access = ACCESS.access(rights);
            MemoryRegion region = MemoryRegion.withoutAdapter(size, access);
            while (!exposures.add(region)) {
                // Another region has the same random number.
                region.close();
                region = MemoryRegion.withoutAdapter(size, access);
            }
            return ACCESS.expose(region.slice(), true, rights);
        }

        @Override
        public ExposedMemory expose(MemorySlice slice, boolean owned, AccessFlag... rights) {
            MemoryRegion region = slice.region();
            if (!region.hasSegment()) {
                throw new IllegalArgumentException(region
                        + " is not memory of this process, which alone can be served over TCP: copy it, or use RDMA");
            }
            ExposedMemory exposed = ACCESS.expose(slice, owned, rights);
            if (!exposures.add(region)) {
                throw keyIsTaken(region);
            }
            return exposed;
        }
    }
}
