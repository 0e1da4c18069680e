// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_mw;
import io.github.rdma4j.verbs.bindings.ibv_mw_bind;
import io.github.rdma4j.verbs.bindings.ibv_mw_bind_info;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.Keys;
import io.github.rdma4j.verbs.internal.MemoryWindowCalls;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.SendOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;

/**
 * A memory window ({@code struct ibv_mw}): a separate remote key, with its own rights, for a part of a
 * {@link MemoryRegion}. It can be granted to a peer and revoked without registering memory again. The region needs
 * {@link AccessFlag#MW_BIND}.
 *
 * <p>A window of {@linkplain MemoryWindowType#TYPE_1 type 1} is bound here, with {@link #tryPostBind}. A window of
 * {@linkplain MemoryWindowType#TYPE_2 type 2} is bound by a work request of the queue pair that it will belong to:
 * {@link QueuePair#tryPostBindMemoryWindow}.
 *
 * <p>Closing a region closes the windows that are bound to it. Closing a queue pair closes the windows of type 2 that
 * belong to it.
 *
 * <p>Thread safety: all methods may be called from any thread. {@link #tryPostBind} and {@link #tryPostUnbind} are not
 * for the hot path: each call allocates.
 *
 * @since 0.1.0
 */
public final class MemoryWindow extends Resource {
    private static final int REMOTE = AccessFlag.mask(
            AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC, AccessFlag.ZERO_BASED);
    private static final int SEND_FLAGS = SendFlags.SIGNALED | SendFlags.FENCE;

    private final ProtectionDomain domain;
    private final MemoryWindowType type;
    private final MemorySegment window;
    private final long windowAddress;
    private volatile State state;
    /** The state before the last binding that was posted. */
    private volatile State previous;

    /**
     * The queue pairs through which a window of type 2 may be bound: all since the last invalidation. The last binding
     * may have failed, and SoftRoCE stalls for most of a minute when it destroys a queue pair that has a window.
     */
    private final Set<QueuePair> queues = new HashSet<>();

    /**
     * All open regions that the window was ever bound to: a later binding or unbinding may have failed in the adapter.
     * Guarded by the tree's lock.
     */
    private final Set<MemoryRegion> regions = new HashSet<>();

    /** The slice is null if the window is bound to nothing. */
    private record State(int remoteKey, MemorySlice slice, boolean zeroBased) {}

    MemoryWindow(ProtectionDomain domain, MemoryWindowType type) {
        super(domain);
        this.domain = domain;
        this.type = type;
        MemorySegment created = MemoryWindowCalls.alloc(domain.context().segment(), domain.segment(), type.code());
        if (created.address() == 0) {
            int errno = NativeCalls.lastErrno();
            throw Failures.of(
                    "ibv_alloc_mw(%s, %s)".formatted(domain.context().device().name(), type),
                    errno,
                    "",
                    errno == Errno.ENOMEM ? "close unused windows" : "");
        }
        window = created.reinterpret(ibv_mw.sizeof());
        windowAddress = window.address();
        state = new State(ibv_mw.rkey(window), null, false);
        previous = state;
    }

    /** {@return the protection domain that the window was allocated in} */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** {@return how the window is bound} */
    public MemoryWindowType type() {
        return type;
    }

    /**
     * {@return the remote key ({@code rkey}) of the last binding that was posted; before the first binding, a key
     * without access}
     */
    public int remoteKey() {
        return state.remoteKey;
    }

    /**
     * {@return the key for the next binding of a window of type 2: the current key with its low byte incremented
     * (ibv_inc_rkey(3))}
     */
    public int nextRemoteKey() {
        return increment(state.remoteKey);
    }

    /** ibv_inc_rkey(3): the low byte is the program's tag, the rest is the adapter's index. */
    static int increment(int key) {
        return key & ~0xff | key + 1 & 0xff;
    }

    /**
     * Returns the memory that a peer names in its work requests: a value to send to the peer once the binding has
     * completed, or by a send that is posted after the binding on the same queue pair.
     *
     * @return the part of the region that the window was last bound to, with the window's key
     * @throws IllegalStateException if the window is not bound, or closed
     */
    public RemoteMemory remoteMemory() {
        requireOpen();
        State current = state;
        if (current.slice == null) {
            throw new IllegalStateException(this + " is not bound");
        }
        return new RemoteMemory(
                current.zeroBased ? 0 : current.slice.address(), current.slice.length(), current.remoteKey);
    }

