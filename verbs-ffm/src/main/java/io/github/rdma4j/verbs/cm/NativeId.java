// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.bindings.rdma_cm_id;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.internal.ClosePlace;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * The part of a {@link ConnectionId} that holds the {@code struct rdma_cm_id}: calls are made while it can neither be
 * closed nor move to another channel, and what it says of itself is read so.
 */
abstract sealed class NativeId permits QueuePairOwner {
    private final MemorySegment id;
    private final PortSpace portSpace;
    private volatile EventChannel channel;
    /** Null before the close, and where places are not kept. */
    private ClosePlace closePlace;

    private volatile boolean closed;
    private volatile Object attachment;

    NativeId(EventChannel channel, MemorySegment id, PortSpace portSpace) {
        this.channel = channel;
        this.id = id.reinterpret(rdma_cm_id.sizeof());
        this.portSpace = portSpace;
    }

    /** Runs a call while this id can neither be closed nor move to another channel. */
    <T> T locked(Supplier<T> call) {
        ReentrantLock lock = lockChannel();
        try {
            if (closed) {
                throw new IllegalStateException(this + " is closed", closePlace);
            }
            return call.get();
        } finally {
            lock.unlock();
        }
    }

    /** To be unlocked by whoever calls it. */
    ReentrantLock lockChannel() {
        while (true) {
            EventChannel current = channel;
            current.lock().lock();
            if (current == channel) {
                return current.lock();
            }
            current.lock().unlock();
        }
    }

    /** Runs a native call that returns 0 or an errno; after EINVAL, the exception says what the call needs. */
    void call(String operation, String needs, ToIntFunction<SegmentAllocator> native_) {
        locked(() -> {
            try (Arena arena = Arena.ofConfined()) {
                int errno = native_.applyAsInt(arena);
                if (errno != 0) {
                    throw Failures.of(
                            operation,
                            errno,
                            errno == Errno.EINVAL ? "it needs " + needs : "",
                            CmStatus.remedyOfCall(errno));
                }
                return null;
            }
        });
    }

    MemorySegment requireDevice(String operation, String before) {
        MemorySegment context = rdma_cm_id.verbs(id);
        if (context.address() == 0) {
            throw new IllegalStateException(
                    "%s: %s is not bound to a device; first comes %s".formatted(operation, this, before));
        }
        return context;
    }

    /** Called with the locks of both channels held. */
    void moved(EventChannel target) {
        channel = target;
    }

    /** Called with the channel's lock held, when the native id is gone. */
    void ended(ClosePlace place) {
        closePlace = place;
        closed = true;
    }

    MemorySegment segment() {
        return id;
    }

    /** {@return which service its address and port stand for} */
    public PortSpace portSpace() {
        return portSpace;
    }

    /** {@return where its events arrive} */
    public EventChannel channel() {
        return channel;
    }

    /** {@return what {@link #attach} was given last; null at first} */
    public Object attachment() {
        return attachment;
    }

    /**
     * Keeps an object for the program: what its event loop wants to know of this id.
     *
     * @param object anything, or null
     */
    public void attach(Object object) {
        attachment = object;
    }

    /** {@return the device that the id is bound to, as rdma_cm has opened it; empty before it is bound} */
    public Optional<DeviceContext> device() {
        return locked(() -> Optional.of(rdma_cm_id.verbs(id))
                .filter(context -> context.address() != 0)
                .map(CmDevices::of));
    }

    /** {@return the device's port, from 1; 0 before the id is bound to a device} */
    public int port() {
        return locked(() -> Byte.toUnsignedInt(rdma_cm_id.port_num(id)));
    }

    /** Of one whose device is not known yet or not there any more nobody can tell. */
    boolean isOnInfiniBand() {
        try {
            Optional<DeviceContext> device = device();
            return device.isPresent() && device.get().port(port()).linkLayer() == LinkLayer.INFINIBAND;
        } catch (VerbsException | IllegalStateException e) {
            return false;
        }
    }

    /** {@return the local address and port; empty before they are known} */
    public Optional<InetSocketAddress> localAddress() {
        return locked(() -> IdAddresses.local(id));
    }

    /** {@return the peer's address and port; empty before they are known} */
    public Optional<InetSocketAddress> peerAddress() {
        return locked(() -> IdAddresses.peer(id));
    }

    /** {@return the local GID; all zeros before it is known} */
    public Gid localGid() {
        return locked(() -> IdAddresses.localGid(id));
    }

    /** {@return the peer's GID; all zeros before it is known} */
    public Gid peerGid() {
        return locked(() -> IdAddresses.peerGid(id));
    }

    /** {@return whether {@link ConnectionId#close()} has not been called yet} */
    public boolean isOpen() {
        return !closed;
    }

    /**
     * The native pointer, for a call that is not wrapped yet. It is valid until the id is closed; nothing guards its
     * use.
     *
     * @return the address of the {@code struct rdma_cm_id}
     * @throws IllegalStateException if the id is closed
     */
    public long handle() {
        return locked(id::address);
    }

    /** {@return port space and addresses, as far as they are known} */
    @Override
    public String toString() {
        ReentrantLock lock = lockChannel();
        try {
            return "connection id of port space %s%s".formatted(portSpace, closed ? "" : IdAddresses.describe(id));
        } finally {
            lock.unlock();
        }
    }
}
