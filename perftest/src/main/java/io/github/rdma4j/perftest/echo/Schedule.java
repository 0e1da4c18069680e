// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

/**
 * When each message of an open loop is due: at equal distances, whatever becomes of the answers, by turns on all
 * connections.
 *
 * @param start when the first one is due, in nanoseconds of the clock
 * @param perSecond messages per second on all connections together, above 0
 * @param connections how many, from 1
 * @param messages how many, from 1
 */
record Schedule(long start, double perSecond, int connections, long messages) {
    private static final double SECOND = 1e9;

    /** When a message is due, counted from 0. */
    long due(long index) {
        // Computed from the start, and not from the previous message, so that rounding errors do not add up.
        return start + (long) (index * SECOND / perSecond);
    }

    /** The connection of a message. */
    int connection(long index) {
        return (int) (index % connections);
    }

    /** Which message is the one with this number, from 0, on its connection. */
    long index(int connection, long number) {
        return number * connections + connection;
    }

    /** Nanoseconds from the first message to the time at which one more would be due. */
    long duration() {
        return due(messages) - start;
    }
}