    /**
     * Posts the binding of a window of type 1 (ibv_bind_mw(3)). When it has completed, a peer can use the slice as the
     * flags allow, with the new {@link #remoteKey()}. The key of an earlier binding is then invalid.
     *
     * @param queuePair of the same protection domain, connected, of type RC or UC
     * @param workRequestId identifies the request in its completion
     * @param slice the part that the peer may use, of a region with {@link AccessFlag#MW_BIND}; not empty
     * @param flags {@link SendFlags#SIGNALED} and {@link SendFlags#FENCE}, or {@link SendFlags#NONE}
     * @param access of {@link AccessFlag#REMOTE_WRITE}, {@link AccessFlag#REMOTE_READ},
     *     {@link AccessFlag#REMOTE_ATOMIC} and {@link AccessFlag#ZERO_BASED}; writing and atomics need a region with
     *     {@link AccessFlag#LOCAL_WRITE}
     * @return true if it was posted, false if the queue is full. If the completion reports that the binding failed,
     *     the window is unchanged: call {@link #bindingFailed()}
     * @throws IllegalArgumentException if an argument is invalid, the window is of type 2, or the type of the queue
     *     pair binds no windows
     * @throws IllegalStateException if the window, the region or the queue pair is closed, or the queue pair not
     *     connected
     * @throws UnsupportedVerbException if the device's library refuses {@link AccessFlag#ZERO_BASED}, like SoftRoCE's
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostBind(
            QueuePair queuePair, long workRequestId, MemorySlice slice, int flags, AccessFlag... access) {
        int mask = AccessFlag.mask(access);
        checkBinding(MemoryWindowType.TYPE_1, queuePair, slice, mask);
        return post(queuePair, workRequestId, slice, flags, mask);
    }

    /**
     * Posts the unbinding of a window of type 1, whose key then gives no access. If the window is not bound, only
     * returns true, without a completion.
     *
     * @param queuePair of the same protection domain, connected
     * @param workRequestId identifies the request in its completion
     * @param flags {@link SendFlags#SIGNALED} and {@link SendFlags#FENCE}, or {@link SendFlags#NONE}
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if an argument is invalid, the window is of type 2, or the type of the queue
     *     pair binds no windows
     * @throws IllegalStateException if the window or the queue pair is closed, or the queue pair not connected
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostUnbind(QueuePair queuePair, long workRequestId, int flags) {
        requireOpen();
        requireUsableOn(MemoryWindowType.TYPE_1, queuePair);
        MemorySlice slice = state.slice;
        return slice == null || post(queuePair, workRequestId, slice.slice(0, 0), flags, 0);
    }

    /**
     * Restores the key and the slice from before the last binding that was posted. Call it if the completion reports
     * that the binding failed; the adapter needs no call.
     */
    public void bindingFailed() {
        locked(() -> {
            state = previous;
            ibv_mw.rkey(window, state.remoteKey);
            return null;
        });
    }

