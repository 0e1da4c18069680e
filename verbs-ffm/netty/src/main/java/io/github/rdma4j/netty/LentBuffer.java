// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.HeldMessage;
import io.github.rdma4j.verbs.endpoint.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A receive buffer with a message. Its release returns the buffer to the adapter and a credit to the peer. It stays
 * readable after its channel is closed.
 *
 * <p>Each receive buffer has one such object, which is reused for each message, because creating it costs more than
 * copying a short message. While it is in use, nothing refers to it, so a leak detector can report a buffer that was
 * not released.
 */
final class LentBuffer extends UnpooledDirectByteBuf {
    static final ResourceLeakDetector<LentBuffer> LEAKS =
            ResourceLeakDetectorFactory.instance().newResourceLeakDetector(LentBuffer.class);

    /**
     * Holds the object of a receive buffer. Written by the releasing thread before the buffer is posted; read by the
     * thread that then finds a message in it.
     */
    private static final class Shelf {
        LentBuffer spare;
    }

    private final Shelf shelf;
    private ByteBufAllocator allocator;
    private HeldMessage message;
    /** Whether a handler has changed the capacity, so that the bytes are in other memory. */
    private boolean moved;
    /** Counts the buffers that handlers hold; null if no handler holds this one. */
    private AtomicInteger lent;

    private ResourceLeakTracker<LentBuffer> leak;
    /** The next message of an {@link Inbound} that has both; otherwise null. */
    LentBuffer behind;

    private LentBuffer(ByteBufAllocator allocator, Message message, Shelf shelf) {
        super(allocator, message.segment().asByteBuffer(), (int) message.length());
        this.shelf = shelf;
    }

    /** Returns the buffer of a message, which is not {@linkplain #lend lent} yet. */
    static LentBuffer of(Message message, ByteBufAllocator allocator) {
        Shelf shelf;
        if (message.attachment() instanceof Shelf kept) {
            shelf = kept;
        } else {
            shelf = new Shelf();
            message.attach(shelf);
        }
        int length = (int) message.length();
        LentBuffer buffer = shelf.spare;
        if (buffer == null || buffer.capacity() < length) {
            buffer = new LentBuffer(allocator, message, shelf);
        } else {
            buffer.resetRefCnt();
            buffer.setIndex(0, 0).markReaderIndex().markWriterIndex().writerIndex(length);
        }
        buffer.allocator = allocator;
        buffer.message = message.hold();
        shelf.spare = null;
        return buffer;
    }

    /**
     * Lends it to a handler.
     *
     * @param count incremented now, and decremented by the release
     */
    LentBuffer lend(AtomicInteger count) {
        // If this allocation fails, the buffer was not lent.
        leak = LEAKS.track(this);
        lent = count;
        count.incrementAndGet();
        return this;
    }

    @Override
    public ByteBufAllocator alloc() {
        return allocator;
    }

    @Override
    public ByteBuf capacity(int newCapacity) {
        moved |= newCapacity != capacity();
        return super.capacity(newCapacity);
    }

    @Override
    protected void deallocate() {
        if (leak != null) {
            leak.close(this);
            leak = null;
        }
        if (lent != null) {
            lent.decrementAndGet();
            lent = null;
        }
        HeldMessage given = message;
        message = null;
        if (moved) {
            super.deallocate();
        } else {
            shelf.spare = this;
        }
        // From here on, the object may be reused for the next message.
        given.close();
    }
}
