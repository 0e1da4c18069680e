// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks.tcp;

import java.util.Locale;

/**
 * A case that two contestants run in turn.
 *
 * @param pattern the order of the messages
 * @param size of a transfer, in bytes
 * @param connections with a thread on each side, or with Netty all with one event loop on each side
 * @param threads of endpoints and sockets
 */
record TcpCase(Pattern pattern, int size, int connections, Threads threads) {
    /** Longer transfers are cut into messages of this length. */
    static final int LONGEST_MESSAGE = 1 << 16;

    /** The order of the messages. */
    enum Pattern {
        /** One side sends, the other receives: endpoints compared with SocketChannel. */
        STREAM,
        /** One side sends and waits for an answer of the same size: endpoints compared with SocketChannel. */
        ROUND_TRIP,
        /** The same through Netty: our channel with Transport.TCP compared with Netty NIO. */
        NETTY
    }

    /** The threads that block. */
    enum Threads {
        PLATFORM,
        VIRTUAL;

        Thread start(Runnable task) {
            return this == PLATFORM ? Thread.ofPlatform().daemon().start(task) : Thread.startVirtualThread(task);
        }
    }

    int message() {
        return Math.min(size, LONGEST_MESSAGE);
    }

    int messages() {
        return size / message();
    }

    /** The lowest ratio that the project aims at; NaN without one. */
    double target(boolean busy) {
        boolean small = size == 64;
        return switch (pattern) {
            case STREAM -> connections > 1 || size > 8192 ? Double.NaN : busy ? 0.8 : small ? 1.0 : 0.9;
            case ROUND_TRIP -> connections > 1 || size > 8192 ? Double.NaN : busy ? 0.8 : 1.2;
            case NETTY -> !small ? Double.NaN : busy ? 0.8 : connections == 1 ? 1.2 : 1.0;
        };
    }

    @Override
    public String toString() {
        String how = pattern == Pattern.NETTY ? "event loop" : threads.name().toLowerCase(Locale.ROOT);
        return "%s | %,d | %d | %s"
                .formatted(pattern.name().toLowerCase(Locale.ROOT).replace('_', ' '), size, connections, how);
    }
}
