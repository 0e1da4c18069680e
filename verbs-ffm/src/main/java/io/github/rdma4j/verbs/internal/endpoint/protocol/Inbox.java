// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

/** The messages that have arrived and were not taken yet, oldest first; each is the number of its buffer. */
final class Inbox {
    private final int[] ready;
    private final long[] lengths;
    private int first;
    private int count;

    /** Room for a message in each buffer. */
    Inbox(int buffers) {
        ready = new int[buffers];
        lengths = new long[buffers];
    }

    void add(int buffer, long length) {
        lengths[buffer] = length;
        int end = first + count++;
        ready[end < ready.length ? end : end - ready.length] = buffer;
    }

    void clear() {
        count = 0;
    }

    int count() {
        return count;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** The oldest one, which stays; -1 if there is none. */
    int peek() {
        return count == 0 ? -1 : ready[first];
    }

    /** Takes the oldest one out; -1 if there is none. */
    int take() {
        if (count == 0) {
            return -1;
        }
        int buffer = ready[first];
        first = first + 1 == ready.length ? 0 : first + 1;
        count--;
        return buffer;
    }

    /** Puts the last one that was taken out back, the oldest one again. */
    void putBack(int buffer) {
        first = (first == 0 ? ready.length : first) - 1;
        ready[first] = buffer;
        count++;
    }

    /** How long the message in a buffer is, in bytes. */
    long length(int buffer) {
        return lengths[buffer];
    }
}
