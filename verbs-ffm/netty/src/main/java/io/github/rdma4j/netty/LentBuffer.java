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
 * A receive buffer of the adapter with a message in it. Its release gives the buffer back, and the peer a credit. It
 * stays readable when its channel is closed.
 *
 * <p>There is one for each receive buffer, which serves one message after the other: to make one costs more than to
 * copy a short message. While it is in use nothing refers to it, so that a leak detector can see that a handler has
 * forgotten it.
 */
final class LentBuffer extends UnpooledDirectByteBuf {
    static final ResourceLeakDetector<LentBuffer> LEAKS =
            ResourceLeakDetectorFactory.instance().newResourceLeakDetector(LentBuffer.class);

    /**
     * What is attached at a receive buffer. Written by whoever releases, before the adapter gets the buffer; read by
     * whoever then finds a message in it.
     */
    private static final class Shelf {
        LentBuffer spare;
    }

    private final Shelf shelf;
    private ByteBufAllocator allocator;
    private HeldMessage message;
    /** A handler has asked for more or less capacity, and its bytes lie elsewhere. */
    private boolean moved;
    /** Of one in a handler's hands: how many such there are; else null. */
    private AtomicInteger lent;

    private ResourceLeakTracker<LentBuffer> leak;

    private LentBuffer(ByteBufAllocator allocator, Message message, Shelf shelf) {
        super(allocator, message.segment().asByteBuffer(), (int) message.length());
        this.shelf = shelf;
    }

    /** Holds a message, which is not {@linkplain #lend lent} yet. */
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
     * Gives it to a handler.
     *
     * @param count is counted up now, and down at the release
     */
    LentBuffer lend(AtomicInteger count) {
        // Allocating may fail: then the buffer was not lent.
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
        // From here on it may serve the next message.
        given.close();
    }
}