    private boolean post(QueuePair queuePair, long workRequestId, MemorySlice slice, int flags, int access) {
        if ((flags & ~SEND_FLAGS) != 0) {
            throw new IllegalArgumentException("flags 0x%x: a binding takes SIGNALED and FENCE only".formatted(flags));
        }
        // The lock first: closing a queue pair holds it while it waits for the guard.
        int errno = locked(() -> {
            slice.region().requireOpen();
            int entry = queuePair.enterSend();
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment bind = ibv_mw_bind.allocate(arena);
                ibv_mw_bind.wr_id(bind, workRequestId);
                ibv_mw_bind.send_flags(bind, flags);
                MemorySegment info = ibv_mw_bind.bind_info(bind);
                // Never NULL, even for length 0, which the manual allows: SoftRoCE's library dereferences the pointer.
                ibv_mw_bind_info.mr(info, MemorySegment.ofAddress(slice.region().handle()));
                ibv_mw_bind_info.addr(info, slice.address());
                ibv_mw_bind_info.length(info, slice.length());
                ibv_mw_bind_info.mw_access_flags(info, access);
                int result = Math.abs(
                        MemoryWindowCalls.bind(domain.context().segment(), queuePair.handle(), windowAddress, bind));
                if (result == 0) {
                    becomes(ibv_mw.rkey(window), slice.length() == 0 ? null : slice, access);
                }
                return result;
            } finally {
                queuePair.exitSend(entry);
            }
        });
        if (errno == Errno.EINVAL && AccessFlag.ZERO_BASED.in(access)) {
            PostRefusal.requireReadyToSend(queuePair, errno);
            // SoftRoCE's library refuses it, whatever the other arguments.
            throw new UnsupportedVerbException(
                    "ibv_bind_mw(%s, %s)".formatted(this, slice),
                    errno,
                    "the device's library binds no window of type 1 with ZERO_BASED",
                    "omit ZERO_BASED: remoteMemory() has the address for the peer");
        }
        return queuePair.accepted(errno);
    }

    /** Checks a binding of either type: the kernel or the adapter would report only EINVAL, or break the connection. */
    void checkBinding(MemoryWindowType wanted, QueuePair queue, MemorySlice slice, int access) {
        requireOpen();
        requireUsableOn(wanted, queue);
        MemoryRegion region = slice.region();
        region.requireOpen();
        if (region.protectionDomain() != domain && !region.protectionDomain().isSameAs(domain)) {
            throw new IllegalArgumentException(region + " is registered in another protection domain than " + this);
        }
        if (!region.allows(AccessFlag.MW_BIND)) {
            throw new IllegalArgumentException(region + " was registered without MW_BIND");
        }
        if (slice.length() == 0) {
            throw new IllegalArgumentException("a window cannot be bound to 0 bytes");
        }
        if ((access & ~REMOTE) != 0) {
            throw new IllegalArgumentException(
                    "%s: a window takes REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC and ZERO_BASED only"
                            .formatted(AccessFlag.of(access)));
        }
        boolean writes = AccessFlag.REMOTE_WRITE.in(access) || AccessFlag.REMOTE_ATOMIC.in(access);
        if (writes && !region.allows(AccessFlag.LOCAL_WRITE)) {
            throw new IllegalArgumentException(
                    "%s: %s was registered without LOCAL_WRITE".formatted(AccessFlag.of(access), region));
        }
    }

    private void requireUsableOn(MemoryWindowType wanted, QueuePair queue) {
        if (type != wanted) {
            throw new IllegalArgumentException(
                    "%s: MemoryWindow.tryPostBind binds type 1, SendBatch.bindMemoryWindow type 2".formatted(this));
        }
        Checks.operation(queue.checks().type(), SendOpcode.BIND_MEMORY_WINDOW);
        if (!queue.checks().domain().isSameAs(domain)) {
            throw new IllegalArgumentException(queue + " is of another protection domain than " + this);
        }
    }

    /** Checks that the adapter's part of a key of type 2 is unchanged. */
    void checkKey(int key) {
        if (((key ^ state.remoteKey) & ~0xff) != 0) {
            throw new IllegalArgumentException(
                    "another window's key: one of %s differs from its present key in the low byte only"
                            .formatted(this));
        }
    }

    /** Returns the address of the {@code struct ibv_mw}, to post a binding of type 2. */
    long segmentAddress() {
        return windowAddress;
    }

    /** Records a binding of type 2 that was posted. */
    void bound(QueuePair queue, MemorySlice slice, int access, int key) {
        queues.add(queue);
        becomes(key, slice, access);
    }

    /**
     * Records that a window of type 2 was invalidated, by a local invalidate that has completed or by a peer's send.
     * Without this call, closing the region or the queue pair also closes this window.
     */
    public void invalidated() {
        locked(() -> {
            queues.clear();
            regions.clear();
            becomes(state.remoteKey, null, 0);
            return null;
        });
    }

    private void becomes(int key, MemorySlice slice, int access) {
        previous = state;
        if (slice != null) {
            regions.removeIf(region -> !region.isOpen());
            regions.add(slice.region());
        }
        ibv_mw.rkey(window, key);
        state = new State(key, slice, AccessFlag.ZERO_BASED.in(access));
    }

    /**
     * Returns whether the window is bound to a region, or with type 2 may belong to a queue pair; called with the lock
     * held.
     */
    boolean isBoundTo(Resource resource) {
        State current = state;
        return resource instanceof QueuePair && queues.contains(resource)
                || current.slice != null && current.slice.region() == resource;
    }

    /** Returns whether the adapter may still have the window bound to a region; called with the lock held. */
    boolean mayBeBoundTo(MemoryRegion region) {
        return regions.contains(region);
    }

    @Override
    public long handle() {
        requireOpen();
        return windowAddress;
    }

    @Override
    void release() {
        Failures.check(
                "ibv_dealloc_mw(%s)".formatted(type),
                MemoryWindowCalls.dealloc(domain.context().segment(), windowAddress));
    }

    @Override
    void afterRelease() {
        domain.forget(this);
    }

    /** {@return the type; the key is hidden, because a peer could use the memory with it} */
    @Override
    public String toString() {
        return "memory window of %s, rkey %s".formatted(type, Keys.text(remoteKey()));
    }
}
