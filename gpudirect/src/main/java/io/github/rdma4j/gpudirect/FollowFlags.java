// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.cuda.WaitCondition;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.BitSet;

/**
 * Pinned words by which streams of a context wait for transfers. The value of a word only grows, so that a stream that
 * waited for an earlier transfer is not blocked by a later one that uses the same word. The words stay allocated until
 * the context is closed, because a stream may still read one after its transfer and channel have ended.
 *
 * <p>Thread safety: all methods may be called from any thread.
 */
final class FollowFlags {
    private static final int COUNT = 1024;
    private static final VarHandle WORDS = ValueLayout.JAVA_INT.varHandle();

    private final CudaContext context;
    private final BitSet taken = new BitSet(COUNT);
    private volatile HostMemory words;

    FollowFlags(CudaContext context) {
        this.context = context;
    }

    /** Allocates a word for a transfer. Returns -1 if all are in use. */
    int take() {
        if (words == null) {
            allocate();
        }
        return takeFree();
    }

    /**
     * Takes no lock: allocating may wait for work that needs the lock. If two threads allocate at once, the second
     * thread's memory stays unused in the context; freeing it would wait for all work.
     */
    private void allocate() {
        HostMemory made = context.allocateHost((long) COUNT * Integer.BYTES);
        made.segment().fill((byte) 0);
        synchronized (this) {
            words = words == null ? made : words;
        }
    }

    private synchronized int takeFree() {
        int index = taken.nextClearBit(0);
        if (index >= COUNT) {
            return -1;
        }
        taken.set(index);
        return index;
    }

    synchronized void giveBack(int index) {
        taken.clear(index);
    }

    /** Returns the value that the word has when its current transfer has ended. */
    int ticket(int index) {
        return (int) WORDS.getAcquire(words.segment(), (long) index * Integer.BYTES) + 1;
    }

    /** Makes a stream wait for the word. */
    void await(CudaStream stream, int index, int ticket) {
        stream.waitForValue(words, (long) index * Integer.BYTES, ticket, WaitCondition.AT_LEAST);
    }

    /** Sets the word now. Does nothing once the context is closed. */
    void set(int index, int ticket) {
        try {
            WORDS.setRelease(words.segment(), (long) index * Integer.BYTES, ticket);
        } catch (IllegalStateException e) {
            // Another thread has closed the context, and with it all its streams.
        }
    }

    /** Sets the word when a stream has reached this point. */
    void set(CudaStream stream, int index, int ticket) {
        stream.writeValue(words, (long) index * Integer.BYTES, ticket);
    }
}
