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
 * A memory window ({@code struct ibv_mw}): a remote key of its own for a part of a {@link MemoryRegion}, with rights of
 * its own, that can be given to a peer and taken back without registering memory anew. The region needs
 * {@link AccessFlag#MW_BIND}.
 *
 * <p>A window of {@linkplain MemoryWindowType#TYPE_1 type 1} is bound here, with {@link #postBind}. One of
 * {@linkplain MemoryWindowType#TYPE_2 type 2} is bound by a work request of the queue pair that it shall belong to:
 * {@link QueuePair#postBindMemoryWindow}.
 *
 * <p>Closing a region closes the windows that are bound to it; closing a queue pair, those of type 2 that belong to it.
 *
 * <p>Thread safety: all methods may be called from any thread. {@link #postBind} and {@link #postUnbind} are not of the
 * hot path: each call allocates.
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
    /** Before the last binding that was posted. */
    private volatile State previous;

    /**
     * Through which a window of type 2 may be bound: all since the last invalidation, because a binding that was posted
     * last may have failed, and SoftRoCE stalls for most of a minute when a queue pair is destroyed that has a window.
     */
    private final Set<QueuePair> queues = new HashSet<>();

    /**
     * All that it was ever bound to and that is still open: a later binding, or the end of one, may have failed in the
     * adapter. Guarded by the tree's lock.
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
                    errno == Errno.ENOMEM ? "close windows that are not used" : "");
        }
        window = created.reinterpret(ibv_mw.sizeof());
        windowAddress = window.address();
        state = new State(ibv_mw.rkey(window), null, false);
        previous = state;
    }

    /** {@return the protection domain that it was allocated in} */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** {@return how it is bound} */
    public MemoryWindowType type() {
        return type;
    }

    /**
     * {@return the remote key ({@code rkey}) of the last binding that was posted; before the first, one that gives no
     * access}
     */
    public int remoteKey() {
        return state.remoteKey;
    }

    /**
     * {@return the key to bind a window of type 2 with next: the same with its low byte counted up (ibv_inc_rkey(3))}
     */
    public int nextRemoteKey() {
        return increment(state.remoteKey);
    }

    /** ibv_inc_rkey(3): the low byte is the user's tag, the rest the adapter's index. */
    static int increment(int key) {
        return key & ~0xff | key + 1 & 0xff;
    }

    /**
     * What a peer names in its work requests: a value to send there, once the binding has completed (or by a send that
     * is posted behind the binding on the same queue pair).
     *
     * @return the part of the region that the window was last bound to, with the window's key
     * @throws IllegalStateException if it is not bound, or closed
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
     * Posts the binding of a window of type 1 (ibv_bind_mw(3)): when it has completed, a peer can use the part of the
     * region as the flags allow, with a new {@link #remoteKey()}; the old key, of an earlier binding, has become
     * invalid.
     *
     * @param queuePair of the same protection domain, connected, of type RC or UC
     * @param workRequestId comes back in the completion
     * @param slice what the peer may use, of a region with {@link AccessFlag#MW_BIND}; not empty
     * @param flags {@link SendFlags#SIGNALED} and {@link SendFlags#FENCE}, or {@link SendFlags#NONE}
     * @param access of {@link AccessFlag#REMOTE_WRITE}, {@link AccessFlag#REMOTE_READ},
     *     {@link AccessFlag#REMOTE_ATOMIC} and {@link AccessFlag#ZERO_BASED}; writing and atomics need a region with
     *     {@link AccessFlag#LOCAL_WRITE}
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno. If the completion says that the binding failed, the
     *     window remains as it was: tell it so with {@link #bindingFailed()}
     * @throws IllegalArgumentException if the arguments do not go together, the window is of type 2, or the queue pair
     *     of a type that binds none
     * @throws IllegalStateException if the window, the region or the queue pair is closed, or the queue pair not
     *     connected
     * @throws UnsupportedVerbException if the device's library refuses {@link AccessFlag#ZERO_BASED}, as SoftRoCE's
     *     does, or would write into a ring that is this library's
     */
    public int postBind(QueuePair queuePair, long workRequestId, MemorySlice slice, int flags, AccessFlag... access) {
        int mask = AccessFlag.mask(access);
        checkBinding(MemoryWindowType.TYPE_1, queuePair, slice, mask);
        return post(queuePair, workRequestId, slice, flags, mask);
    }

    /**
     * Posts the end of a binding of type 1: the window is bound to nothing, and its key gives no access any more. Does
     * nothing but return 0, without a completion, if the window is not bound.
     *
     * @param queuePair of the same protection domain, connected
     * @param workRequestId comes back in the completion
     * @param flags {@link SendFlags#SIGNALED} and {@link SendFlags#FENCE}, or {@link SendFlags#NONE}
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together, the window is of type 2, or the queue pair
     *     of a type that binds none
     * @throws IllegalStateException if the window or the queue pair is closed, or the queue pair not connected
     * @throws UnsupportedVerbException if the device's library would write into a ring that is this library's
     */
    public int postUnbind(QueuePair queuePair, long workRequestId, int flags) {
        requireOpen();
        requireUsableOn(MemoryWindowType.TYPE_1, queuePair);
        MemorySlice slice = state.slice;
        return slice == null ? 0 : post(queuePair, workRequestId, slice.slice(0, 0), flags, 0);
    }

    /**
     * Makes this object tell what it told before the last binding was posted; for a binding whose completion says that
     * it failed. The adapter knows that already.
     */
    public void bindingFailed() {
        locked(() -> {
            state = previous;
            ibv_mw.rkey(window, state.remoteKey);
            return null;
        });
    }

    private int post(QueuePair queuePair, long workRequestId, MemorySlice slice, int flags, int access) {
        if ((flags & ~SEND_FLAGS) != 0) {
            throw new IllegalArgumentException("flags 0x%x: a binding takes SIGNALED and FENCE only".formatted(flags));
        }
        if (Mlx5Paths.areOf(domain.context()) && queuePair.sendPath().path() == DataPath.RINGS) {
            throw new UnsupportedVerbException(
                    "ibv_bind_mw",
                    Errno.EOPNOTSUPP,
                    "libmlx5 would write into the ring of %s by itself: open the device for functions, or use a window"
                                    .formatted(queuePair)
                            + " of type 2");
        }
        // The lock first: closing a queue pair holds it while it waits for the guard.
        int errno = locked(() -> {
            slice.region().requireOpen();
            queuePair.enterSend();
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment bind = ibv_mw_bind.allocate(arena);
                ibv_mw_bind.wr_id(bind, workRequestId);
                ibv_mw_bind.send_flags(bind, flags);
                MemorySegment info = ibv_mw_bind.bind_info(bind);
                // Never NULL, also not for length 0, as the manual would allow: SoftRoCE's library follows the pointer.
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
                queuePair.exitSend();
            }
        });
        int told = queuePair.result(errno);
        if (told == Errno.EINVAL && AccessFlag.ZERO_BASED.in(access)) {
            // As SoftRoCE's library does, whatever else is right.
            throw new UnsupportedVerbException(
                    "ibv_bind_mw(%s, %s)".formatted(this, slice),
                    told,
                    "the device's library binds no window of type 1 with ZERO_BASED",
                    "leave ZERO_BASED away: remoteMemory() tells the peer the address");
        }
        return told;
    }

    /**
     * The checks of a binding of either type; the kernel or the adapter would say only EINVAL, or break the connection.
     */
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
                    "%s: MemoryWindow.postBind binds type 1, SendBatch.bindMemoryWindow type 2".formatted(this));
        }
        Checks.operation(queue.checks().type(), SendOpcode.BIND_MEMORY_WINDOW);
        if (!queue.checks().domain().isSameAs(domain)) {
            throw new IllegalArgumentException(queue + " is of another protection domain than " + this);
        }
    }

    /** The adapter's part of a key of type 2 is not the user's to choose. */
    void checkKey(int key) {
        if (((key ^ state.remoteKey) & ~0xff) != 0) {
            throw new IllegalArgumentException(
                    "another window's key: one of %s differs from its present key in the low byte only"
                            .formatted(this));
        }
    }

    /** The {@code struct ibv_mw}, for the posting of type 2. */
    long segmentAddress() {
        return windowAddress;
    }

    /** Takes note of a binding of type 2 that was posted. */
    void bound(QueuePair queue, MemorySlice slice, int access, int key) {
        queues.add(queue);
        becomes(key, slice, access);
    }

    /**
     * Takes note that a window of type 2 was invalidated, by a local invalidate that has completed or by a peer's send;
     * without it, closing the region or the queue pair closes this window too.
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

    /** Whether it is bound to a region, or as type 2 may belong to a queue pair; with the lock held. */
    boolean isBoundTo(Resource resource) {
        State current = state;
        return resource instanceof QueuePair && queues.contains(resource)
                || current.slice != null && current.slice.region() == resource;
    }

    /** Whether the adapter may have it bound to a region still; with the lock held. */
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

    /** {@return the type; the key, with which a peer could use the memory, is hidden} */
    @Override
    public String toString() {
        return "memory window of %s, rkey %s".formatted(type, Keys.text(remoteKey()));
    }
}
