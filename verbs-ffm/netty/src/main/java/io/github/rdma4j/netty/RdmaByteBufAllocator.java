// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Gives buffers that an adapter can read where they lie: what a handler writes in one of them leaves without a copy.
 *
 * <pre>{@code
 * RdmaByteBufAllocator allocator = new RdmaByteBufAllocator(64 << 20);
 * bootstrap.option(ChannelOption.ALLOCATOR, allocator);
 * }</pre>
 *
 * <p><b>Which buffers.</b> Direct ones whose first capacity is {@value #SMALLEST} to {@value #LARGEST} bytes; all
 * others come from {@link ByteBufAllocator#DEFAULT}, since to copy a few bytes costs less. So do buffers for which this
 * allocator's memory is used up, {@link #fallbacks()} counts them, and a buffer that outgrows its first capacity moves
 * to such memory: ask for the capacity that is needed. They are written with a copy, as any.
 *
 * <p><b>Memory</b> is taken in chunks of {@value #LARGEST} bytes, up to the limit, each for buffers of one size, a
 * power of two. It is kept for the next buffers as long as the allocator is reachable. A chunk is registered when a
 * channel first writes a buffer of it, once for each protection domain: one for all channels of an {@link
 * io.github.rdma4j.verbs.endpoint.EndpointGroup}, and one for each channel without a group. So this is for channels
 * with a group, or for few. What the kernel refuses to register, for instance beyond {@code ulimit -l}, is copied from
 * then on, and said once in the log.
 *
 * <p>Until the peer's adapter has a message, the buffer stays with the channel, although its write is done for the
 * program. A buffer that somebody else has retained could change meanwhile: it is copied.
 *
 * <p>Over TCP, and in channels of other transports, its buffers are pooled direct buffers.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class RdmaByteBufAllocator extends AbstractByteBufAllocator {
    /** The smallest capacity, in bytes, that is worth registered memory. */
    public static final int SMALLEST = 2048;
    /** The largest, in bytes. */
    public static final int LARGEST = 1 << 20;

    private final RegisteredPool pool;

    /**
     * An allocator without memory yet.
     *
     * @param maxBytes how much memory it may take at most, from {@value #LARGEST} on; what is registered counts as
     *     locked memory
     * @throws IllegalArgumentException if that is less than a chunk
     */
    public RdmaByteBufAllocator(long maxBytes) {
        super(true);
        if (maxBytes < LARGEST) {
            throw new IllegalArgumentException(
                    "an allocator of %d bytes: it takes memory in chunks of %d".formatted(maxBytes, LARGEST));
        }
        this.pool = new RegisteredPool(maxBytes);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return ByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        RegisteredPool.Block block =
                initialCapacity < SMALLEST || initialCapacity > LARGEST ? null : pool.take(initialCapacity);
        return block == null
                ? ByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity)
                : toLeakAwareBuffer(new RegisteredByteBuf(this, block, initialCapacity, maxCapacity));
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    /** {@return how much memory it has taken, in bytes; a multiple of {@value #LARGEST}} */
    public long takenBytes() {
        return pool.takenBytes();
    }

    /** {@return how much of it is in buffers, in bytes} */
    public long usedBytes() {
        return pool.usedBytes();
    }

    /** {@return for how many buffers there was no memory left, so that they come from elsewhere} */
    public long fallbacks() {
        return pool.fallbacks();
    }
}
