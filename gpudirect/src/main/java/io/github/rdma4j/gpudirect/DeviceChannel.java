// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.cuda.CudaWaitInterruptedException;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Transfers of device and host memory, of any size, over one reliable connection. On a direct path, the adapter reads
 * and writes a {@link DeviceRegion} itself. On the staged path, the bytes pass through a few pinned chunks; copies and
 * transfers overlap, and long transfers need no more memory. The two sides may use different paths.
 *
 * <p>Writes and sends leave in the order of the calls. Reads keep their own order, and so do receives. The n-th receive
 * gets the message of the peer's n-th send, which may be shorter. If one of the two fails before the message has begun,
 * both fail. A send waits until the peer receives, so a missing receive does not break the connection.
 *
 * <p>There are no hidden threads: {@link #progress()} advances all transfers without waiting, and the waiting methods
 * call it. After a failed copy or post the channel stays usable. A failure of the adapter ends the connection: see
 * {@link #failure()}. When a write fails, the writes and sends already queued after it also fail, because they may
 * signal to the peer that the bytes have arrived.
 *
 * <p>Close it before the memory of its transfers. Thread safety: for one thread at a time; any thread may call
 * {@link #failure()}.
 *
 * @since 0.1.0
 */
public final class DeviceChannel implements AutoCloseable {
    /** How long a close waits for completions. */
    private static final Duration END = Duration.ofSeconds(5);
    /** How long a close waits for copies, which depend only on the driver. */
    private static final Duration END_OF_COPIES = Duration.ofSeconds(10);

    private static final int SPINS = 200;
    private static final long PAUSE_NANOS = 50_000;

    private final GpuDirect gpu;
    private final ChannelWire wire;
    private final PreparedChannel resources;
    private final int messageChunk;
    private final ChannelProtocol protocol;
    private StagingRing out;
    private StagingRing in;
    private boolean closing;
    private boolean closed;

    DeviceChannel(GpuDirect gpu, ChannelWire wire, PreparedChannel resources, int messageChunk) {
        this.gpu = gpu;
        this.wire = wire;
        this.resources = resources;
        this.messageChunk = messageChunk;
        this.protocol = new ChannelProtocol(wire, ChannelWire.depth(gpu.config().slots()));
    }

    /**
     * Writes device memory to the peer's memory.
     *
     * @param region what is written
     * @param offset of the first byte
     * @param length in bytes, 0 or more
     * @param remote the target, at least as long
     * @return the transfer; done when the bytes have arrived
     * @throws IndexOutOfBoundsException if the range is not inside the region or the remote memory
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
     * @param remote the target, at least as long
     * @return the transfer; done when the bytes have arrived
     */
    public Transfer write(MemorySlice local, RemoteMemory remote) {
        return start(Transfer.Kind.WRITE, place(local), remote.slice(0, local.length()));
    }

    /**
     * Reads the peer's memory into device memory.
     *
     * @param region the target; registered with {@link AccessFlag#LOCAL_WRITE}
     * @param offset of the first byte
     * @param length in bytes, 0 or more
     * @param remote what is read, at least as long
     * @return the transfer; done when kernels that start later see the bytes
     * @throws IndexOutOfBoundsException if the range is not inside the region or the remote memory
     * @throws IllegalArgumentException if the region is of another GPU or adapter, or cannot be written
     * @throws IllegalStateException if the channel or the region cannot be used any more
     */
    public Transfer read(DeviceRegion region, long offset, long length, RemoteMemory remote) {
        return start(Transfer.Kind.READ, target(region, offset, length), remote.slice(0, length));
    }

    /**
     * Reads the peer's memory into host memory.
     *
     * @param local the target; registered with {@link AccessFlag#LOCAL_WRITE}
     * @param remote what is read, at least as long
     * @return the transfer
     */
    public Transfer read(MemorySlice local, RemoteMemory remote) {
        return start(Transfer.Kind.READ, place(local), remote.slice(0, local.length()));
    }

    /**
     * Sends device memory as one message, which the peer receives.
     *
     * @param region what is sent
     * @param offset of the first byte
     * @param length in bytes, 0 or more
     * @return the transfer; done when the peer's adapter has the bytes
     * @throws IndexOutOfBoundsException if the range is not inside the region
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
     * Receives the next message into device memory. A longer message fails on both sides, and the channel stays usable.
     *
     * @param region the target; registered with {@link AccessFlag#LOCAL_WRITE}
     * @param offset of the first byte
     * @param length the size of the receive in bytes, 0 or more
     * @return the transfer; done when kernels that start later see the bytes
     * @throws IndexOutOfBoundsException if the range is not inside the region
     * @throws IllegalArgumentException if the region is of another GPU or adapter, or cannot be written
     * @throws IllegalStateException if the channel or the region cannot be used any more
     */
    public Transfer receive(DeviceRegion region, long offset, long length) {
        return start(Transfer.Kind.RECEIVE, target(region, offset, length), null);
    }

    /**
     * Receives the next message into host memory.
     *
     * @param local the target; registered with {@link AccessFlag#LOCAL_WRITE}
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

    /** Checked on every path, so that a program that works on one path works on all. */
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
        Work work = new Work(
                kind,
                place,
                remote,
                message ? messageChunk : gpu.config().chunkSize(),
                place.isStaged() ? ring(ChannelProtocol.leaves(kind)) : null,
                gpu.store().followFlags());
        protocol.add(work);
        return new Transfer(this, work);
    }

    /** Returns the chunks of a direction, created for its first staged transfer. */
    private StagingRing ring(boolean leaving) {
        if (leaving && out == null) {
            out = makeRing();
            protocol.useOut(new Slots(out, gpu.config().slots()));
        } else if (!leaving && in == null) {
            in = makeRing();
            protocol.useIn(new Slots(in, gpu.config().slots()));
        }
        return leaving ? out : in;
    }

    private StagingRing makeRing() {
        GpuDirectConfig config = gpu.config();
        return new StagingRing(gpu.protectionDomain(), gpu.store(), config.chunkSize(), config.slots());
    }

    private void requireUsable() {
        requireOpen();
        GpuTransferException failure = wire.failure();
        if (failure != null) {
            throw new IllegalStateException(this + " cannot be used any more: " + failure.getMessage(), failure);
        }
    }

    private void requireOpen() {
        if (closing) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    ChannelWire wire() {
        return wire;
    }

    ChannelProtocol protocol() {
        return protocol;
    }

    /** Fails a transfer that must not start. */
    void fail(Work work, GpuTransferException cause) {
        protocol.fail(work, cause);
    }

    /** {@return why no transfer can succeed any more; empty while the connection works} */
    public Optional<GpuTransferException> failure() {
        return Optional.ofNullable(wire.failure());
    }

    /**
     * Advances all transfers as far as possible now. It does not wait. Failures are reported by the transfers.
     *
     * @return whether anything has moved
     * @throws IllegalStateException if the channel is closed
     */
    public boolean progress() {
        requireOpen();
        return move();
    }

    private boolean move() {
        try {
            return wire.poll(protocol) | protocol.advance();
        } catch (Error e) {
            wire.interrupted = e;
            throw e;
        }
    }

    /** Calls {@link #progress()} until the condition holds, with pauses when nothing moves. */
    boolean progressUntil(BooleanSupplier done, Duration timeout, Object what) {
        long limit = Timeouts.checkedNanos(timeout);
        long start = System.nanoTime();
        int idle = 0;
        while (!done.getAsBoolean()) {
            boolean moved = progress();
            if (System.nanoTime() - start >= limit) {
                return done.getAsBoolean();
            }
            idle = moved ? 0 : idle + 1;
            if (idle < SPINS) {
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

    /**
     * Ends the connection. Pending transfers fail; the peer notices when it next sends something. The pinned chunks are
     * kept for later channels of the context.
     *
     * @throws io.github.rdma4j.verbs.VerbsException if the adapter refuses to free something; a later close tries again
     * @throws IllegalStateException if copies between the device and pinned memory have not ended after 10 seconds. The
     *     memory of their transfers must stay allocated. A later close waits again
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closing = true;
        GpuTransferException cause = new GpuTransferException(this + " was closed");
        wire.breakDown(cause);
        moveUntilIdle(END);
        resources.close();
        protocol.abandonPosts(cause);
        if (!moveUntilIdle(END_OF_COPIES)) {
            throw new IllegalStateException(
                    ("%s: copies of its transfers have not ended after %s: see what else keeps the GPU busy, then close"
                                    + " again")
                            .formatted(this, TimeText.of(END_OF_COPIES)));
        }
        if (out != null) {
            out.close();
            out = null;
        }
        if (in != null) {
            in.close();
            in = null;
        }
        closed = true;
    }

    private boolean moveUntilIdle(Duration limit) {
        long start = System.nanoTime();
        while (true) {
            boolean moved = move();
            if (protocol.isIdle()) {
                return true;
            }
            if (System.nanoTime() - start >= limit.toNanos()) {
                return false;
            }
            if (!moved) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** {@return the queue pair and the GPU} */
    @Override
    public String toString() {
        return "channel of %s and %s".formatted(wire.queuePair(), gpu.context());
    }
}
