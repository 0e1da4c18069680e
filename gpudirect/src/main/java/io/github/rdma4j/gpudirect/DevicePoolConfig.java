// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.verbs.AccessFlag;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The settings of a {@link DeviceMemoryPool}. Setters return this; thread safety: for one thread.
 *
 * @since 0.1.0
 */
public final class DevicePoolConfig {
    /** A GPU's memory is registered in pages of this size. */
    private static final long PAGE = 64 << 10;

    private static final long MOST_SLAB = 1L << 40;
    private static final long LEAST_ALIGNMENT = 16;

    private long slabSize = 64 << 20;
    private long alignment = 256;
    private long maxBytes = Long.MAX_VALUE;
    private AccessFlag[] access = {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ};
    private Duration waitWhenExhausted = Duration.ZERO;
    private Consumer<String> leakReporter =
            text -> System.getLogger(DeviceMemoryPool.class.getName()).log(Level.WARNING, text);

    DevicePoolConfig() {}

    /**
     * Sets how many bytes are allocated and registered at a time; default 64 MiB. A larger buffer gets its own slab.
     *
     * @param bytes a multiple of 64 KiB, up to 1 TiB
     * @return this
     */
    public DevicePoolConfig slabSize(long bytes) {
        if (bytes < PAGE || bytes > MOST_SLAB || bytes % PAGE != 0) {
            throw new IllegalArgumentException(
                    "a slab of %d bytes: a multiple of %d, up to %d".formatted(bytes, PAGE, MOST_SLAB));
        }
        slabSize = bytes;
        return this;
    }

    /**
     * The alignment of buffers: addresses are multiples of it, and sizes are rounded up to it. The default is 256
     * bytes, as for CUDA's own allocations.
     *
     * @param bytes a power of two from 16 to 64 KiB
     * @return this
     */
    public DevicePoolConfig alignment(long bytes) {
        if (bytes < LEAST_ALIGNMENT || bytes > PAGE || Long.bitCount(bytes) != 1) {
            throw new IllegalArgumentException(
                    "an alignment of %d bytes: a power of two from %d to %d".formatted(bytes, LEAST_ALIGNMENT, PAGE));
        }
        alignment = bytes;
        return this;
    }

    /**
     * Sets the most bytes of device memory to register. By default, only the GPU's window (BAR1) limits it.
     *
     * @param bytes at least one slab
     * @return this
     */
    public DevicePoolConfig maxBytes(long bytes) {
        maxBytes = bytes;
        return this;
    }

    /**
     * Sets the access to the memory; default {@link AccessFlag#LOCAL_WRITE}, {@link AccessFlag#REMOTE_WRITE} and
     * {@link AccessFlag#REMOTE_READ}. A slab has one remote key: a peer that has the key can access the whole slab. If
     * you do not trust the peers, use one pool for each.
     *
     * @param flags as for {@link GpuDirect#register}
     * @return this
     */
    public DevicePoolConfig access(AccessFlag... flags) {
        for (AccessFlag flag : flags) {
            Objects.requireNonNull(flag, "access flag");
        }
        access = flags.clone();
        return this;
    }

    /**
     * Sets how long a thread waits for a returned buffer when the pool is exhausted; the default is not to wait.
     *
     * @param timeout zero throws a {@link DevicePoolExhaustedException} at once
     * @return this
     */
    public DevicePoolConfig waitWhenExhausted(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("waitWhenExhausted %s: zero or more".formatted(TimeText.of(timeout)));
        }
        waitWhenExhausted = timeout;
        return this;
    }

    /**
     * Sets the receiver of a report about buffers that were not returned when the pool is closed. The default logs a
     * warning to the logger of the pool's class name.
     *
     * @param reporter called in {@link DeviceMemoryPool#close()}
     * @return this
     */
    public DevicePoolConfig leakReporter(Consumer<String> reporter) {
        leakReporter = Objects.requireNonNull(reporter, "reporter");
        return this;
    }

    void check() {
        if (maxBytes < slabSize) {
            throw new IllegalArgumentException("maxBytes %d is less than slabSize %d".formatted(maxBytes, slabSize));
        }
    }

    /** The size of the slab for a buffer: the usual size, or the buffer's own size if that is larger. */
    long slabSizeFor(long bytes) {
        return bytes <= slabSize ? slabSize : FreeRanges.rounded(bytes, PAGE);
    }

    long alignment() {
        return alignment;
    }

    long maxBytes() {
        return maxBytes;
    }

    AccessFlag[] access() {
        return access;
    }

    Duration waitWhenExhausted() {
        return waitWhenExhausted;
    }

    Consumer<String> leakReporter() {
        return leakReporter;
    }
}
