// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import io.github.rdma4j.verbs.WorkCompletionStatus;

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

    private final byte[] kinds;
    private final long[] ids;
    /** The immediate data in the upper half, and the length in the lower. */
    private final long[] values;

    private final Failure[] failures;
    private final int mask;
    /** Where the oldest one is; of who removes. */
    private int first;
    /** How many were removed. */
    private volatile long head;
    /** How many were added. */
    private volatile long tail;

    /** Room for at least so many. */
    Arrivals(int room) {
        int size = Integer.highestOneBit(Math.max(2, room) - 1) << 1;
        kinds = new byte[size];
        ids = new long[size];
        values = new long[size];
        failures = new Failure[size];
        mask = size - 1;
    }

    /** Adds one; false if there is no room, and then nothing has happened. */
    boolean add(byte kind, long id, int immediate, long length, Failure failure) {
        long end = tail;
        if (end - head > mask) {
            return false;
        }
        int at = (int) end & mask;
        kinds[at] = kind;
        ids[at] = id;
        values[at] = (long) immediate << Integer.SIZE | length & 0xffff_ffffL;
        // To look costs less than to store: few have failed.
        if (failure != null) {
            failures[at] = failure;
        }
        tail = end + 1;
        return true;
    }

    boolean isEmpty() {
        return head == tail;
    }

    // ---- The oldest one, if there is one ----

    byte kind() {
        return kinds[first];
    }

    long id() {
        return ids[first];
    }

    int immediate() {
        return (int) (values[first] >>> Integer.SIZE);
    }

    long length() {
        return values[first] & 0xffff_ffffL;
    }

    Failure failure() {
        return failures[first];
    }

    void remove() {
        if (failures[first] != null) {
            failures[first] = null;
        }
        first = first + 1 & mask;
        head = head + 1;
    }
}
