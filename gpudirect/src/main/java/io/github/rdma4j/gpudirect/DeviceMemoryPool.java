// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.OutOfDeviceMemoryException;
import io.github.rdma4j.gpudirect.DevicePoolExhaustedException.Limit;
import io.github.rdma4j.verbs.WaitInterruptedException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A pool of device memory that is registered with the adapter. A registration calls the driver and the kernel, and
 * takes whole pages of 64 KiB of the GPU's window (BAR1). The pool registers large slabs, so that lending a buffer
 * needs neither.
 *
 * <p>Slabs stay registered until {@link #trim()} or {@link #close()}. Both wait for the work of the GPU, as freeing its
 * memory does. Lending and returning buffers never does.
 *
 * <p>Thread safety: all methods may be called from any thread. While one thread registers a slab, other threads can
 * borrow and return buffers. Close the pool before its context and its protection domain. If one of these is closed
 * first, the pool's memory is freed with it, and the pool lends nothing more.
 *
 * @since 0.1.0
 */
public final class DeviceMemoryPool implements AutoCloseable {
    private static final int LEAKS_LISTED = 10;
    private static final String RETURN_OR_FREE =
            "return buffers and trim() what is unused, close other regions of this GPU, also in other"
                    + " processes, set maxBytes below the window, or switch on resizable BAR ('rdma4j doctor --gpu'"
                    + " shows the window)";
    /** How long a thread waits while another one registers a slab. */
    private static final long REGISTERING = TimeUnit.SECONDS.toNanos(30);

    private final GpuDirect gpu;
    private final DevicePoolConfig config;
    /** Not held during a call of the driver or the kernel: a stream may wait for this program. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private final List<DeviceSlab> slabs = new ArrayList<>();
    /** Slabs whose close has begun and not ended. */
    private final List<DeviceSlab> closing = new ArrayList<>();

    private final Set<PooledDeviceMemory> lentBuffers = new LinkedHashSet<>();
    private boolean closed;
    private int growing;
    private long registered;
    private long lent;
    private long peak;
    private long loans;
    private long waits;
    private PathDecision decision;

    private DeviceMemoryPool(GpuDirect gpu, DevicePoolConfig config) {
        this.gpu = gpu;
        this.config = config;
    }

    /**
     * Creates a pool that has not registered any memory yet.
     *
     * @param gpu the GPU and the adapter
     * @param configuration changes the defaults
     * @return the pool, to be closed
     * @throws IllegalArgumentException if a value is out of range
     */
    public static DeviceMemoryPool create(GpuDirect gpu, Consumer<DevicePoolConfig> configuration) {
        DevicePoolConfig config = new DevicePoolConfig();
        configuration.accept(config);
        config.check();
        return new DeviceMemoryPool(Objects.requireNonNull(gpu, "GpuDirect"), config);
    }

    /**
     * Lends memory.
     *
     * @param size in bytes, 1 or more
     * @return the buffer, to be closed by the caller
     * @throws DevicePoolExhaustedException if no buffer is available, even after the configured wait
     * @throws GpuPathUnavailableException if no permitted path works for the first slab
     * @throws io.github.rdma4j.cuda.CudaException if the driver fails for another reason than a lack of memory
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if the pool is closed, or its context or protection domain
     */
    public PooledDeviceMemory lend(long size) {
        if (size < 1 || size > Long.MAX_VALUE / 2) {
            throw new IllegalArgumentException("a buffer of %d bytes: 1 or more".formatted(size));
        }
        long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(config.waitWhenExhausted());
        boolean waited = false;
        lock.lock();
        try {
            while (true) {
                requireOpen();
                PooledDeviceMemory found = find(size);
                if (found != null) {
                    waits += waited ? 1 : 0;
                    return found;
                }
                DevicePoolExhaustedException refusal = null;
                long slab = config.slabSizeFor(size);
                if (!exceeds(slab)) {
                    refusal = grow(slab);
                    // Another thread may have returned a buffer meanwhile.
                    found = find(size);
                    if (found != null) {
                        return found;
                    }
                    if (refusal == null) {
                        continue;
                    }
                } else if (growing == 0) {
                    refusal = limitReached(slab);
                }
                waited = true;
                long left = deadline - System.nanoTime();
                if (await(refusal == null ? Math.max(left, REGISTERING) : left)) {
                    continue;
                }
                // Look once more: a buffer may have been returned before the timeout, while this thread did not run.
                requireOpen();
                found = find(size);
                if (found == null) {
                    throw refusal != null ? refusal : limitReached(slab);
                }
                waits++;
                return found;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until something has changed. Returns false at the timeout. */
    private boolean await(long nanos) {
        try {
            return nanos > 0 && changed.awaitNanos(nanos) > 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaitInterruptedException("waiting for registered device memory");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the pool is closed");
        }
        for (int i = 0; i < slabs.size(); i++) {
            if (!slabs.get(i).isUsable()) {
                throw new IllegalStateException(
                        "the pool's CUDA context or protection domain is closed, and its memory with it");
            }
        }
    }

    private PooledDeviceMemory find(long size) {
        for (int i = 0; i < slabs.size(); i++) {
            DeviceSlab slab = slabs.get(i);
            long offset = slab.free().take(size);
            if (offset != FreeRanges.NONE) {
                PooledDeviceMemory buffer = new PooledDeviceMemory(this, slab, offset, size);
                lentBuffers.add(buffer);
                loans++;
                lent += FreeRanges.rounded(size, config.alignment());
                peak = Math.max(peak, lent);
                return buffer;
            }
        }
        return null;
    }

    private boolean exceeds(long slab) {
        return slab > config.maxBytes() - registered;
    }

    /** Registers a slab without the lock. Returns null if it succeeded, otherwise the reason. */
    private DevicePoolExhaustedException grow(long size) {
        growing++;
        registered += size;
        DeviceSlab made = null;
        DevicePoolExhaustedException refusal = null;
        lock.unlock();
        try {
            Bar1Use bar1 = gpu.bar1();
            if (decision().filter(earlier -> earlier.path().isDirect()).isPresent() && bar1.isTooSmallFor(size)) {
                refusal = windowFull(size, bar1, null);
            } else {
                made = DeviceSlab.make(gpu, size, config.alignment(), config.access());
            }
        } catch (OutOfDeviceMemoryException e) {
            refusal = refused(
                    Limit.DEVICE_MEMORY,
                    "the GPU has no memory for a slab of %d bytes".formatted(size),
                    "return buffers, use smaller slabs, or free other memory of the GPU",
                    e);
        } catch (GpuPathUnavailableException e) {
            if (decision().isEmpty()) {
                throw e;
            }
            refusal = refused(
                    Limit.REGISTRATION,
                    "a slab of %d bytes cannot be registered as the earlier slabs were; %s"
                            .formatted(size, gpu.bar1().describe()),
                    RETURN_OR_FREE,
                    e);
        } finally {
            lock.lock();
            growing--;
            changed.signalAll();
            if (made == null) {
                registered -= size;
            }
        }
        return made == null ? refusal : accept(made);
    }

    private Optional<PathDecision> decision() {
        lock.lock();
        try {
            return Optional.ofNullable(decision);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds a slab to the pool. Frees it if the pool has been closed, or if its path is worse than the path of the other
     * slabs.
     */
    private DevicePoolExhaustedException accept(DeviceSlab made) {
        PathDecision its = made.region().decision();
        boolean worse =
                decision != null && decision.path().isDirect() && !its.path().isDirect();
        if (!closed && !worse) {
            slabs.add(made);
            decision = its;
            return null;
        }
        closing.add(made);
        closeSlabs(List.of(made));
        if (closed) {
            throw new IllegalStateException("the pool was closed while memory was registered for it");
        }
        return windowFull(made.free().size(), gpu.bar1(), its);
    }

    private DevicePoolExhaustedException windowFull(long size, Bar1Use bar1, PathDecision staged) {
        if (staged == null) {
            return refused(
                    Limit.BAR1,
                    "a slab of %d bytes does not fit into the GPU's window: %s".formatted(size, bar1.describe()),
                    RETURN_OR_FREE,
                    null);
        }
        return refused(
                Limit.REGISTRATION,
                "a slab of %d bytes could only be %s, but the earlier slabs are direct; %s"
                        .formatted(size, staged, bar1.describe()),
                RETURN_OR_FREE,
                null);
    }

    private DevicePoolExhaustedException limitReached(long slab) {
        return refused(
                Limit.MAX_BYTES,
                "a slab of %d bytes would exceed maxBytes, %d".formatted(slab, config.maxBytes()),
                "return buffers, trim() slabs that are unused, or raise maxBytes",
                null);
    }

    private DevicePoolExhaustedException refused(Limit limit, String what, String remedy, Throwable cause) {
        lock.lock();
        try {
            long unused = slabs.stream()
                    .filter(slab -> slab.free().isUnused())
                    .mapToLong(slab -> slab.free().size())
                    .sum();
            return new DevicePoolExhaustedException(
                    limit,
                    "%s; %d bytes are registered in %d slabs, %d lent in %d buffers, %d in slabs that are unused"
                            .formatted(what, registered, slabs.size(), lent, lentBuffers.size(), unused),
                    remedy,
                    cause);
        } finally {
            lock.unlock();
        }
    }

    void giveBack(PooledDeviceMemory buffer) {
        lock.lock();
        try {
            if (buffer.isReturned()) {
                return;
            }
            buffer.markReturned();
            lentBuffers.remove(buffer);
            lent -= FreeRanges.rounded(buffer.size(), config.alignment());
            buffer.slab.free().giveBack(buffer.offset(), buffer.size());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Registers slabs in advance until at least this much memory is registered in total.
     *
     * @param bytes rounded up to whole slabs
     * @throws DevicePoolExhaustedException if this would exceed a limit
     * @throws GpuPathUnavailableException if no permitted path works for the first slab
     */
    public void reserve(long bytes) {
        lock.lock();
        try {
            while (registered < bytes) {
                requireOpen();
                long slab = config.slabSizeFor(1);
                DevicePoolExhaustedException refusal = exceeds(slab) ? limitReached(slab) : grow(slab);
                if (refusal != null) {
                    throw refusal;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Deregisters and frees the slabs from which nothing is lent. Waits for the work of the GPU.
     *
     * @return the number of bytes freed
     * @throws io.github.rdma4j.cuda.CudaCloseTimeoutException if that work does not end; a later call tries again
     * @throws io.github.rdma4j.verbs.VerbsException if the adapter refuses; a later call tries again
     */
    public long trim() {
        lock.lock();
        try {
            long before = registered;
            for (int i = slabs.size() - 1; i >= 0; i--) {
                if (slabs.get(i).free().isUnused()) {
                    closing.add(slabs.remove(i));
                }
            }
            closeSlabs(List.copyOf(closing));
            return Math.max(0, before - registered);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Called with the lock held; releases it during the calls. A slab that cannot be closed stays in the list of
     * closing slabs.
     */
    private void closeSlabs(List<DeviceSlab> these) {
        List<RuntimeException> failures = new ArrayList<>();
        List<DeviceSlab> gone = new ArrayList<>();
        lock.unlock();
        try {
            for (DeviceSlab slab : these) {
                try {
                    slab.close();
                    gone.add(slab);
                } catch (CudaCloseTimeoutException e) {
                    failures.add(e);
                } catch (RuntimeException e) {
                    failures.add(e);
                    // Memory that the driver refuses to free counts as closed.
                    if (!slab.memory().isOpen()) {
                        gone.add(slab);
                    }
                }
            }
        } finally {
            lock.lock();
            for (DeviceSlab slab : gone) {
                if (closing.remove(slab)) {
                    registered -= slab.free().size();
                }
            }
            changed.signalAll();
        }
        if (!failures.isEmpty()) {
            RuntimeException first = failures.removeFirst();
            failures.forEach(first::addSuppressed);
            throw first;
        }
    }

    /** {@return the memory that is registered and lent, and the limits} */
    public DevicePoolStatistics statistics() {
        Bar1Use bar1 = gpu.bar1();
        lock.lock();
        try {
            return new DevicePoolStatistics(
                    lent,
                    peak,
                    registered,
                    config.maxBytes(),
                    slabs.size(),
                    lentBuffers.size(),
                    loans,
                    waits,
                    Optional.ofNullable(decision),
                    bar1);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Deregisters and frees all memory, including buffers that were not returned, which it reports. Waits for the work
     * of the GPU. Closing twice does nothing.
     *
     * @throws io.github.rdma4j.cuda.CudaCloseTimeoutException if that work does not end; a later close tries again
     * @throws io.github.rdma4j.verbs.VerbsException if the adapter refuses; a later close tries again
     */
    @Override
    public void close() {
        String leaks = "";
        lock.lock();
        try {
            if (!closed && !lentBuffers.isEmpty()) {
                leaks = "a pool of registered device memory is closed with %d buffers lent, of sizes %s%s"
                        .formatted(
                                lentBuffers.size(),
                                lentBuffers.stream()
                                        .limit(LEAKS_LISTED)
                                        .map(PooledDeviceMemory::size)
                                        .toList(),
                                lentBuffers.size() > LEAKS_LISTED ? " …" : "");
            }
            closed = true;
            lentBuffers.forEach(PooledDeviceMemory::markReturned);
            lentBuffers.clear();
            lent = 0;
            closing.addAll(slabs);
            slabs.clear();
            changed.signalAll();
            closeSlabs(List.copyOf(closing));
        } finally {
            lock.unlock();
            if (!leaks.isEmpty()) {
                config.leakReporter().accept(leaks);
            }
        }
    }
}
