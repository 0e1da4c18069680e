// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_mr;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.HostKeys;
import io.github.rdma4j.verbs.internal.ImportCalls;
import io.github.rdma4j.verbs.internal.Keys;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.PageSize;
import io.github.rdma4j.verbs.internal.PooledRegions;
import io.github.rdma4j.verbs.internal.RegistrationCalls;
import io.github.rdma4j.verbs.internal.events.MemoryDeregistrationEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Registered memory ({@code struct ibv_mr}): known to the adapter by a local and a remote key. Host memory mostly,
 * pinned; memory of another device or of the adapter itself too, which has no segment.
 *
 * <p>Thread safety: all methods may be called from any thread. Closing a region while the adapter works on it is safe
 * for this process; the requests under way end with {@link WorkCompletionStatus#LOC_PROT_ERR} here or
 * {@link WorkCompletionStatus#REM_ACCESS_ERR} at the peer.
 *
 * @since 0.1.0
 */
public final class MemoryRegion extends Resource {
    static {
        PooledRegions.door(new PooledRegions.Door() {
            @Override
            public void keep(AutoCloseable region) {
                ((MemoryRegion) region).pooled = true;
            }

            @Override
            public void close(AutoCloseable region) {
                ((MemoryRegion) region).closeTree();
            }
        });
    }

    private ProtectionDomain domain;
    /** Null if the process has no address for it. */
    private MemorySegment memory;
    /** Freed with the region; empty if the memory is the user's. */
    private final List<Arena> ownedArenas = new ArrayList<>(0);
    /** Closes the region when the user's arena of the memory is closed; null if there is none. */
    private ArenaWatch arena;

    private final MemorySegment region;
    private long address;
    private long length;
    private int access;
    private int localKey;
    private int remoteKey;
    /** Whether another process has registered it, and deregisters it. */
    private boolean imported;
    /** Whether it is a memory pool's, which alone closes it. */
    private volatile boolean pooled;

    /** Others of the parents than the domain are what the memory lies in, and are closed after the region. */
    MemoryRegion(ProtectionDomain domain, MemoryRegistration registration, Arena ownedArena, Resource... others) {
        super(Resource.concat(domain, others));
        this.domain = domain;
        if (ownedArena != null) {
            ownedArenas.add(ownedArena);
        }
        this.region = registration.region().reinterpret(ibv_mr.sizeof());
        this.memory = registration.memory();
        this.address = registration.address();
        this.length = registration.length();
        this.access = registration.access();
        readKeys();
    }

    /** Host memory that no adapter knows: the root of a tree of its own. */
    private MemoryRegion(MemorySegment memory, int access, Arena ownedArena) {
        if (ownedArena != null) {
            ownedArenas.add(ownedArena);
        }
        this.region = MemorySegment.NULL;
        this.memory = memory;
        this.address = memory.address();
        this.length = memory.byteSize();
        this.access = access;
        this.remoteKey = HostKeys.next();
        this.localKey = remoteKey;
    }

    /**
     * Allocates host memory that no adapter knows, for transfers of endpoints over TCP. It needs no RDMA device and no
     * library, and is not pinned. Its keys are random numbers, by which peers of such endpoints name it. Queue pairs
     * cannot use it.
     *
     * @param size in bytes, above 0
     * @param access what may be done with it, besides local reading; remote writing and atomics need
     *     {@link AccessFlag#LOCAL_WRITE}
     * @return the region, zeroed, aligned to a page; to be closed by the program
     * @throws IllegalArgumentException if the size is below 1, or the flags do not go together
     * @throws OutOfMemoryError if the process cannot have so much
     */
    public static MemoryRegion withoutAdapter(long size, AccessFlag... access) {
        if (size < 1) {
            throw new IllegalArgumentException("a region of " + size + " bytes");
        }
        int flags = AccessFlag.mask(access);
        AccessFlag.requireLocalWriteBehindRemote(flags);
        Arena arena = Arena.ofShared();
        try {
            return new MemoryRegion(arena.allocate(size, PageSize.BYTES), flags, arena);
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
    }

    /**
     * Makes a region of native memory of the program's own, as {@link #withoutAdapter(long, AccessFlag...)} does of new
     * memory. When the arena of the segment is closed, transfers to and from the region fail.
     *
     * @param segment native memory of any size above 0
     * @param access what may be done with it, besides local reading
     * @return the region, to be closed by the program; the memory stays
     * @throws IllegalArgumentException if the segment is empty, on the heap, or read-only with a writing flag, or the
     *     flags do not go together
     * @throws IllegalStateException if the segment's arena is closed
     * @throws WrongThreadException if the segment's arena is confined to a thread: other threads serve the peer
     */
    public static MemoryRegion withoutAdapter(MemorySegment segment, AccessFlag... access) {
        int flags = AccessFlag.mask(access);
        MemoryRegistration.checkMemory(segment, flags);
        if (!segment.isAccessibleBy(HostKeys.ANOTHER_THREAD)) {
            throw new WrongThreadException(
                    "the memory's arena is confined to one thread, and any thread may serve a peer: allocate the memory"
                            + " from a shared arena");
        }
        return new MemoryRegion(segment, flags, null);
    }

    static MemoryRegion importHandle(ProtectionDomain domain, int kernelHandle, long address, AccessFlag... access) {
        MemorySegment region = ImportCalls.importMr(
                        "ibv_import_mr(handle=%d)".formatted(kernelHandle), domain.segment(), kernelHandle)
                .reinterpret(ibv_mr.sizeof());
        MemoryRegion imported = new MemoryRegion(
                domain,
                new MemoryRegistration(region, null, address, ibv_mr.length(region), AccessFlag.mask(access)),
                null);
        imported.imported = true;
        return imported;
    }

    /** Registers memory of an arena of the user's. */
    static MemoryRegion ofUserMemory(
            ProtectionDomain domain,
            MemorySegment memory,
            Supplier<MemoryRegistration> registration,
            Resource... others) {
        ArenaWatch arena = domain.context().watchArenaOf(memory);
        MemoryRegion region = new MemoryRegion(domain, registration.get(), null, others);
        region.arena = arena;
        return region;
    }

    /** Null if the memory is of no arena of the user's. */
    ArenaWatch arena() {
        return arena;
    }

    private void readKeys() {
        localKey = ibv_mr.lkey(region);
        remoteKey = ibv_mr.rkey(region);
    }

    /**
     * The memory, as it was given.
     *
     * @return the segment
     * @throws UnsupportedOperationException if {@link #hasSegment()} says that there is none
     */
    public MemorySegment segment() {
        if (memory == null) {
            throw new UnsupportedOperationException(
                    this + " has no segment: it is not memory that the process mapped for it");
        }
        return memory;
    }

    /**
     * {@return whether the region has a segment: not if it is a dma-buf, device memory, bare addresses, the whole
     * address space, or nothing}
     */
    public boolean hasSegment() {
        return memory != null;
    }

    /**
     * The kernel's handle, by which a process that has imported the device imports it; see {@link
     * ProtectionDomain#importMemoryRegion}.
     *
     * @return the handle
     * @throws UnsupportedOperationException if no adapter knows the region
     */
    public int kernelHandle() {
        requireAdapter("the kernel's handle");
        return locked(() -> ibv_mr.handle(region));
    }

    /**
     * The domain that it is registered in.
     *
     * @return the domain
     * @throws UnsupportedOperationException if no adapter knows the region: see {@link #hasAdapter()}
     */
    public ProtectionDomain protectionDomain() {
        requireAdapter("the protection domain");
        return domain;
    }

    /** The domain, for the hot path; null if no adapter knows the region. */
    ProtectionDomain domain() {
        return domain;
    }

    /**
     * Whether an adapter knows the region. Memory of {@link #withoutAdapter(long, AccessFlag...)} is known to none, and
     * only endpoints over TCP can use it.
     *
     * @return false for such memory
     */
    public boolean hasAdapter() {
        return domain != null;
    }

    private void requireAdapter(String what) {
        if (domain == null) {
            throw new UnsupportedOperationException(
                    "%s of %s, which no adapter knows: register the memory in a ProtectionDomain"
                            .formatted(what, this));
        }
    }

    /** {@return the key by which this process's own work requests name the memory ({@code lkey})} */
    public int localKey() {
        return localKey;
    }

    /** {@return the key by which a peer names the memory ({@code rkey})} */
    public int remoteKey() {
        return remoteKey;
    }

    /**
     * {@return the address of the first byte in work requests; that of the segment unless another one was asked for}
     */
    public long address() {
        return address;
    }

    /** {@return the number of bytes; {@link Long#MAX_VALUE} if the region is the whole address space or nothing} */
    public long length() {
        return length;
    }

    /**
     * A part of the region, for work requests. Slices are small immutable objects: make those of a hot loop once,
     * before it.
     *
     * @param offset from the start of the region, in bytes; in the region of the whole address space that is the
     *     address
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

    /**
     * The part of the region that a segment is, for work requests. The slice does not hold on to the segment.
     *
     * @param part a part of {@link #segment()}, or any native segment if the region is the whole address space
     * @return the part
     * @throws IllegalArgumentException if the segment is on the heap
     * @throws IndexOutOfBoundsException if it does not lie within the region
     * @throws UnsupportedOperationException if the region is a dma-buf, device memory or nothing
     */
    public MemorySlice slice(MemorySegment part) {
        if (!part.isNative()) {
            throw new IllegalArgumentException("a part of a region is native memory, and " + part + " is on the heap");
        }
        boolean addressSpace =
                memory == null && length == MemoryRegistration.UNBOUNDED && AccessFlag.ON_DEMAND.in(access);
        return slice(part.address() - (addressSpace ? 0 : segment().address()), part.byteSize());
    }

    /**
     * {@return what may be done with the memory, besides local reading: what it was registered with, or reregistered
     * last}
     */
    public Set<AccessFlag> access() {
        EnumSet<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        flags.addAll(AccessFlag.of(access));
        return Collections.unmodifiableSet(flags);
    }

    /**
     * Whether the region is a chunk of a {@linkplain io.github.rdma4j.verbs.pool.RegisteredMemoryPool memory pool}. Its
     * bounds and its remote key are then those of much more memory than one user of the pool has taken, and the pool
     * alone closes and changes it.
     *
     * @return true for a pool's
     */
    public boolean isPooled() {
        return pooled;
    }

    /**
     * Whether something may be done with the memory; as {@link #access()}, and allocates nothing.
     *
     * @param flag the right
     * @return true if it was registered with it, or reregistered last
     */
    public boolean allows(AccessFlag flag) {
        return flag.in(access);
    }

    /** {@return the whole region as a peer names it: a value to send there} */
    public RemoteMemory remoteMemory() {
        return new RemoteMemory(address(), length(), remoteKey);
    }

    /**
     * Changes the registration (ibv_rereg_mr(3)): other memory, another protection domain, other rights, in one call,
     * which is quicker than to close this and to register anew. The keys may change. {@linkplain MemorySlice Slices}
     * and {@link RemoteMemory} values that were made before are of the old registration; requests must not be under
     * way.
     *
     * <p>If the adapter itself refuses, neither the old nor the new registration is good for use: the region is then
     * closed.
     *
     * @param configuration says what changes
     * @throws IllegalArgumentException if nothing was said, or the values do not go together; nothing has changed then
     * @throws IllegalStateException if memory windows are bound to the region, or it is a memory pool's; nothing has
     *     changed then
     * @throws UnsupportedVerbException if the device cannot do it; nothing has changed then
     * @throws UnsupportedOperationException if no adapter knows the region
     * @throws VerbsException if it fails; {@link #isOpen()} tells whether the old registration still stands
     */
    public void reregister(Consumer<ReregistrationConfig> configuration) {
        requireAdapter("another registration");
        ReregistrationConfig config = new ReregistrationConfig();
        configuration.accept(config);
        locked(() -> {
            change(config);
            return null;
        });
    }

    private void change(ReregistrationConfig config) {
        int newAccess = config.access(access);
        checkChange(config, newAccess);
        int flags = config.flags();
        MemorySegment newMemory = config.segment();
        ArenaWatch newArena = newMemory == null ? arena : domain.context().watchArenaOf(newMemory);
        int result = RegistrationCalls.reregMr(
                region,
                flags,
                config.domain() == null ? MemorySegment.NULL : config.domain().segment(),
                newMemory == null ? MemorySegment.NULL : newMemory,
                newMemory == null ? 0 : newMemory.byteSize(),
                (flags & RdmaHeaders.IBV_REREG_MR_CHANGE_ACCESS()) == 0 ? 0 : newAccess);
        // Of the other codes, one means that only the marking of the old range for fork(2) failed.
        if (result != 0 && result != RdmaHeaders.IBV_REREG_MR_ERR_DO_FORK_OLD()) {
            throw changeFailed(flags, newMemory, newAccess, result, NativeCalls.lastErrno());
        }
        if (config.domain() != null) {
            moveTo(domain, config.domain());
            domain = config.domain();
        }
        access = newAccess;
        readKeys();
        if (newMemory != null) {
            memory = newMemory;
            arena = newArena;
            address = newMemory.address();
            length = newMemory.byteSize();
            freeOldMemory();
        }
    }

    /** What a native call of another thread still uses is freed with the region. */
    private void freeOldMemory() {
        ownedArenas.removeIf(arena -> {
            try {
                arena.close();
                return true;
            } catch (IllegalStateException inUse) {
                return !arena.scope().isAlive();
            }
        });
    }

    private void checkChange(ReregistrationConfig config, int newAccess) {
        requireOwnedByUser();
        if (domain.windows().anyMatch(window -> window.isBoundTo(this))) {
            throw new IllegalStateException(
                    "memory windows are bound to " + this + ": unbind or close them before it is registered anew");
        }
        if (config.flags() == 0) {
            throw new IllegalArgumentException(
                    "nothing to change: neither segment, protectionDomain nor access was called");
        }
        if (memory == null) {
            throw new IllegalArgumentException(this + " is not host memory, which alone can be registered anew");
        }
        MemoryRegistration.checkMemory(Objects.requireNonNullElse(config.segment(), memory), newAccess);
        if (config.domain() != null) {
            config.domain().requireOpen();
            if (config.domain().context() != domain.context()) {
                throw new IllegalArgumentException(config.domain() + " belongs to another device context");
            }
        }
    }

    private VerbsException changeFailed(int flags, MemorySegment newMemory, int newAccess, int result, int errno) {
        String operation = "ibv_rereg_mr(0x%x, %d bytes, flags=0x%x%s, access=%s)"
                .formatted(
                        address,
                        length,
                        flags,
                        newMemory == null
                                ? ""
                                : ", address=0x%x, length=%d".formatted(newMemory.address(), newMemory.byteSize()),
                        AccessFlag.of(newAccess));
        boolean oldOneStands = result == RdmaHeaders.IBV_REREG_MR_ERR_INPUT()
                || result == RdmaHeaders.IBV_REREG_MR_ERR_DONT_FORK_NEW()
                || errno == Errno.EOPNOTSUPP
                || errno == Errno.ENOSYS;
        if (oldOneStands) {
            return Failures.of(operation, errno);
        }
        VerbsException failure = Failures.of(
                operation,
                errno,
                "neither the old registration nor the new one can be used, so the region was closed",
                "register the memory again");
        try {
            close();
        } catch (VerbsException e) {
            failure.addSuppressed(e);
        }
        return failure;
    }

    @Override
    public long handle() {
        requireOpen();
        return domain == null ? address : region.address();
    }

    @Override
    void release() {
        if (domain == null) {
            return;
        }
        domain.closeWindowsBoundTo(this);
        if (imported) {
            ExportedVerb.UNIMPORT_MR.call(region);
            return;
        }
        MemoryDeregistrationEvent event = Recorder.isThere() ? MemoryDeregistrationEvent.begun() : null;
        int result = ExportedVerb.DEREG_MR.number(region);
        if (result != 0 && closeWindowsThatMayBeBound()) {
            result = ExportedVerb.DEREG_MR.number(region);
        }
        if (event != null) {
            event.over(domain.context().device().name(), length, result);
        }
        Failures.check("ibv_dereg_mr(0x%x, %d bytes)".formatted(address, length), result);
    }

    /**
     * Those whose end of a binding failed, with the connection for instance: the adapter knows of it, and this process
     * need not.
     */
    private boolean closeWindowsThatMayBeBound() {
        List<MemoryWindow> windows =
                domain.windows().filter(window -> window.mayBeBoundTo(this)).toList();
        windows.forEach(MemoryWindow::close);
        return !windows.isEmpty();
    }

    @Override
    void afterRelease() {
        for (Arena arena : ownedArenas) {
            closeMemory(arena);
        }
    }

    @Override
    IllegalStateException closedException() {
        boolean arenaClosed = memory != null && !memory.scope().isAlive();
        return arenaClosed
                ? closedException(this + " is closed, as is the arena of its memory")
                : super.closedException();
    }

    @Override
    void requireOwnedByUser() {
        if (pooled && isOpen()) {
            throw new IllegalStateException(
                    this + " belongs to a memory pool, which closes it: return the memory that you took from the pool");
        }
    }

    /** {@return address and length; the keys, with which a peer could use the memory, are hidden} */
    @Override
    public String toString() {
        return "memory region 0x%x, %d bytes, lkey %s, rkey %s"
                .formatted(address(), length(), Keys.text(localKey), Keys.text(remoteKey));
    }
}
