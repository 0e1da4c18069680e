// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import java.lang.foreign.MemorySegment;

/** The connections of a client, all served by the thread that calls. Nothing here waits but {@link #takeIn}. */
public interface Channels extends AutoCloseable {
    /** Receives messages. */
    interface Receiver {
        /**
         * A message.
         *
         * @param connection from 0
         * @param message valid until the return
         */
        void received(int connection, MemorySegment message);
    }

    /** Returns the number of connections. */
    int connections();

    /**
     * Sends a message, which is copied, if there is room for it; it may leave with {@link #flush} only.
     *
     * @return whether there was room
     */
    boolean trySend(int connection, MemorySegment message);

    /** Returns how often connections have moved between transports since all of them were open. */
    default int moves() {
        return 0;
    }

    /** Sends pending messages, as far as there is space. */
    void flush();

    /**
     * Receives messages, and waits for one if there is none.
     *
     * @param nanoseconds the longest wait; 0 only polls
     */
    void takeIn(long nanoseconds, Receiver receiver);

    @Override
    void close();
}
