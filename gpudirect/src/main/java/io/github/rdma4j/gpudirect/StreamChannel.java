// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.GraphDependency;
import io.github.rdma4j.cuda.KernelArguments;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A connection whose transfers run in the order of CUDA streams (GPUDirect Async): writes to a peer's memory, and
 * arrivals of the peer's writes. A stream starts a transfer, continues with other work, and waits for the transfer. On
 * the host, only a {@link StreamProxy} runs. A prepared transfer can be started any number of times, also by CUDA
 * graphs.
 *
 * <p>Transfers that one stream starts leave and arrive in that order, whether or not it waits in between. Use events to
 * order several streams.
 *
 * <p>No stream waits forever. If a transfer fails or takes longer than {@link StreamChannelConfig#timeLimit}, the
 * channel fails: all waits of streams end at once, and later waits do not block. The work after such a wait runs on
 * whatever the memory contains. Kernels see the failure in the word of {@link #passErrorWord}. The program sees it in
 * {@link #failure()}, and as an {@link IllegalStateException} of the next start and of the next launch of a graph.
 *
 * <p>Closing its proxy or its CUDA context also closes it. Close it before the memory of its transfers. Thread safety:
 * all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class StreamChannel implements AutoCloseable {
    private static final long PAUSE_NANOS = 50_000;
    private static final long CONTEXT_CHECK_NANOS = 100_000_000;

    private final GpuDirect gpu;
    private final StreamProxy proxy;
    private final PreparedStreamChannel resources;
    private final OrderedQueuePair wire;
    private final StreamWords words;
    private final boolean flushesInStreams;
    private final OrderedProtocol protocol;
    /** Guards the protocol and the queue pair. */
    private final ReentrantLock lock = new ReentrantLock();

    private final ReentrantLock closeLock = new ReentrantLock();
    /** Starts that were submitted to streams, complete or not. */
    private final AtomicLong submitted = new AtomicLong();

    /** The error that interrupted the proxy's work on this channel, until the protocol has failed all transfers. */
    private volatile Throwable interruption;

    private volatile boolean closing;
    private boolean closed;

    private StreamChannel(
            GpuDirect gpu,
            StreamProxy proxy,
            PreparedStreamChannel resources,
            OrderedQueuePair wire,
            StreamWords words,
            StreamChannelConfig config,
            boolean flushesInStreams) {
        this.gpu = gpu;
        this.proxy = proxy;
        this.resources = resources;
        this.wire = wire;
        this.words = words;
        this.flushesInStreams = flushesInStreams;
        protocol = new OrderedProtocol(
                words, wire, config.transfers(), config.timeLimit().toNanos(), System.nanoTime());
    }

    static StreamChannel open(
            GpuDirect gpu,
            StreamProxy proxy,
            PreparedStreamChannel resources,
            OrderedQueuePair wire,
            StreamChannelConfig config,
            boolean flushesInStreams) {
        StreamWords words = new StreamWords(gpu.store().takeWords(StreamWords.bytes(config.transfers())));
        StreamChannel channel = new StreamChannel(gpu, proxy, resources, wire, words, config, flushesInStreams);
        boolean opened = false;
        try {
            // Closing the context closes the channel first: streams that wait for it would block that close.
            gpu.context().addDependent(channel);
            proxy.add(channel);
            opened = true;
            return channel;
        } finally {
            if (!opened) {
                gpu.context().removeDependent(channel);
                gpu.store().giveBackWords(words.memory());
            }
        }
    }

    /**
     * Prepares a write of device memory to the peer's memory.
     *
     * @param region what is written; on the staged path, each start copies it to the mirror
     * @param offset of the first byte
     * @param length in bytes, from 0 to the largest message of the adapter's ports
     * @param remote the target, at least as long
     * @return the transfer, done when the bytes have arrived
     * @throws IndexOutOfBoundsException if the range is not inside the region or the remote memory
     * @throws IllegalArgumentException if the region is of another GPU or adapter, or too long
     * @throws IllegalStateException if the channel has no free transfer, is closed or has failed
     */
    public OrderedTransfer prepareWrite(DeviceRegion region, long offset, long length, RemoteMemory remote) {
        return write(region, offset, local(region, offset, length), remote, -1);
    }

    /**
     * Prepares a write of host memory to the peer's memory.
     *
     * @param local what is written
     * @param remote the target, at least as long
     * @return the transfer, done when the bytes have arrived
     * @throws IllegalArgumentException if the memory is of another adapter, or too long
     * @throws IllegalStateException if the channel has no free transfer, is closed or has failed
     */
    public OrderedTransfer prepareWrite(MemorySlice local, RemoteMemory remote) {
        return write(null, 0, local, remote, -1);
    }

    /**
     * Prepares a write of device memory that notifies the peer: the peer's {@link #prepareArrival} with the same tag
     * completes when these bytes and all earlier writes have arrived.
     *
     * @param region what is written; on the staged path, each start copies it to the mirror
     * @param offset of the first byte
     * @param length in bytes, from 0 to the largest message of the adapter's ports
     * @param remote the target, at least as long
     * @param tag 0 to 255
     * @return the transfer, done when the bytes have arrived
     * @throws IndexOutOfBoundsException if the range is not inside the region or the remote memory
     * @throws IllegalArgumentException if the region is of another GPU or adapter, or too long, or there is no such tag
     * @throws IllegalStateException if the channel has no free transfer, is closed or has failed
     */
    public OrderedTransfer prepareNotifyingWrite(
            DeviceRegion region, long offset, long length, RemoteMemory remote, int tag) {
        return write(region, offset, local(region, offset, length), remote, requireTag(tag));
    }

    /**
     * Prepares a write of host memory that notifies the peer.
     *
     * @param local what is written
     * @param remote the target, at least as long
     * @param tag 0 to 255
     * @return the transfer, done when the bytes have arrived
     * @throws IllegalArgumentException if the memory is of another adapter, or too long, or there is no such tag
     * @throws IllegalStateException if the channel has no free transfer, is closed or has failed
     */
    public OrderedTransfer prepareNotifyingWrite(MemorySlice local, RemoteMemory remote, int tag) {
        return write(null, 0, local, remote, requireTag(tag));
    }

    /**
     * Prepares the arrival of the peer's notifying writes: each round consumes one notification with this tag, which
     * may have arrived earlier. A stream that has waited for it sees the peer's bytes if the adapter writes to memory
     * directly. For a staged region, use {@link #prepareArrival(int, DeviceRegion, long, long)}.
     *
     * @param tag 0 to 255; only one transfer for each tag
     * @return the transfer
     * @throws IllegalArgumentException if there is no such tag, or the tag already has a transfer
     * @throws IllegalStateException if the channel has no free transfer, is closed or has failed
     */
    public OrderedTransfer prepareArrival(int tag) {
        return arrival(tag, null, 0, 0);
    }

    /**
     * Prepares the arrival of the peer's notifying writes to a region, on every path. On the staged path, each wait
     * copies the bytes from the mirror.
     *
     * @param tag 0 to 255; only one transfer for each tag
     * @param region the target of the peer's writes
     * @param offset of the first byte
     * @param length in bytes: only what the peer writes
     * @return the transfer
     * @throws IndexOutOfBoundsException if the range is not inside the region
     * @throws IllegalArgumentException if there is no such tag, the tag already has a transfer, or the region is of
     *     another GPU or adapter
     * @throws IllegalStateException if the channel has no free transfer, is closed or has failed
     */
    public OrderedTransfer prepareArrival(int tag, DeviceRegion region, long offset, long length) {
        requireOurs(local(region, offset, length));
        return arrival(tag, region, offset, length);
    }

    private OrderedTransfer arrival(int tag, DeviceRegion region, long offset, long length) {
        requireTag(tag);
        lock.lock();
        try {
            requireUsable();
            int slot = protocol.addArrival(tag);
            wire.set(slot, new OrderedQueuePair.Request(null, null, tag));
            return new OrderedTransfer(this, slot, region, offset, length, true);
        } finally {
            lock.unlock();
        }
    }

    private OrderedTransfer write(DeviceRegion region, long offset, MemorySlice local, RemoteMemory remote, int tag) {
        requireOurs(local);
        requireLength(local);
        RemoteMemory target = remote.slice(0, local.length());
        lock.lock();
        try {
            requireUsable();
            int slot = protocol.addWrite();
            wire.set(slot, new OrderedQueuePair.Request(local, target, tag));
            return new OrderedTransfer(this, slot, region, offset, local.length(), false);
        } finally {
            lock.unlock();
        }
    }

    private static int requireTag(int tag) {
        if (tag < 0 || tag >= OrderedProtocol.TAGS) {
            throw new IllegalArgumentException("tag %d; 0 to %d".formatted(tag, OrderedProtocol.TAGS - 1));
        }
        return tag;
    }

    /** Creates the mirror of a staged region now, because that is impossible while a stream is being captured. */
    private MemorySlice local(DeviceRegion region, long offset, long length) {
        if (region.owner().context().handle() != gpu.context().handle()) {
            throw new IllegalArgumentException(region + " is of another CUDA context than " + this);
        }
        return region.slice(offset, length);
    }

    private void requireOurs(MemorySlice local) {
        if (local.region().protectionDomain() != gpu.protectionDomain()) {
            throw new IllegalArgumentException(local + " is registered in another protection domain than " + this);
        }
    }

    private void requireLength(MemorySlice local) {
        long most = resources.longest();
        if (local.length() > most) {
            throw new IllegalArgumentException(
                    "a write of %d bytes, but a port of %s sends at most %d at once: prepare several"
                            .formatted(local.length(), gpu.protectionDomain().context(), most));
        }
    }

    /**
     * Passes a word to a kernel. It is 0 until the channel fails, and then 1, before any wait ends because of the
     * failure.
     *
     * @param arguments of a kernel that takes a pointer to a 32-bit integer
     * @param index of that argument
     */
    public void passErrorWord(KernelArguments arguments, int index) {
        arguments.setPointer(index, words.memory(), words.errorOffset());
    }

    /** {@return why the channel has failed; empty if it has not failed} */
    public Optional<GpuTransferException> failure() {
        return Optional.ofNullable(protocol.failure());
    }

    OrderedProtocol protocol() {
        return protocol;
    }

    StreamWords words() {
        return words;
    }

    GpuDirect gpu() {
        return gpu;
    }

    boolean flushesInStreams() {
        return flushesInStreams;
    }

    String describe(int slot) {
        return wire.describe(slot);
    }

    void requireUsable() {
        if (closing) {
            throw new IllegalStateException(this + " is closed");
        }
        GpuTransferException failure = protocol.failure();
        if (failure != null) {
            throw new IllegalStateException(this + " cannot be used any more: " + failure.getMessage(), failure);
        }
    }

    /**
     * Called before a start is submitted to a stream; {@link #endStart} must follow. From now on, a close waits for the
     * start.
     */
    void beginStart() {
        submitted.incrementAndGet();
        boolean usable = false;
        try {
            requireUsable();
            usable = true;
        } finally {
            if (!usable) {
                submitted.decrementAndGet();
            }
        }
    }

    void endStart(boolean queued) {
        if (queued) {
            proxy.wake();
        } else {
            submitted.decrementAndGet();
        }
    }

    /** Returns the dependency of a graph that starts a transfer. */
    GraphDependency startInGraph() {
        return new GraphDependency() {
            @Override
            public void beginLaunch() {
                beginStart();
            }

            @Override
            public void endLaunch(boolean launched) {
                endStart(launched);
            }
        };
    }

    /** Returns the dependency of a graph that waits for a transfer. */
    GraphDependency waitInGraph() {
        return new GraphDependency() {
            @Override
            public void beginLaunch() {
                requireUsable();
            }

            @Override
            public void endLaunch(boolean launched) {
                // The wait ends in every case, also if the channel fails.
            }
        };
    }

    /** Called by the proxy. Advances all transfers, and returns whether anything has moved. */
    boolean progress() {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            if (interruption != null) {
                endInterrupted();
            }
            long now = System.nanoTime();
            boolean moved = wire.poll(protocol, now);
            return moved | protocol.advance(now);
        } finally {
            lock.unlock();
        }
    }

    /** Called by the proxy after an unexpected exception. Fails the channel, so that no stream waits forever. */
    void breakDown(Throwable cause) {
        // Set first, because an error may interrupt the rest.
        interruption = cause;
        lock.lock();
        try {
            if (!closed) {
                endInterrupted();
            }
        } finally {
            lock.unlock();
        }
    }

    private void endInterrupted() {
        protocol.breakDown(
                new GpuTransferException("the proxy of the stream channel", interruption), System.nanoTime());
        interruption = null;
    }

    /**
     * Ends the connection. Pending transfers fail. Submitted starts that streams have not reached yet also fail: the
     * close waits until the streams reach them. Waits of streams end. The words are kept for later channels of the
     * context.
     *
     * @throws CudaCloseTimeoutException if, after {@link io.github.rdma4j.cuda.CudaContext#closeTimeout()}, streams
     *     have not reached transfers that were submitted to them: the channel must stay open to end these. A later
     *     close waits again
     * @throws io.github.rdma4j.verbs.VerbsException if the adapter refuses to free something; a later close tries again
     */
    @Override
    public void close() {
        closeLock.lock();
        try {
            if (closed) {
                return;
            }
            closing = true;
            lock.lock();
            try {
                protocol.breakDown(new GpuTransferException(this + " was closed"), System.nanoTime());
            } finally {
                lock.unlock();
            }
            proxy.wake();
            awaitStreams();
            resources.close();
            lock.lock();
            try {
                closed = true;
            } finally {
                lock.unlock();
            }
            proxy.remove(this);
            gpu.store().giveBackWords(words.memory());
            gpu.context().removeDependent(this);
        } finally {
            closeLock.unlock();
        }
    }

    private long outstanding() {
        return submitted.get() - protocol.taken();
    }

    private boolean isQuiet() {
        lock.lock();
        try {
            return outstanding() == 0 && !protocol.hasPosted();
        } finally {
            lock.unlock();
        }
    }

    private void awaitStreams() {
        Duration limit = gpu.context().closeTimeout();
        long nanos = TimeUnit.NANOSECONDS.convert(limit);
        long start = System.nanoTime();
        long nextCheck = start;
        while (!isQuiet()) {
            long now = System.nanoTime();
            if (now - nextCheck >= 0) {
                if (isContextGone()) {
                    return;
                }
                nextCheck = now + CONTEXT_CHECK_NANOS;
            }
            if (now - start >= nanos) {
                throw new CudaCloseTimeoutException(
                        ("%s is not closed: %d transfers were submitted to streams that have not reached them after %s."
                                        + " Check what else the streams wait for, or whether a transfer was started by"
                                        + " two streams at once, then close it again")
                                .formatted(this, outstanding(), TimeText.of(limit)));
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Whether no stream of the context will run any more. */
    private boolean isContextGone() {
        if (!gpu.context().isOpen()) {
            return true;
        }
        try {
            gpu.context().freeMemory();
            return false;
        } catch (CudaException e) {
            return e.isContextLost();
        } catch (IllegalStateException e) {
            return true;
        }
    }

    /** {@return the queue pair and the GPU} */
    @Override
    public String toString() {
        return "stream channel of %s and %s".formatted(wire.queuePair(), gpu.context());
    }
}
