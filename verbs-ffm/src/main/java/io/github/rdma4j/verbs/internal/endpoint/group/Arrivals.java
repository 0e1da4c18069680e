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

    /**
     * Two elements for each arrival: the kind in the highest byte and the id below it; the immediate data in the upper
     * half and the length in the lower. The lengths of both arrays are powers of two.
     */
    private final long[] arrivals;

    private final Failure[] failures;
    /** How many arrivals were removed; written by the thread that removes. */
    private long head;
    /** How many arrivals were added. */
    private volatile long tail;

    /** Creates a ring for at least this number of arrivals. */
    Arrivals(int capacity) {
        int size = Integer.highestOneBit(Math.max(2, capacity) - 1) << 1;
        arrivals = new long[2 * size];
        failures = new Failure[size];
    }

    /** Adds an arrival. Returns false, and changes nothing, if the ring is full. */
    boolean add(byte kind, long id, int immediate, long length, Failure failure) {
        long end = tail;
        if (end - (long) HEAD.getAcquire(this) >= failures.length) {
            return false;
        }
        int place = 2 * (int) end & arrivals.length - 1;
        arrivals[place] = (long) kind << KIND_SHIFT | id & (1L << KIND_SHIFT) - 1;
        arrivals[place + 1] = (long) immediate << Integer.SIZE | length & 0xffff_ffffL;
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

    /** {@return its kind and id} */
    long oldest() {
        return arrivals[2 * (int) head & arrivals.length - 1];
    }

    static byte kind(long oldest) {
        return (byte) (oldest >>> KIND_SHIFT);
    }

    static long id(long oldest) {
        return oldest << Long.SIZE - KIND_SHIFT >> Long.SIZE - KIND_SHIFT;
    }

    /** {@return its immediate data and length} */
    long value() {
        return arrivals[2 * (int) head + 1 & arrivals.length - 1];
    }

    static int immediate(long value) {
        return (int) (value >>> Integer.SIZE);
    }

    static long length(long value) {
        return value & 0xffff_ffffL;
    }

    Failure failure() {
        return failures[(int) head & failures.length - 1];
    }

    /** Removes it; the caller has read its kind. */
    void remove(byte kind) {
        if (kind == FAILED) {
            failures[(int) head & failures.length - 1] = null;
        }
        // A thread that still reads the earlier number sees a fuller ring.
        HEAD.setRelease(this, head + 1);
    }
}
