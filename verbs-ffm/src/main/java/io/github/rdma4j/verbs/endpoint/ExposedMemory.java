// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Objects;

/**
 * Memory of this side that peers can use within its rights. Peers read the current bytes, and their writes appear
 * without notification. Your own protocol must say what belongs together, for example a version before and after the
 * data, or a message after a write.
 *
 * <p>Thread safety: any thread may call any method.
 *
 * @since 0.1.0
 */
public final class ExposedMemory implements AutoCloseable {
    private final MemorySlice slice;
    private final boolean owned;
    private final MemoryHandle handle;

    private ExposedMemory(MemorySlice slice, boolean owned, EnumSet<AccessFlag> rights) {
        this.slice = slice;
        this.owned = owned;
        this.handle = new MemoryHandle(slice.region().remoteMemory().slice(slice.offset(), slice.length()), rights);
    }

    static ExposedMemory allocate(ProtectionDomain domain, long size, AccessFlag... rights) {
        MemoryRegion region = domain.allocateMemory(size, access(rights));
        return new ExposedMemory(region.slice(), true, rights(rights));
    }

    /** The flags that memory must be registered with to give peers these rights. */
    static AccessFlag[] access(AccessFlag... rights) {
        EnumSet<AccessFlag> access = rights(rights);
        access.add(AccessFlag.LOCAL_WRITE);
        return access.toArray(AccessFlag[]::new);
    }

    /**
     * Of memory that the program has registered.
     *
     * @param owned whether closing the exposed memory closes the region
     */
    static ExposedMemory of(ProtectionDomain domain, MemorySlice slice, boolean owned, AccessFlag... rights) {
        MemoryRegion region = slice.region();
        if (!region.hasAdapter() || region.protectionDomain() != domain) {
            throw new IllegalArgumentException(region + " is of another protection domain than the endpoint");
        }
        return of(slice, owned, rights);
    }

    /** Of memory that the program has registered, whoever serves the peers. */
    static ExposedMemory of(MemorySlice slice, boolean owned, AccessFlag... rights) {
        MemoryRegion region = slice.region();
        if (owned && region.isPooled()) {
            throw new IllegalArgumentException(
                    region + " is a chunk of a memory pool, with memory of others: expose the slice of what you took");
        }
        EnumSet<AccessFlag> granted = rights(rights);
        if (!region.access().containsAll(granted)) {
            throw new IllegalArgumentException(
                    "%s was registered with %s, and cannot be exposed with %s: register it with these rights"
                            .formatted(region, region.access(), granted));
        }
        return new ExposedMemory(slice, owned, granted);
    }

    static EnumSet<AccessFlag> rights(AccessFlag... rights) {
        if (rights.length == 0) {
            throw new IllegalArgumentException("memory that is exposed without any right is of no use to a peer");
        }
        EnumSet<AccessFlag> set = EnumSet.noneOf(AccessFlag.class);
        for (AccessFlag right : rights) {
            set.add(Objects.requireNonNull(right, "right"));
        }
        MemoryHandle.requireRemote(set);
        return set;
    }

    /** {@return the handle for the peer; send {@link MemoryHandle#toBytes()} in a message} */
    public MemoryHandle handle() {
        return handle;
    }

    /** {@return the memory} */
    public MemorySegment segment() {
        return slice.region().segment().asSlice(slice.offset(), slice.length());
    }

    /** {@return the region that contains the memory} */
    public MemoryRegion region() {
        return slice.region();
    }

    /**
     * Withdraws the memory: later accesses by peers fail and end their connections. Does nothing if it is already
     * closed. For a part of a region it has no effect on peers, which can use the memory until the region is closed.
     */
    @Override
    public void close() {
        if (owned) {
            slice.region().close();
        }
    }

    /** {@return memory and rights} */
    @Override
    public String toString() {
        return "exposed " + handle;
    }
}
