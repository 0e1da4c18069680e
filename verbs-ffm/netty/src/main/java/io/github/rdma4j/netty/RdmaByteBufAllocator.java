// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Allocates buffers in registered memory. A channel sends them without a copy.
 *
 * <pre>{@code
 * RdmaByteBufAllocator allocator = new RdmaByteBufAllocator(64 << 20);
 * bootstrap.option(ChannelOption.ALLOCATOR, allocator);
 * }</pre>
 *
 * <p><b>Which buffers.</b> Direct buffers with an initial capacity of {@value #SMALLEST} to {@value #LARGEST} bytes.
 * All other buffers come from {@link ByteBufAllocator#DEFAULT}, because copying a few bytes costs less. If this
 * allocator's memory is used up, buffers also come from there ({@link #fallbacks()} counts them). A buffer whose
 * capacity changes moves to unpooled memory, so allocate the capacity that you need. Such buffers are copied when they
 * are written.
 *
 * <p><b>Memory</b> is allocated in chunks of {@value #LARGEST} bytes, up to the limit. Each chunk has buffers of one
 * size, a power of two. The memory is kept as long as the allocator is reachable. A chunk is registered when a channel
 * first writes one of its buffers, once for each protection domain. All channels of an {@link
 * io.github.rdma4j.verbs.endpoint.EndpointGroup} share a domain; a channel without a group has its own. So use this
 * allocator with a group, or with few channels. If the kernel refuses a registration, for example beyond {@code ulimit
 * -l}, buffers of chunks that are not registered yet are copied, and the first refusal is logged.
 *
 * <p>The channel retains a buffer until the peer's adapter has the message, even after its write promise is complete. A
 * buffer that other code has retained could change meanwhile, so it is copied.
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
    /** The largest capacity in registered memory, in bytes. */
    public static final int LARGEST = 1 << 20;

    private final RegisteredPool pool;

    /**
     * Creates an allocator without memory.
     *
     * @param maxBytes the most memory that it may allocate, in bytes, at least {@value #LARGEST}; registered memory
     *     counts as
     *     locked memory
     * @throws IllegalArgumentException if the limit is less than a chunk
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

    /** {@return how much memory it has allocated, in bytes; a multiple of {@value #LARGEST}} */
    public long takenBytes() {
        return pool.takenBytes();
    }

    /** {@return how much of the memory is in use by buffers, in bytes} */
    public long usedBytes() {
        return pool.usedBytes();
    }

    /** {@return how many buffers came from the default allocator because no memory was left} */
    public long fallbacks() {
        return pool.fallbacks();
    }
}
