// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static io.github.rdma4j.verbs.internal.NativeMemory.getInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.getLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.pair;
import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.structure;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_recv_wr;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.NativeMemory;
import io.github.rdma4j.verbs.internal.ReceiveRequests;
import java.util.function.IntSupplier;

/**
 * A receive queue of SoftRoCE, of a queue pair or shared: a receive is written as a {@code struct rxe_recv_wqe} to the
 * ring. There is no doorbell; the driver reads the ring when a message arrives.
 */
public final class RxeReceiveRing extends ReceivePath {
    private static final long NEXT = ibv_recv_wr.next$offset();
    private static final long WR_ID = ibv_recv_wr.wr_id$offset();
    private static final long ENTRY_COUNT = ibv_recv_wr.num_sge$offset();
    private static final long SGE_ADDRESS = ibv_sge.addr$offset();
    private static final long SGE_LENGTH = ibv_sge.length$offset();
    private static final int RESET = RdmaHeaders.IBV_QPS_RESET();

    private final RxeRings.Finder finder;
    /** The address of the queue pair's state; 0 for a shared queue, which has none. */
    private final long state;

    /** Null if it was not found again. */
    private RxeQueue queue;

    RxeReceiveRing(RxeRings.Finder finder, long state) throws RingRefusal {
        this.finder = finder;
        this.state = structure(state);
        this.queue = finder.find();
    }

    /** {@return the current ring} */
    RxeQueue queue() {
        return queue;
    }

    /** Like {@link ReceivePath#post}, and longer than the compiler inlines: see {@link RxeSendRing#post}. */
    @Override
    public int post(ReceiveRequests requests) {
        if (state != 0 && getInt(state) == RESET) {
            return Errno.EINVAL;
        }
        RxeQueue ring = queue;
        if (ring == null) {
            return Errno.EIO;
        }
        for (long address = requests.address(); address != 0; address = getLong(structure(address) + NEXT)) {
            int producer = ring.producer();
            int next = ring.after(producer);
            if (next == ring.consumerOfKernel()) {
                putLong(structure(requests.badRequestAddress()), address);
                return Errno.ENOMEM;
            }
            long request = structure(address);
            long element = ring.element(producer);
            putLong(element + RxeLayout.RECEIVE_WR_ID, getLong(request + WR_ID));
            putLong(element + RxeLayout.RECEIVE_RESERVED, 0L);
            int entries = getInt(request + ENTRY_COUNT);
            int length = 0;
            // Most receives have one entry, so no loop.
            if (entries == 1) {
                long lengthAndKey = getLong(request + ReceiveRequests.ENTRIES + SGE_LENGTH);
                putLong(
                        element + RxeLayout.RECEIVE_BYTES + RxeLayout.ENTRY_ADDRESS,
                        getLong(request + ReceiveRequests.ENTRIES + SGE_ADDRESS));
                putLong(element + RxeLayout.RECEIVE_BYTES + RxeLayout.ENTRY_LENGTH, lengthAndKey);
                length = NativeMemory.first(lengthAndKey);
            } else {
                for (int i = 0; i < entries; i++) {
                    long from = structure(request + ReceiveRequests.ENTRIES + i * RxeLayout.ENTRY_BYTES);
                    long to = structure(element + RxeLayout.RECEIVE_BYTES + i * RxeLayout.ENTRY_BYTES);
                    long lengthAndKey = getLong(from + SGE_LENGTH);
                    putLong(to + RxeLayout.ENTRY_ADDRESS, getLong(from + SGE_ADDRESS));
                    putLong(to + RxeLayout.ENTRY_LENGTH, lengthAndKey);
                    length += NativeMemory.first(lengthAndKey);
                }
            }
            putLong(element + RxeLayout.RECEIVE_DMA + RxeLayout.DMA_LENGTH, pair(length, length));
            putLong(element + RxeLayout.RECEIVE_DMA + RxeLayout.DMA_CURRENT_ENTRY, pair(0, entries));
            putLong(element + RxeLayout.RECEIVE_DMA + RxeLayout.DMA_ENTRY_OFFSET, 0L);
            ring.producer(next);
        }
        return 0;
    }

    /** The kernel maps a longer queue at another address. */
    @Override
    public int resize(IntSupplier resize) {
        queue = null;
        int result = resize.getAsInt();
        try {
            queue = finder.find();
        } catch (RingRefusal e) {
            throw RxeRings.lost(e);
        }
        return result;
    }
}
