// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;

/**
 * Memory of this side that peers can use, as far as its rights go. They see each byte as it is at that moment, and this side sees what
 * they write, without being told: a protocol of the program's own, such as a version before and behind the data, or a message
 * afterwards, tells what belongs together.
 *
 * <p>Thread safety: all methods may be called from any thread.
 */
public final class ExposedMemory implements AutoCloseable {
    private final MemoryRegion region;
    private final MemoryHandle handle;

    private ExposedMemory(MemoryRegion region, EnumSet<AccessFlag> rights) {
        this.region = region;
        this.handle = new MemoryHandle(region.remoteMemory(), rights);
    }

    static ExposedMemory allocate(ProtectionDomain domain, long size, AccessFlag... rights) {
        EnumSet<AccessFlag> granted = rights(rights);
        EnumSet<AccessFlag> access = EnumSet.copyOf(granted);
        access.add(AccessFlag.LOCAL_WRITE);
        return new ExposedMemory(domain.allocateMemory(size, access.toArray(AccessFlag[]::new)), granted);
    }

    static ExposedMemory of(ProtectionDomain domain, MemoryRegion region, AccessFlag... rights) {
        if (region.protectionDomain() != domain) {
            throw new IllegalArgumentException(region + " is of another protection domain than the endpoint");
        }
        return new ExposedMemory(region, rights(rights));
    }

    private static EnumSet<AccessFlag> rights(AccessFlag... rights) {
        if (rights.length == 0) {
            throw new IllegalArgumentException("memory that is exposed without any right is of no use to a peer");
        }
        return EnumSet.copyOf(Arrays.asList(rights));
    }

    /** {@return what peers need to know; {@link MemoryHandle#toBytes()} goes into a message} */
    public MemoryHandle handle() {
        return handle;
    }

    /** {@return the memory itself} */
    public MemorySegment segment() {
        return region.segment();
    }

    /** {@return the memory as registered, for local transfers} */
    public MemoryRegion region() {
        return region;
    }

    /** Takes the memory back: what peers do to it from now on fails, and costs them the connection. Does nothing if it is closed already. */
    @Override
    public void close() {
        region.close();
    }

    /** {@return memory and rights} */
    @Override
    public String toString() {
        return "exposed " + handle;
    }
}
