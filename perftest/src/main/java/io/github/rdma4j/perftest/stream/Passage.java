// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.stream;

/**
 * What stands between a stream's messages and the adapter. Nothing does where the adapter reaches them, and this class
 * is that: while it has no subclass, the compiler sees through all of it. One subclass copies, for messages in a GPU's
 * memory that the adapter does not reach.
 *
 * <p>Messages are counted from 0 in a run. Nothing here waits, but {@link #pass}.
 */
public class Passage {
    /** For messages that the adapter reaches. */
    public static final Passage NONE = new Passage();

    Passage() {}

    /** A run begins again at message 0. */
    public void rewind() {}

    /**
     * How far messages can be posted.
     *
     * @param completed how many have been completed
     * @param end the first that must not be posted for other reasons
     * @param count how many there will be
     * @return the first that cannot be posted yet, not above the end
     */
    public long ready(long completed, long end, long count) {
        return end;
    }

    /** So many messages have been completed. */
    public void completed(long messages) {}

    /** Whether something is under way here, which ends without a completion. */
    public boolean busy() {
        return false;
    }

    /** Whether nothing remains to be done for what was completed. */
    public boolean settled() {
        return true;
    }

    /**
     * Brings one message across, and waits for that.
     *
     * @param control tells when the run is over
     * @return false if it is over before
     */
    public boolean pass(RunControl control) {
        return true;
    }
}
