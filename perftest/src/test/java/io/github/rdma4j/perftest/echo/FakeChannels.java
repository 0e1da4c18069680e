// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Queue;

/** Connections to a server whose answers take a fixed time, and a clock that goes only where somebody waits. */
final class FakeChannels implements Channels {
    private record Echo(long at, int connection, MemorySegment message) {}

    private final int connections;
    private final long latency;
    private final Queue<Echo> underWay = new ArrayDeque<>();
    private long now;

    /** Until then no answer comes. */
    private long standstillEnds;

    /** How many messages may be under way; others find no room. */
    private int room = Integer.MAX_VALUE;

    private boolean losesAll;
    private boolean spoils;

    FakeChannels(int connections, long latency) {
        this.connections = connections;
        this.latency = latency;
    }

    FakeChannels standingStillUntil(long end) {
        standstillEnds = end;
        return this;
    }

    FakeChannels withRoom(int messages) {
        room = messages;
        return this;
    }

    FakeChannels losingAll() {
        losesAll = true;
        return this;
    }

    FakeChannels spoiling() {
        spoils = true;
        return this;
    }

    long now() {
        return now;
    }

    @Override
    public int connections() {
        return connections;
    }

    @Override
    public boolean trySend(int connection, MemorySegment message) {
        if (underWay.size() >= room) {
            return false;
        }
        MemorySegment copy = Arena.ofAuto().allocate(message.byteSize()).copyFrom(message);
        if (spoils) {
            copy.set(java.lang.foreign.ValueLayout.JAVA_BYTE, 20, (byte)
                    ~copy.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 20));
        }
        underWay.add(new Echo(Math.max(now, standstillEnds) + latency, connection, copy));
        return true;
    }

    @Override
    public void flush() {}

    @Override
    public void takeIn(long nanoseconds, Receiver receiver) {
        long end = now + nanoseconds;
        Echo next = underWay.peek();
        if (next == null || losesAll || next.at() > end) {
            now = end;
            return;
        }
        now = Math.max(now, next.at());
        while (next != null && next.at() <= now) {
            underWay.remove();
            receiver.received(next.connection(), next.message());
            next = underWay.peek();
        }
    }

    @Override
    public void close() {}
}
