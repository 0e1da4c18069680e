// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;

/** A buffer of {@link RdmaByteBufAllocator}, in the pool until its capacity changes. */
final class RegisteredByteBuf extends UnpooledDirectByteBuf {
    /** The buffer's memory; null after it has moved to other memory. */
    private RegisteredPool.Block block;

    RegisteredByteBuf(ByteBufAllocator allocator, RegisteredPool.Block block, int capacity, int maxCapacity) {
        super(allocator, block.first(capacity), maxCapacity);
        // The constructor treats the buffer as written; it is empty.
        clear();
        this.block = block;
    }

    /**
     * {@return the registered buffer of which this is a slice or duplicate, or itself; null for another kind of buffer}
     */
    static RegisteredByteBuf behind(ByteBuf buffer) {
        ByteBuf next = buffer;
        while (next != null && !(next instanceof RegisteredByteBuf)) {
            next = next.unwrap();
        }
        return (RegisteredByteBuf) next;
    }

    /** {@return its memory; null if it has left the pool} */
    RegisteredPool.Block block() {
        return block;
    }

    @Override
    public ByteBuf capacity(int newCapacity) {
        boolean moves = newCapacity != capacity();
        super.capacity(newCapacity);
        if (moves) {
            giveBack();
        }
        return this;
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        giveBack();
    }

    private void giveBack() {
        RegisteredPool.Block was = block;
        block = null;
        if (was != null) {
            was.giveBack();
        }
    }
}
