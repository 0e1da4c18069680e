// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

/** The messages that have arrived and were not taken yet, oldest first; each is the number of its buffer. */
final class Inbox {
    /** The lowest bits of a message's number are its index, so the length is a power of two. */
    private final int[] ready;

    private final long[] lengths;
    /** The number of the oldest message, and of the next one to arrive. They wrap around. */
    private int first;

    private int end;

    /** Room for a message in each buffer. */
    Inbox(int buffers) {
        ready = new int[Integer.highestOneBit(2 * buffers - 1)];
        lengths = new long[buffers];
    }

    void add(int buffer, long length) {
        lengths[buffer] = length;
        ready[end++ & ready.length - 1] = buffer;
    }

    void clear() {
        end = first;
    }

    int count() {
        return end - first;
    }

    boolean isEmpty() {
        return end == first;
    }

    /** The oldest one, which stays; -1 if there is none. */
    int peek() {
        return isEmpty() ? -1 : ready[first & ready.length - 1];
    }

    /** Takes the oldest one out; -1 if there is none. */
    int take() {
        return isEmpty() ? -1 : ready[first++ & ready.length - 1];
    }

    /** Puts the last one that was taken out back, the oldest one again. */
    void putBack(int buffer) {
        ready[--first & ready.length - 1] = buffer;
    }

    /** How long the message in a buffer is, in bytes. */
    long length(int buffer) {
        return lengths[buffer];
    }
}
