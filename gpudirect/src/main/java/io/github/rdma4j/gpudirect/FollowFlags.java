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
 * Pinned words by which streams of a context wait for transfers. A word only ever grows, so that who waited for an
 * earlier transfer with it is not held up by a later one; and all stay until the context is closed, because a stream
 * may still look at one after its transfer and channel are gone.
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

    /** A word for a transfer; -1 if there is none left. */
    int take() {
        if (words == null) {
            allocate();
        }
        return takeFree();
    }

    /**
     * Without a lock: allocating may wait for work, and what the work waits for may need the lock. Of two threads the
     * second one's memory stays with the context unused; freeing it would wait for all work.
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

    /** What the word will be when the transfer that has it now is at its end. */
    int ticket(int index) {
        return (int) WORDS.getAcquire(words.segment(), (long) index * Integer.BYTES) + 1;
    }

    /** Lets a stream wait for the word. */
    void await(CudaStream stream, int index, int ticket) {
        stream.waitForValue(words, (long) index * Integer.BYTES, ticket, WaitCondition.AT_LEAST);
    }

    /** Sets the word now; of no use to anybody once the context is closed. */
    void set(int index, int ticket) {
        try {
            WORDS.setRelease(words.segment(), (long) index * Integer.BYTES, ticket);
        } catch (IllegalStateException e) {
            // Another thread has closed the context, and with it all streams.
        }
    }

    /** Sets it when a stream has come this far. */
    void set(CudaStream stream, int index, int ticket) {
        stream.writeValue(words, (long) index * Integer.BYTES, ticket);
    }
}
