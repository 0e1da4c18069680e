// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static io.github.rdma4j.verbs.internal.NativeMemory.getLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.structure;
import static io.github.rdma4j.verbs.internal.datapath.RxeLayout.COMPLETION_BYTES;

import java.util.function.IntSupplier;

/**
 * The completion queue of SoftRoCE: completions are copied out of the ring, where they are {@code struct ibv_wc}
 * already.
 */
public final class RxeCompletionRing extends CompletionRing {
    // The eight bytes of a completion behind the first ones.
    private static final long SECOND = 8;
    private static final long THIRD = 16;
    private static final long FOURTH = 24;
    private static final long FIFTH = 32;
    private static final long SIXTH = 40;

    private final RxeRings.Finder finder;
    /** Null if it was not found again. */
    private RxeQueue queue;

    RxeCompletionRing(RxeRings.Finder finder) throws RingRefusal {
        this.finder = finder;
        this.queue = finder.find();
    }

    /**
     * As {@link CompletionPath#poll}, and longer than the compiler inlines: see {@link RxeSendRing#post}. A loop that
     * polls at two places, as one does that plays ping-pong, would have its room used up by these loads and stores.
     *
     * <p>A completion is loaded whole and then stored, by hand. The JVM's own copying would be a call that takes
     * longer, and a loop over the six takes 150 instructions: the compiler bounds each index in it anew, and does not
     * unroll it.
     */
    @Override
    public int poll(int entries, long workCompletions) {
        RxeQueue ring = queue;
        if (ring == null) {
            return -1;
        }
        int consumer = ring.consumer();
        int count = Math.min(ring.distance(consumer, ring.producerOfKernel()), entries);
        if (count == 0) {
            return 0;
        }
        // Most polls find one: without a loop.
        long from = ring.element(consumer);
        long to = structure(workCompletions);
        long first = getLong(from);
        long second = getLong(from + SECOND);
        long third = getLong(from + THIRD);
        long fourth = getLong(from + FOURTH);
        long fifth = getLong(from + FIFTH);
        long sixth = getLong(from + SIXTH);
        putLong(to, first);
        putLong(to + SECOND, second);
        putLong(to + THIRD, third);
        putLong(to + FOURTH, fourth);
        putLong(to + FIFTH, fifth);
        putLong(to + SIXTH, sixth);
        for (int i = 1; i < count; i++) {
            from = ring.element(consumer + i);
            to = structure(workCompletions + i * COMPLETION_BYTES);
            first = getLong(from);
            second = getLong(from + SECOND);
            third = getLong(from + THIRD);
            fourth = getLong(from + FOURTH);
            fifth = getLong(from + FIFTH);
            sixth = getLong(from + SIXTH);
            putLong(to, first);
            putLong(to + SECOND, second);
            putLong(to + THIRD, third);
            putLong(to + FOURTH, fourth);
            putLong(to + FIFTH, fifth);
            putLong(to + SIXTH, sixth);
        }
        ring.consumer(consumer + count);
        return count;
    }

    /** The kernel maps a longer queue at another place, and takes the old one away under whoever is inside. */
    @Override
    public int resize(IntSupplier resize) {
        // The queue is open: its owner holds the lock that a close needs.
        enter();
        try {
            queue = null;
            int result = resize.getAsInt();
            queue = finder.find();
            return result;
        } catch (RingRefusal e) {
            throw RxeRings.lost(e);
        } finally {
            exit();
        }
    }
}
