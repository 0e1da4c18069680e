// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import io.github.rdma4j.verbs.bindings.ibv_mr;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.LockedMemoryLimit;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.VerbsCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Registered memory ({@code struct ibv_mr}): pinned, and known to the adapter by a local and a remote key.
 *
 * <p>Thread safety: all methods may be called from any thread. Closing a region while the adapter works on it is safe for this
 * process; the requests under way end with {@link WorkCompletionStatus#LOC_PROT_ERR} here or
 * {@link WorkCompletionStatus#REM_ACCESS_ERR} at the peer.
 */
public final class MemoryRegion extends Resource {
    private final ProtectionDomain domain;
    private final MemorySegment memory;
    /** Freed with the region; null if the memory is the user's. */
    private final Arena ownedArena;

    private final MemorySegment region;
    private final int access;
    private final int localKey;
    private final int remoteKey;

    MemoryRegion(ProtectionDomain domain, MemorySegment memory, Arena ownedArena, AccessFlag... access) {
        super(domain);
        this.domain = domain;
        this.memory = memory;
        this.ownedArena = ownedArena;
        checkArguments(memory, access);
        this.access = AccessFlag.mask(access);
        this.region = VerbsCalls.regMr(domain.segment(), memory, this.access);
        if (region.address() == 0) {
            throw refused(domain.context(), memory, access, NativeCalls.lastErrno());
        }
        MemorySegment fields = region.reinterpret(ibv_mr.sizeof());
        localKey = ibv_mr.lkey(fields);
        remoteKey = ibv_mr.rkey(fields);
    }

    private static void checkArguments(MemorySegment memory, AccessFlag... access) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("only native memory can be registered, and " + memory
                    + " is on the heap; allocate it from an Arena");
        }
        if (memory.byteSize() == 0) {
            throw new IllegalArgumentException("an empty segment cannot be registered");
        }
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the arena of the memory to register is closed");
        }
        int mask = AccessFlag.mask(access);
        if (memory.isReadOnly() && AccessFlag.LOCAL_WRITE.in(mask)) {
            throw new IllegalArgumentException("a read-only segment cannot be registered with LOCAL_WRITE");
        }
        AccessFlag.requireLocalWriteBehindRemote(mask);
    }

    private static VerbsException refused(DeviceContext context, MemorySegment memory, AccessFlag[] access, int errno) {
        String operation = "ibv_reg_mr(address=0x%x, length=%d, access=%s)"
                .formatted(memory.address(), memory.byteSize(), Arrays.toString(access));
        return switch (errno) {
            case Errno.ENOMEM -> outOfMemory(operation, memory.byteSize());
            case Errno.EFAULT ->
                Failures.of(
                        operation,
                        errno,
                        "a part of the range is not mapped, or is mapped read-only and LOCAL_WRITE was asked for",
                        "map file-backed memory with write access, or register it for reading only");
            case Errno.EINVAL ->
                Failures.of(
                        operation,
                        errno,
                        "the range is longer than the device's maximum of %d bytes, wraps around the address space, or the device does not offer one of the flags"
                                .formatted(context.attributes().maxMemoryRegionSize()),
                        "");
            default -> Failures.of(operation, errno);
        };
    }

    private static VerbsException outOfMemory(String operation, long length) {
        LockedMemoryLimit limit = LockedMemoryLimit.current();
        return limit.allows(length)
                ? Failures.of(
                        operation,
                        Errno.ENOMEM,
                        "%s, so that is not the cause: the device has no room for another region, or the machine or control group no memory"
                                .formatted(limit.describe()),
                        "close regions that are not used, or register less")
                : Failures.of(
                        operation,
                        Errno.ENOMEM,
                        "registration pins the memory, and " + limit.describe(),
                        "raise the limit: 'ulimit -l unlimited' in the shell, 'memlock unlimited' in"
                                + " /etc/security/limits.conf, LimitMEMLOCK=infinity in a systemd unit, --ulimit"
                                + " memlock=-1 for docker run");
    }

    /** {@return the memory, as it was given} */
    public MemorySegment segment() {
        return memory;
    }

    /** {@return the domain that it is registered in} */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** {@return the key by which this process's own work requests name the memory ({@code lkey})} */
    public int localKey() {
        return localKey;
    }

    /** {@return the key by which a peer names the memory ({@code rkey})} */
    public int remoteKey() {
        return remoteKey;
    }

    /** {@return the address of the first byte} */
    public long address() {
        return memory.address();
    }

    /** {@return the number of bytes} */
    public long length() {
        return memory.byteSize();
    }

    /**
     * A part of the region, for work requests. Slices are small immutable objects: make those of a hot loop once, before it.
     *
     * @param offset from the start of the region, in bytes
     * @param size in bytes
     * @return the part
     * @throws IndexOutOfBoundsException if the part does not lie within the region
     */
    public MemorySlice slice(long offset, long size) {
        return new MemorySlice(this, offset, size);
    }

    /** {@return the whole region, for work requests} */
    public MemorySlice slice() {
        return new MemorySlice(this, 0, length());
    }

    boolean allows(AccessFlag flag) {
        return flag.in(access);
    }

    /** {@return the whole region as a peer names it: a value to send there} */
    public RemoteMemory remoteMemory() {
        return new RemoteMemory(address(), length(), remoteKey);
    }

    @Override
    public long handle() {
        requireOpen();
        return region.address();
    }

    @Override
    void release() {
        domain.closeWindowsBoundTo(this);
        Failures.check("ibv_dereg_mr(lkey=0x%x)".formatted(localKey), LibIbVerbs.ibv_dereg_mr(region));
        if (ownedArena != null) {
            ownedArena.close();
        }
    }

    /** {@return address, length and keys} */
    @Override
    public String toString() {
        return "memory region 0x%x, %d bytes, lkey 0x%x, rkey 0x%x".formatted(address(), length(), localKey, remoteKey);
    }
}
