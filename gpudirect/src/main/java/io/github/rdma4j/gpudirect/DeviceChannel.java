// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaWaitInterruptedException;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.WorkCompletion;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Transfers of device and host memory, of any size, over one reliable connection. A {@link DeviceRegion} on a direct
 * path is read and written by the adapter itself; the bytes of a staged one go through a few pinned chunks, with copies
 * and transfers overlapping, and no more memory however long the transfer is. The two sides may differ in path.
 *
 * <p>What goes out, writes and sends, goes in the order in which it was asked for; reads, and receives, each in theirs.
 * A receive gets the message of one send, which may be shorter. A send waits until the peer receives, so no connection
 * is lost for want of a receive.
 *
 * <p>Nothing happens by itself: {@link #progress()} moves all transfers on, without waiting, and the waiting methods
 * call it. A transfer that fails because a copy or a post does leaves the channel usable, except that the adapter's
 * failures end the connection: {@link #failure()} tells.
 *
 * <p>Close it before what its transfers lie in. Thread safety: for one thread at a time; {@link #failure()} may be
 * asked by any thread.
 *
 * @since 0.1.0
 */
public final class DeviceChannel implements AutoCloseable {
    private static final Duration END = Duration.ofSeconds(5);
    private static final int SPINS = 200;
    private static final long PAUSE_NANOS = 50_000;

    private final GpuDirect gpu;
    private final ChannelWire wire;
    private final PreparedChannel resources;
    private final int messageChunk;
    private final Outgoing outgoing;
    private final Incoming incoming;
    private SlotRing out;
    private SlotRing in;
    private volatile TransferException failure;
    private boolean closed;

    DeviceChannel(GpuDirect gpu, ChannelWire wire, PreparedChannel resources, int messageChunk) {
        this.gpu = gpu;
        this.wire = wire;
        this.resources = resources;
        this.messageChunk = messageChunk;
        this.outgoing = new Outgoing(wire);
        this.incoming = new Incoming(wire);
    }

    GpuDirect gpu() {
        return gpu;
    }

    /**
     * Writes device memory to the peer's memory.
     *
     * @param region what is written
     * @param offset of the first byte
     * @param length in bytes, 0 or more
     * @param remote where to, as long at least
     * @return the transfer; done when the bytes are there
     * @throws IndexOutOfBoundsException if a part does not lie within
     * @throws IllegalArgumentException if the region is of another GPU or adapter
     * @throws IllegalStateException if the channel or the region cannot be used any more
     */
    public Transfer write(DeviceRegion region, long offset, long length, RemoteMemory remote) {
        return start(Transfer.Kind.WRITE, place(region, offset, length), remote.slice(0, length));
    }

    /**
     * Writes host memory to the peer's memory.
     *
     * @param local what is written
     * @param remote where to, as long at least
     * @return the transfer; done when the bytes are there
     */
    public Transfer write(MemorySlice local, RemoteMemory remote) {
        return start(Transfer.Kind.WRITE, place(local), remote.slice(0, local.length()));
    }

    /**
     * Reads the peer's memory into device memory.
     *
     * @param region where to; registered with {@link AccessFlag#LOCAL_WRITE}
     * @param offset of the first byte
     * @param length in bytes, 0 or more
     * @param remote what is read, as long at least
     * @return the transfer; done when kernels that start later see the bytes
     * @throws IndexOutOfBoundsException if a part does not lie within
     * @throws IllegalArgumentException if the region is of another GPU or adapter, or cannot be written
     * @throws IllegalStateException if the channel or the region cannot be used any more
     */
    public Transfer read(DeviceRegion region, long offset, long length, RemoteMemory remote) {
        return start(Transfer.Kind.READ, target(region, offset, length), remote.slice(0, length));
    }

    /**
     * Reads the peer's memory into host memory.
     *
     * @param local where to; registered with {@link AccessFlag#LOCAL_WRITE}
     * @param remote what is read, as long at least
     * @return the transfer
     */
    public Transfer read(MemorySlice local, RemoteMemory remote) {
        return start(Transfer.Kind.READ, place(local), remote.slice(0, local.length()));
    }

    /**
     * Sends device memory as one message to where the peer receives.
     *
     * @param region what is sent
     * @param offset of the first byte
     * @param length in bytes, 0 or more
     * @return the transfer; done when the peer's adapter has the bytes
     * @throws IndexOutOfBoundsException if the part does not lie within
     * @throws IllegalArgumentException if the region is of another GPU or adapter
     * @throws IllegalStateException if the channel or the region cannot be used any more
     */
    public Transfer send(DeviceRegion region, long offset, long length) {
        return start(Transfer.Kind.SEND, place(region, offset, length), null);
    }

    /**
     * Sends host memory as one message.
     *
     * @param local what is sent
     * @return the transfer; done when the peer's adapter has the bytes
     */
    public Transfer send(MemorySlice local) {
        return start(Transfer.Kind.SEND, place(local), null);
    }

    /**
     * Receives the next message into device memory. A message that is longer fails on both sides, and the channel goes
     * on.
     *
     * @param region where to; registered with {@link AccessFlag#LOCAL_WRITE}
     * @param offset of the first byte
     * @param length the room in bytes, 0 or more
     * @return the transfer; done when kernels that start later see the bytes
     * @throws IndexOutOfBoundsException if the part does not lie within
     * @throws IllegalArgumentException if the region is of another GPU or adapter, or cannot be written
     * @throws IllegalStateException if the channel or the region cannot be used any more
     */
    public Transfer receive(DeviceRegion region, long offset, long length) {
        return start(Transfer.Kind.RECEIVE, target(region, offset, length), null);
    }

    /**
     * Receives the next message into host memory.
     *
     * @param local where to; registered with {@link AccessFlag#LOCAL_WRITE}
     * @return the transfer
     */
    public Transfer receive(MemorySlice local) {
        return start(Transfer.Kind.RECEIVE, place(local), null);
    }

    private Place place(DeviceRegion region, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, region.length());
        if (region.owner().context().handle() != gpu.context().handle()
                || region.owner().protectionDomain() != gpu.protectionDomain()) {
            throw new IllegalArgumentException(region + " is of another GPU or adapter than " + this);
        }
        if (!region.isOpen()) {
            throw new IllegalStateException(region + " is closed");
        }
        return Place.of(region, offset, length);
    }

    /** On every path, so that no program works on one alone. */
    private Place target(DeviceRegion region, long offset, long length) {
        if (!region.allows(AccessFlag.LOCAL_WRITE)) {
            throw new IllegalArgumentException(region + " was registered without LOCAL_WRITE");
        }
        return place(region, offset, length);
    }

    private Place place(MemorySlice local) {
        if (local.region().protectionDomain() != gpu.protectionDomain()) {
            throw new IllegalArgumentException(local + " is registered in another protection domain than " + this);
        }
        return Place.of(local);
    }

    private Transfer start(Transfer.Kind kind, Place place, RemoteMemory remote) {
        requireUsable();
        boolean message = remote == null;
        if (message && place.length() > Mailbox.LONGEST) {
            throw new IllegalArgumentException(
                    "a message of %d bytes; %d is the most".formatted(place.length(), Mailbox.LONGEST));
        }
        Transfer transfer = new Transfer(
                this, kind, place, remote, message ? messageChunk : gpu.config().chunkSize());
        boolean leaves = kind == Transfer.Kind.WRITE || kind == Transfer.Kind.SEND;
        if (leaves) {
            if (place.isStaged() && out == null) {
                out = makeRing();
            }
            outgoing.add(transfer, out);
        } else {
            if (place.isStaged() && in == null) {
                in = makeRing();
            }
            incoming.add(transfer, in);
        }
        return transfer;
    }

    private SlotRing makeRing() {
        GpuDirectConfig config = gpu.config();
        return new SlotRing(gpu.protectionDomain(), gpu.context(), config.chunkSize(), config.slots());
    }

    private void requireUsable() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
        if (failure != null) {
            throw new IllegalStateException(this + " cannot be used any more: " + failure.getMessage(), failure);
        }
    }

    /** {@return why no transfer can succeed any more: the connection is lost; empty as long as it is not} */
    public Optional<TransferException> failure() {
        return Optional.ofNullable(failure);
    }

    /**
     * Moves all transfers on as far as they can go now. It does not wait; what fails is told by the transfers.
     *
     * @return whether anything has moved
     * @throws IllegalStateException if the channel is closed
     */
    public boolean progress() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
        boolean moved = poll();
        moved |= outgoing.advance();
        moved |= incoming.advance();
        if (failure == null && wire.isBroken()) {
            failure = wire.failure();
            TransferException each = new TransferException("the channel broke down", failure);
            outgoing.failAll(each);
            incoming.failAll(each);
            moved = true;
        }
        return moved;
    }

    private boolean poll() {
        int count;
        try {
            count = wire.poll();
        } catch (IllegalStateException e) {
            // Whoever closed the adapter has taken the completions with it.
            wire.breakDown(new TransferException("polling", e));
            abandon(wire.failure());
            return true;
        }
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = wire.completion(i);
            if (!wire.isWord(completion)) {
                dispatch(completion);
            }
        }
        return count > 0;
    }

    private void dispatch(WorkCompletion completion) {
        TransferException cause = null;
        if (!completion.isSuccess()) {
            cause = wire.isBroken()
                    ? new TransferException("the channel broke down", wire.failure())
                    : new TransferException("a chunk", completion);
            wire.breakDown(cause);
        }
        long id = completion.workRequestId();
        if ((id & ChannelWire.RECEIVED) != 0) {
            incoming.received(wire.receives.get((int) id), completion, cause);
            return;
        }
        Posts.Post post = wire.sends.get((int) id);
        if (post.transfer.kind() == Transfer.Kind.READ) {
            incoming.read(post, cause);
        } else {
            outgoing.sent(post, cause);
        }
    }

    /** What was posted will have no completions. */
    private void abandon(TransferException cause) {
        for (Posts posts : new Posts[] {wire.sends, wire.receives}) {
            for (Posts.Post post : posts.underWay()) {
                post.transfer.abandon(cause);
                posts.release(post);
            }
        }
    }

    /** Calls {@link #progress()} until something is so, with pauses when nothing moves. */
    boolean progressUntil(BooleanSupplier done, Duration timeout, Object what) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("a negative timeout, " + timeout);
        }
        long start = System.nanoTime();
        int idle = 0;
        while (!done.getAsBoolean()) {
            if (progress()) {
                idle = 0;
                continue;
            }
            if (Duration.ofNanos(System.nanoTime() - start).compareTo(timeout) >= 0) {
                return done.getAsBoolean();
            }
            if (++idle < SPINS) {
                Thread.onSpinWait();
                continue;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            if (Thread.currentThread().isInterrupted()) {
                throw new CudaWaitInterruptedException("waiting for " + what);
            }
        }
        return true;
    }

    private boolean isIdle() {
        return wire.sends.isEmpty()
                && wire.receives.isEmpty()
                && (out == null || out.isIdle())
                && (in == null || in.isIdle());
    }

    /**
     * Ends the connection. Transfers that are under way fail; the peer notices when it next sends something.
     *
     * @throws io.github.rdma4j.verbs.VerbsException if the adapter refuses to free something
     * @throws io.github.rdma4j.cuda.CudaException if the driver does
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        TransferException cause = new TransferException(this + " was closed");
        wire.breakDown(cause);
        long deadline = System.nanoTime() + END.toNanos();
        do {
            progress();
        } while (!isIdle() && System.nanoTime() < deadline);
        closed = true;
        try {
            resources.close();
        } finally {
            try {
                closeRing(out, cause);
            } finally {
                closeRing(in, cause);
                abandon(cause);
            }
        }
    }

    private static void closeRing(SlotRing ring, TransferException cause) {
        if (ring != null) {
            try {
                ring.close();
            } finally {
                ring.abandon(cause);
            }
        }
    }

    /** {@return the queue pair and the GPU} */
    @Override
    public String toString() {
        return "channel of %s and %s".formatted(wire.queuePair(), gpu.context());
    }
}
