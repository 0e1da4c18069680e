// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import io.github.rdma4j.verbs.WorkCompletionStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A queue of the arrivals for one endpoint of a group, until the endpoint takes them in: a ring with one thread at a
 * time that adds, which has the lock of {@link SharedQueues}, and one that removes, which has the endpoint's. Neither
 * waits for the other.
 */
final class Arrivals {
    /** A send or a transfer has ended. */
    static final byte SENT = 0;
    /** A message has come. */
    static final byte MESSAGE = 1;
    /** A message with immediate data has come. */
    static final byte MESSAGE_WITH_IMMEDIATE = 2;
    /** Something else has taken a receive buffer: a write with immediate data. */
    static final byte NO_MESSAGE = 3;
    /** Something has failed. */
    static final byte FAILED = 4;

    /** How something failed. */
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
    /** How many were removed; written by who removes. */
    private long head;
    /** How many were added. */
    private volatile long tail;

    /** Room for at least so many. */
    Arrivals(int room) {
        int size = Integer.highestOneBit(Math.max(2, room) - 1) << 1;
        ids = new long[size];
        values = new long[size];
        failures = new Failure[size];
    }

    /** Adds one; false if there is no room, and then nothing has happened. */
    boolean add(byte kind, long id, int immediate, long length, Failure failure) {
        long end = tail;
        if (end - (long) HEAD.getAcquire(this) >= ids.length) {
            return false;
        }
        ids[(int) end & ids.length - 1] = (long) kind << KIND_SHIFT | id & (1L << KIND_SHIFT) - 1;
        values[(int) end & values.length - 1] = (long) immediate << Integer.SIZE | length & 0xffff_ffffL;
        // To look costs less than to store: few have failed.
        if (failure != null) {
            failures[(int) end & failures.length - 1] = failure;
        }
        tail = end + 1;
        return true;
    }

    /** Asked by any thread. */
    boolean isEmpty() {
        return (long) HEAD.getOpaque(this) == tail;
    }

    // ---- The oldest one, if there is one ----

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
     * Removes it.
     *
     * @param kind of it, which was read already
     */
    void remove(byte kind) {
        if (kind == FAILED) {
            failures[(int) head & failures.length - 1] = null;
        }
        // A reader that still sees the earlier number finds less room, or something that is taken already.
        HEAD.setRelease(this, head + 1);
    }
}
