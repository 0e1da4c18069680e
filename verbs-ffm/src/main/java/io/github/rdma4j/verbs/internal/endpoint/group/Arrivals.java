// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import io.github.rdma4j.verbs.WorkCompletionStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The queue of the arrivals for one endpoint of a group: a ring. The thread that adds holds the lock of {@link
 * SharedQueues}, and the thread that removes holds the endpoint's lock. Neither waits for the other.
 */
final class Arrivals {
    /** A send or a transfer has completed. */
    static final byte SENT = 0;
    /** A message has arrived. */
    static final byte MESSAGE = 1;
    /** A message with immediate data has arrived. */
    static final byte MESSAGE_WITH_IMMEDIATE = 2;
    /** A write with immediate data has consumed a receive buffer. */
    static final byte NO_MESSAGE = 3;
    /** A request has failed. */
    static final byte FAILED = 4;

    /** The completion of a failed request. */
    record Failure(WorkCompletionStatus status, int vendorError, String description) {}

    private static final VarHandle HEAD;

    static {
        try {
            HEAD = MethodHandles.lookup().findVarHandle(Arrivals.class, "head", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int KIND_SHIFT = 56;

    /** The kind in the highest byte, and the id below it. The lengths of the three arrays are powers of two. */
    private final long[] ids;
    /** The immediate data in the upper half, and the length in the lower. */
    private final long[] values;

    private final Failure[] failures;
    /** How many arrivals were removed; written by the thread that removes. */
    private long head;
    /** How many arrivals were added. */
    private volatile long tail;

    /** Creates a ring for at least this number of arrivals. */
    Arrivals(int capacity) {
        int size = Integer.highestOneBit(Math.max(2, capacity) - 1) << 1;
        ids = new long[size];
        values = new long[size];
        failures = new Failure[size];
    }

    /** Adds an arrival. Returns false, and changes nothing, if the ring is full. */
    boolean add(byte kind, long id, int immediate, long length, Failure failure) {
        long end = tail;
        if (end - (long) HEAD.getAcquire(this) >= ids.length) {
            return false;
        }
        ids[(int) end & ids.length - 1] = (long) kind << KIND_SHIFT | id & (1L << KIND_SHIFT) - 1;
        values[(int) end & values.length - 1] = (long) immediate << Integer.SIZE | length & 0xffff_ffffL;
        // A check costs less than a store, and few requests fail.
        if (failure != null) {
            failures[(int) end & failures.length - 1] = failure;
        }
        tail = end + 1;
        return true;
    }

    /** Called by any thread. */
    boolean isEmpty() {
        return (long) HEAD.getOpaque(this) == tail;
    }

    // ---- The oldest arrival, if there is one ----

    byte kind() {
        return (byte) (ids[(int) head & ids.length - 1] >>> KIND_SHIFT);
    }

    long id() {
        return ids[(int) head & ids.length - 1] << Long.SIZE - KIND_SHIFT >> Long.SIZE - KIND_SHIFT;
    }

    int immediate() {
        return (int) (values[(int) head & values.length - 1] >>> Integer.SIZE);
    }

    long length() {
        return values[(int) head & values.length - 1] & 0xffff_ffffL;
    }

    Failure failure() {
        return failures[(int) head & failures.length - 1];
    }

    /**
     * Removes the oldest arrival.
     *
     * @param kind its kind, which the caller has read
     */
    void remove(byte kind) {
        if (kind == FAILED) {
            failures[(int) head & failures.length - 1] = null;
        }
        // A thread that still reads the earlier number sees a fuller ring.
        HEAD.setRelease(this, head + 1);
    }
}
