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
    private final RxeRings.Finder finder;
    /** Null if it was not found again. */
    private RxeQueue queue;

    RxeCompletionRing(RxeRings.Finder finder) throws RingRefusal {
        this.finder = finder;
        this.queue = finder.find();
    }

    @Override
    public int poll(int entries, long workCompletions) {
        RxeQueue ring = queue;
        return ring == null ? -1 : take(ring, entries, workCompletions);
    }

    private static int take(RxeQueue ring, int entries, long workCompletions) {
        int consumer = ring.consumer();
        int count = Math.min(ring.distance(consumer, ring.producerOfKernel()), entries);
        if (count == 0) {
            return 0;
        }
        for (int i = 0; i < count; i++) {
            copy(ring.element(consumer + i), structure(workCompletions + i * COMPLETION_BYTES));
        }
        ring.consumer(consumer + count);
        return count;
    }

    /** The JVM's own copying would be a call that takes longer. */
    private static void copy(long from, long to) {
        for (long offset = 0; offset < COMPLETION_BYTES; offset += Long.BYTES) {
            putLong(to + offset, getLong(from + offset));
        }
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
