// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static io.github.rdma4j.verbs.internal.NativeMemory.getInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.getLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.pair;
import static io.github.rdma4j.verbs.internal.NativeMemory.putInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.structure;
import static io.github.rdma4j.verbs.internal.datapath.Mlx5Layout.DATA_BYTES;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_qp;
import io.github.rdma4j.verbs.bindings.ibv_recv_wr;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Mlx5Objects.QueuePairMemory;
import io.github.rdma4j.verbs.internal.Mlx5Objects.Ring;
import io.github.rdma4j.verbs.internal.NativeMemory;
import io.github.rdma4j.verbs.internal.ReceiveRequests;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The receive queue of an mlx5 queue pair: a receive is written as data segments to an element, and the doorbell record
 * counts receives. No register is written; the adapter reads the record when a message arrives.
 */
public final class Mlx5ReceiveRing extends ReceivePath {
    private static final VarHandle TAIL;

    static {
        try {
            TAIL = MethodHandles.lookup().findVarHandle(Mlx5ReceiveRing.class, "tail", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long NEXT = ibv_recv_wr.next$offset();
    private static final long WR_ID = ibv_recv_wr.wr_id$offset();
    private static final long ENTRY_COUNT = ibv_recv_wr.num_sge$offset();
    private static final long SGE_ADDRESS = ibv_sge.addr$offset();
    private static final long SGE_LENGTH = ibv_sge.length$offset();
    private static final long SGE_BYTES = ibv_sge.sizeof();
    private static final long STATE = ibv_qp.state$offset();
    private static final int RESET = RdmaHeaders.IBV_QPS_RESET();
    /** The end of a list that is shorter than the element. */
    private static final long NO_LENGTH_AND_INVALID_KEY = pair(0, Integer.reverseBytes(Mlx5Layout.INVALID_KEY));

    private final long start;
    private final int shift;
    private final int mask;
    private final int elements;
    private final int maxEntries;
    private final long doorbellRecord;
    private final long state;
    private final long[] ids;

    /** Written by the posting thread. */
    private int head;
    /** The number of completed receives; written by the polling thread. */
    private int tail;

    Mlx5ReceiveRing(long queuePair, QueuePairMemory memory) {
        Ring ring = memory.receives();
        this.start = structure(ring.address());
        this.shift = Integer.numberOfTrailingZeros(ring.stride());
        this.elements = ring.elements();
        this.mask = elements - 1;
        this.maxEntries = ring.stride() / (int) DATA_BYTES;
        this.doorbellRecord = structure(memory.doorbellRecord());
        this.state = structure(queuePair) + STATE;
        this.ids = new long[elements];
    }

    private long element(int index) {
        return structure(start + ((long) (index & mask) << shift));
    }

    @Override
    public int post(ReceiveRequests requests) {
        int refused = 0;
        int next = head;
        for (long address = requests.address(); address != 0; address = getLong(structure(address) + NEXT)) {
            long request = structure(address);
            int entries = getInt(request + ENTRY_COUNT);
            if (next - (int) TAIL.getAcquire(this) >= elements) {
                refused = Errno.ENOMEM;
            } else if (entries > maxEntries || getInt(state) == RESET) {
                refused = Errno.EINVAL;
            }
            if (refused != 0) {
                putLong(structure(requests.badRequestAddress()), address);
                break;
            }
            long begin = element(next);
            long to = begin;
            for (int i = 0; i < entries; i++) {
                long from = structure(request + ReceiveRequests.ENTRIES + i * SGE_BYTES);
                long lengthAndKey = getLong(from + SGE_LENGTH);
                if (NativeMemory.first(lengthAndKey) != 0) {
                    putLong(to, Long.rotateLeft(Long.reverseBytes(lengthAndKey), Integer.SIZE));
                    putLong(to + Mlx5Layout.DATA_ADDRESS, Long.reverseBytes(getLong(from + SGE_ADDRESS)));
                    to += DATA_BYTES;
                }
            }
            if (to - begin < maxEntries * DATA_BYTES) {
                putLong(to, NO_LENGTH_AND_INVALID_KEY);
                putLong(to + Mlx5Layout.DATA_ADDRESS, 0L);
            }
            ids[next & mask] = getLong(request + WR_ID);
            next++;
        }
        if (next != head) {
            head = next;
            // C: udma_to_device_barrier. The data must be visible to the adapter before the counter. Nothing on x86-64.
            VarHandle.releaseFence();
            putInt(doorbellRecord + Mlx5Layout.RECEIVE_COUNTER, Integer.reverseBytes(next & Mlx5Layout.COUNTER_MASK));
        }
        return refused;
    }

    // For the completion queue, which admits one thread.

    /** {@return the id of the receive in an element, which is done} */
    long done(int counter) {
        long id = ids[counter & mask];
        TAIL.setRelease(this, tail + 1);
        return id;
    }

    /** Copies the data of a completion to its buffer, before the element is reused. */
    int scatter(int counter, long data, int length) {
        // An element does not wrap around the end of the ring.
        return Mlx5Scatter.copy(element(counter), 0, 0, maxEntries, data, length);
    }

    void reset() {
        head = 0;
        TAIL.setRelease(this, 0);
    }
}
