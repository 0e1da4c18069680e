// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.stream;

/**
 * The step between a stream's messages and the adapter. If the adapter accesses the messages directly, there is nothing
 * to do, which is what this class does: while it has no loaded subclass, the compiler inlines all of it. One subclass
 * copies messages in GPU memory that the adapter cannot access.
 *
 * <p>Messages are counted from 0 in a run. Only {@link #pass} waits.
 */
public class Passage {
    /** For messages that the adapter reaches. */
    public static final Passage NONE = new Passage();

    Passage() {}

    /** Restarts at message 0 for the next run. */
    public void rewind() {}

    /**
     * Returns the message up to which the sender can post.
     *
     * @param completed how many have been completed
     * @param end the first that must not be posted for other reasons
     * @param count the total number of messages
     * @return the first that cannot be posted yet, not above the end
     */
    public long ready(long completed, long end, long count) {
        return end;
    }

    /** So many messages have been completed. */
    public void completed(long messages) {}

    /** Returns whether copies are in progress, which end without a completion. */
    public boolean busy() {
        return false;
    }

    /** Returns whether all work for completed messages is done. */
    public boolean settled() {
        return true;
    }

    /**
     * Moves one message, and waits until it is done.
     *
     * @param control the control of the run
     * @return false if the run ends first
     */
    public boolean pass(RunControl control) {
        return true;
    }
}
