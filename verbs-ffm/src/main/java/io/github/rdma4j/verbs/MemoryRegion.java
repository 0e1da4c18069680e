// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.base.UseGuard;
import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_mr;
import io.github.rdma4j.verbs.device.EfaInterconnects;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.HostKeys;
import io.github.rdma4j.verbs.internal.ImportCalls;
import io.github.rdma4j.verbs.internal.Keys;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.PageSize;
import io.github.rdma4j.verbs.internal.RegionAccess;
import io.github.rdma4j.verbs.internal.RegistrationCalls;
import io.github.rdma4j.verbs.internal.device.EfaQueries;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A registered memory region ({@code struct ibv_mr}), which work requests name by a local key and peers by a remote
 * key. It is usually pinned host memory. It can also be memory of another device or of the adapter itself, which has no
 * segment.
 *
 * <p>Thread safety: all methods may be called from any thread. Closing a region while the adapter works on it is safe
 * for this process; outstanding requests fail with {@link WorkCompletionStatus#LOC_PROT_ERR} here or
 * {@link WorkCompletionStatus#REM_ACCESS_ERR} at the peer. Over TCP, threads of endpoints copy the memory: the close
 * waits for a copy in progress, and no copy begins after it.
 *
 * @since 0.1.0
 */
public final class MemoryRegion extends Resource {
    static {
        RegionAccess.door(new RegionAccess.Door() {
            @Override
            public void keep(AutoCloseable region) {
                ((MemoryRegion) region).pooled = true;
            }

            @Override
            public void close(AutoCloseable region) {
                ((MemoryRegion) region).closeTree();
            }

            @Override
            public UseGuard guard(AutoCloseable region) {
                return ((MemoryRegion) region).copyGuard();
            }

            @Override
            public void closeWith(AutoCloseable part, AutoCloseable region) {
                ((MemoryRegion) part).closeWith((MemoryRegion) region);
            }
        });
    }

    private ProtectionDomain domain;
    /** Null if the process has no address for it. */
    private MemorySegment memory;
    /** Freed with the region; empty if the memory belongs to the program. */
    private final List<Arena> ownedArenas = new ArrayList<>(0);
    /** Closes the region when the program closes the arena of the memory; null if there is none. */
    private ArenaWatch arena;

    private final MemorySegment region;
    private long address;
    private long length;
    private int access;
    private int localKey;
    private int remoteKey;
    /** The event of Flight Recorder while the region is being deregistered, or null. */
    private MemoryDeregistrationEvent deregistration;
    /** Whether another process has registered the region, and deregisters it. */
    private boolean imported;
    /** Whether the region belongs to a memory pool, which alone closes it. */
    private volatile boolean pooled;
    /** Entered by threads that copy for an endpoint over TCP; null before the first copy. */
    private volatile UseGuard copyGuard;
    /** Regions that are closed with this one; null if there were none. */
    private volatile Set<MemoryRegion> parts;
    /** The region that this one is closed with; null if there is none. */
    private volatile MemoryRegion whole;

    /** Parents besides the domain are what the memory belongs to, and are closed after the region. */
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

    /** Creates a region of host memory that is registered with no adapter: the root of its own tree. */
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
     * Allocates host memory that is registered with no adapter, for transfers of endpoints over TCP. It needs no RDMA
     * device and no native library, and is not pinned. Its keys are random numbers, by which peers of such endpoints
     * name it. Queue pairs cannot use it.
     *
     * @param size in bytes, above 0
     * @param access the rights, besides local reading; remote writing and atomics need {@link AccessFlag#LOCAL_WRITE}
     * @return the region, zeroed and aligned to a page; the program closes it
     * @throws IllegalArgumentException if the size is below 1, or the flags do not go together
     * @throws OutOfMemoryError if the process cannot allocate that much
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
     * Makes a region of native memory that the program has allocated, like {@link #withoutAdapter(long, AccessFlag...)}
     * but without new memory. When the arena of the segment is closed, transfers to and from the region fail.
     *
     * @param segment native memory of any size above 0
     * @param access the rights, besides local reading
     * @return the region; the program closes it, which does not free the memory
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

    /** Registers memory of an arena of the program. */
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

    /** Returns null if the memory does not belong to an arena of the program. */
    ArenaWatch arena() {
        return arena;
    }

    private UseGuard copyGuard() {
        UseGuard guard = copyGuard;
        return guard == null ? createCopyGuard() : guard;
    }

    private synchronized UseGuard createCopyGuard() {
        if (copyGuard == null) {
            copyGuard = new UseGuard();
        }
        return copyGuard;
    }

    private void closeWith(MemoryRegion other) {
        other.addPart(this);
        whole = other;
        // A close that began before has not seen this part.
        other.requireOpen();
    }

    private synchronized void addPart(MemoryRegion part) {
        if (parts == null) {
            parts = ConcurrentHashMap.newKeySet();
        }
        parts.add(part);
    }

    private void readKeys() {
        localKey = ibv_mr.lkey(region);
        remoteKey = ibv_mr.rkey(region);
    }

    /**
     * Returns the memory, as it was passed to the registration.
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
     * {@return whether the region has a segment; false for a dma-buf, device memory, bare addresses, the whole address
     * space and the null region}
     */
    public boolean hasSegment() {
        return memory != null;
    }

    /**
     * Returns the kernel's handle, by which a process that has imported the device imports the region; see
     * {@link ProtectionDomain#importMemoryRegion}.
     *
     * @return the handle
     * @throws UnsupportedOperationException if the region has no adapter
     */
    public int kernelHandle() {
        requireAdapter("the kernel's handle");
        return locked(() -> ibv_mr.handle(region));
    }

    /**
     * Queries the interconnects by which an Elastic Fabric Adapter reaches the region (efadv_query_mr(3)).
     *
     * @return the interconnects
     * @throws UnsupportedOperationException if the region has no adapter
     * @throws UnsupportedVerbException if the device is not an EFA, or the kernel does not report them, and before
     *     rdma-core 50
     * @throws VerbsException if the query fails
     */
    public EfaInterconnects queryEfaInterconnects() {
        requireAdapter("its interconnects");
        return locked(() -> EfaQueries.interconnects(domain.context().driver(), region));
    }

    /**
     * Returns the domain that the region is registered in.
     *
     * @return the domain
     * @throws UnsupportedOperationException if the region has no adapter: see {@link #hasAdapter()}
     */
    public ProtectionDomain protectionDomain() {
        requireAdapter("the protection domain");
        return domain;
    }

    /** Returns the domain, for the hot path; null if the region has no adapter. */
    ProtectionDomain domain() {
        return domain;
    }

    /**
     * Returns whether the region is registered with an adapter. A region of
     * {@link #withoutAdapter(long, AccessFlag...)} is not, and only endpoints over TCP can use it.
     *
     * @return false for such a region
     */
    public boolean hasAdapter() {
        return domain != null;
    }

    private void requireAdapter(String what) {
        if (domain == null) {
            throw new UnsupportedOperationException(what + " was requested of " + this
                    + ", which is registered with no adapter: use memory from allocateMemory, or register it in a"
                    + " ProtectionDomain");
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
     * {@return the address of the first byte in work requests: the address of the segment unless the registration named
     * another}
     */
    public long address() {
        return address;
    }

    /** {@return the number of bytes; {@link Long#MAX_VALUE} for the whole address space and the null region} */
    public long length() {
        return length;
    }

    /**
     * Returns a part of the region, for work requests. Slices are small immutable objects: create the slices of a hot
     * loop before the loop.
     *
     * @param offset from the start of the region, in bytes; in a region of the whole address space, the address
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
     * Returns the part of the region that a segment covers, for work requests. The slice does not keep the segment
     * reachable.
     *
     * @param part a part of {@link #segment()}, or any native segment if the region is the whole address space
     * @return the part
     * @throws IllegalArgumentException if the segment is on the heap
     * @throws IndexOutOfBoundsException if it does not lie within the region
     * @throws UnsupportedOperationException if the region is a dma-buf, device memory or the null region
     */
    public MemorySlice slice(MemorySegment part) {
        if (!part.isNative()) {
            throw new IllegalArgumentException("a part of a region is native memory, and " + part + " is on the heap");
        }
        boolean addressSpace =
                memory == null && length == MemoryRegistration.UNBOUNDED && AccessFlag.ON_DEMAND.in(access);
        return slice(part.address() - (addressSpace ? 0 : segment().address()), part.byteSize());
    }

    /** {@return the rights besides local reading, as of the last registration or reregistration} */
    public Set<AccessFlag> access() {
        EnumSet<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        flags.addAll(AccessFlag.of(access));
        return Collections.unmodifiableSet(flags);
    }

    /**
     * Returns whether the region is a chunk of a
     * {@linkplain io.github.rdma4j.verbs.pool.RegisteredMemoryPool memory pool}. Such a region and its remote key cover
     * much more memory than one user of the pool has taken, and only the pool closes and changes it.
     *
     * @return true if it belongs to a pool
     */
    public boolean isPooled() {
        return pooled;
    }

    /**
     * Returns whether the region grants a right. Like {@link #access()}, but allocates nothing.
     *
     * @param flag the right
     * @return true if the last registration or reregistration granted it
     */
    public boolean allows(AccessFlag flag) {
        return flag.in(access);
    }

    /** {@return the address, length and remote key of the whole region: a value to send to a peer} */
    public RemoteMemory remoteMemory() {
        return new RemoteMemory(address(), length(), remoteKey);
    }

    /**
     * Changes the memory, the protection domain or the rights of the registration in one call (ibv_rereg_mr(3)). This
     * is faster than closing the region and registering it again. The keys may change. {@linkplain MemorySlice Slices}
     * and {@link RemoteMemory} values that were made before belong to the old registration. No request that uses the
     * region may be outstanding.
     *
     * <p>If the adapter itself refuses, neither the old nor the new registration can be used, and the region is closed.
     *
     * @param configuration sets what changes
     * @throws IllegalArgumentException if nothing was set, or the values contradict each other; nothing has changed
     *     then
     * @throws IllegalStateException if memory windows are bound to the region, or it belongs to a memory pool; nothing
     *     has changed then
     * @throws UnsupportedVerbException if the device does not support it; nothing has changed then
     * @throws UnsupportedOperationException if the region has no adapter
     * @throws VerbsException if it fails; {@link #isOpen()} says whether the old registration is still valid
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
        // One of the other codes means that only marking the old range for fork(2) failed.
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

    /** Frees the old memory with the region, because a native call of another thread may still use it. */
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
                    "memory windows are bound to " + this + ": unbind or close them before you reregister it");
        }
        if (config.flags() == 0) {
            throw new IllegalArgumentException(
                    "nothing to change: neither segment, protectionDomain nor access was called");
        }
        if (memory == null) {
            throw new IllegalArgumentException(this + " is not host memory: only host memory can be reregistered");
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
        if (parts != null) {
            parts.forEach(MemoryRegion::closeTree);
        }
        // The region is marked as closed: a thread that creates the guard later sees that.
        if (copyGuard != null) {
            copyGuard.close();
        }
        if (domain == null) {
            return;
        }
        domain.closeWindowsBoundTo(this);
        if (imported) {
            ExportedVerb.UNIMPORT_MR.call(region);
            return;
        }
        deregistration = Recorder.isThere() ? MemoryDeregistrationEvent.begun() : null;
        int result = ExportedVerb.DEREG_MR.number(region);
        if (result != 0 && closeWindowsThatMayBeBound()) {
            result = ExportedVerb.DEREG_MR.number(region);
        }
        if (result != 0) {
            endDeregistration(result);
            throw Failures.of("ibv_dereg_mr(0x%x, %d bytes)".formatted(address, length), result);
        }
    }

    private void endDeregistration(int result) {
        MemoryDeregistrationEvent event = deregistration;
        deregistration = null;
        if (event != null) {
            event.over(domain.context().device().name(), length, result);
        }
    }

    /**
     * Closes windows whose unbinding failed, for instance with the connection: the adapter may still have them bound.
     */
    private boolean closeWindowsThatMayBeBound() {
        List<MemoryWindow> windows =
                domain.windows().filter(window -> window.mayBeBoundTo(this)).toList();
        windows.forEach(MemoryWindow::close);
        return !windows.isEmpty();
    }

    @Override
    void reopen() {
        if (copyGuard != null) {
            copyGuard.reopen();
        }
    }

    @Override
    void afterRelease() {
        endDeregistration(0);
        if (whole != null) {
            whole.parts.remove(this);
        }
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

    /** {@return address and length; the keys are hidden, because a peer could use the memory with them} */
    @Override
    public String toString() {
        return "memory region 0x%x, %d bytes, lkey %s, rkey %s"
                .formatted(address(), length(), Keys.text(localKey), Keys.text(remoteKey));
    }
}
