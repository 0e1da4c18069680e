// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import java.lang.foreign.MemorySegment;

/** The connections of a client, all served by the thread that calls. Nothing here waits but {@link #takeIn}. */
public interface Channels extends AutoCloseable {
    /** Hears of what has come. */
    interface Receiver {
        /**
         * A message.
         *
         * @param connection from 0
         * @param message valid until the return
         */
        void received(int connection, MemorySegment message);
    }

    /** How many connections there are. */
    int connections();

    /**
     * Sends a message, which is copied, if there is room for it; it may leave with {@link #flush} only.
     *
     * @return whether there was room
     */
    boolean trySend(int connection, MemorySegment message);

    /** How often connections have moved from one transport to another since all of them were open. */
    default int moves() {
        return 0;
    }

    /** Sends what has not left yet, as far as there is room. */
    void flush();

    /**
     * Takes in what has come, and waits for it if nothing has.
     *
     * @param nanoseconds how long at most; 0 only looks
     */
    void takeIn(long nanoseconds, Receiver receiver);

    @Override
    void close();
}
