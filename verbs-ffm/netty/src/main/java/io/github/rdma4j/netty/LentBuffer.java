// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.HeldMessage;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A receive buffer of the adapter in a handler's hands. Its release gives the buffer back, and the peer a credit. It
 * stays readable when its channel is closed.
 */
final class LentBuffer extends UnpooledDirectByteBuf {
    private static final ResourceLeakDetector<LentBuffer> LEAKS =
            ResourceLeakDetectorFactory.instance().newResourceLeakDetector(LentBuffer.class);

    private final HeldMessage message;
    private final AtomicInteger lent;
    private final ResourceLeakTracker<LentBuffer> leak;

    /**
     * Takes the message over.
     *
     * @param lent is counted down at the release
     */
    LentBuffer(ByteBufAllocator allocator, HeldMessage message, AtomicInteger lent) {
        super(allocator, message.segment().asByteBuffer(), (int) message.length());
        this.message = message;
        this.lent = lent;
        this.leak = LEAKS.track(this);
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        message.close();
        lent.decrementAndGet();
        if (leak != null) {
            leak.close(this);
        }
    }
}
