// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import io.github.rdma4j.perftest.exit.RunFailedException;
import java.lang.foreign.MemorySegment;

/** Requests and their echoes: numbers and writes the ones, checks the others. Used by one thread. */
public final class Exchange implements AutoCloseable {
    /** Hears of echoes. */
    interface Listener {
        /**
         * A message has come back, and is right.
         *
         * @param connection from 0
         * @param number on this connection, from 0
         */
        void answered(int connection, long number);
    }

    private final Channels channels;
    private final Messages messages;
    private final long[] sent;
    private final long[] answered;
    private final Channels.Receiver receiver = this::received;
    private Listener listener;

    /**
     * @param channels closed with this
     * @param size of each message in bytes
     */
    public Exchange(Channels channels, int size) {
        this.channels = channels;
        this.messages = new Messages(size);
        this.sent = new long[channels.connections()];
        this.answered = new long[channels.connections()];
    }

    /** Returns how often its connections have moved between transports. */
    public int moves() {
        return channels.moves();
    }

    int connections() {
        return sent.length;
    }

    /** Returns the number of messages that a connection has sent, which is the number of its next one. */
    long sent(int connection) {
        return sent[connection];
    }

    /** Sends the next message of a connection if there is room; whether there was. */
    boolean trySend(int connection) {
        if (!channels.trySend(connection, messages.write(connection, sent[connection]))) {
            return false;
        }
        sent[connection]++;
        return true;
    }

    /** Sends pending messages. */
    void flush() {
        channels.flush();
    }

    /**
     * Receives echoes.
     *
     * @param nanoseconds the longest wait for one
     * @throws RunFailedException when an echo is wrong, or a connection is lost
     */
    void takeIn(long nanoseconds, Listener hearer) {
        listener = hearer;
        channels.takeIn(nanoseconds, receiver);
    }

    private void received(int connection, MemorySegment echo) {
        long number = answered[connection];
        String fault = number < sent[connection] ? messages.fault(echo, connection, number) : "was not asked for";
        if (fault != null) {
            throw new RunFailedException(
                    "the echo of message " + number + " on connection " + connection + " " + fault,
                    "messages must come back whole, once and in order: please report it, with the command line");
        }
        answered[connection]++;
        listener.answered(connection, number);
    }

    /** The oldest message without an answer, in words. */
    String oldest() {
        int connection = 0;
        while (connection < sent.length - 1 && answered[connection] == sent[connection]) {
            connection++;
        }
        return "message " + answered[connection] + " on connection " + connection;
    }

    @Override
    public void close() {
        channels.close();
    }
}
