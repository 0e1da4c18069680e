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
 * The source of an endpoint's memory for transfers: registered with an adapter, or only entered in the table from which
 * this side serves its peers over TCP.
 */
public interface Memories {
    /** {@return what an adapter knows} */
    static Memories of(ProtectionDomain domain) {
        return new Registered(domain, null);
    }

    /**
     * The domain of the adapter.
     *
     * @throws UnsupportedOperationException if there is no adapter
     */
    ProtectionDomain domain();

    /** What carries the transfers. */
    Transport transport();

    /** Why the transport is not RDMA; empty where that is not known here. */
    default Optional<RuntimeException> rdmaFailure() {
        return Optional.empty();
    }

    /** Whether an adapter carries the transfers at one time, and threads at another. */
    default boolean moves() {
        return false;
    }

    /** New memory, known to nobody. */
    MemoryRegion allocate(long size, AccessFlag... access);

    /** Registers a part of existing memory as a region of its own. */
    MemoryRegion register(MemorySlice slice, AccessFlag... access);

    ExposedMemory expose(long size, AccessFlag... rights);

    /**
     * Of memory that there is.
     *
     * @param owned whether closing the exposed memory closes the region
     */
    ExposedMemory expose(MemorySlice slice, boolean owned, AccessFlag... rights);

    /**
     * Memory that an adapter knows.
     *
     * @param exposures from which others serve their peers over TCP; null if nobody does
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
            // Another adapter has given the same key. This one would give it again if it were free.
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
     * Memory that this side's threads work on.
     *
     * @param exposures from which they serve peers
     * @param given the program's own domain, whose memory transfers may also use; null for none
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
