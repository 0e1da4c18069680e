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

    /** A run begins again at message 0. */
    public void rewind() {}

    /**
     * Returns up to which message the sender can post.
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

    /** Returns whether something is under way here, which ends without a completion. */
    public boolean busy() {
        return false;
    }

    /** Returns whether nothing remains to be done for what was completed. */
    public boolean settled() {
        return true;
    }

    /**
     * Moves one message, and waits until it is done.
     *
     * @param control says when the run is over
     * @return false if the run is over before
     */
    public boolean pass(RunControl control) {
        return true;
    }
}
