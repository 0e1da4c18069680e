// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.options.Verb;

/** The quantity that a tool measures. There is one test of each kind over plain TCP. */
public enum Kind {
    /** Half the time of a message and its answer, which is the time of one message. */
    ONE_WAY,

    /** The whole time of a request and its answer. */
    ROUND_TRIP,

    /** A stream of messages without waiting. */
    BANDWIDTH;

    /** Returns the kind of a tool. A read or an atomic operation ends with its answer. */
    static Kind of(Tool tool) {
        if (!tool.isLatency()) {
            return BANDWIDTH;
        }
        return tool.verb() == Verb.READ || tool.verb() == Verb.ATOMIC ? ROUND_TRIP : ONE_WAY;
    }

    /** Returns the number of equal parts of a round trip, one of which is the latency. */
    public int parts() {
        return this == ROUND_TRIP ? 1 : 2;
    }

    /**
     * Returns the number of messages or operations if one side starts this many: in a ping-pong, each message is
     * answered by another one.
     */
    public long messages(long begun) {
        return this == ONE_WAY ? 2 * begun : begun;
    }

    /** Returns a description of the kind. */
    public String title() {
        return switch (this) {
            case ONE_WAY -> "TCP latency";
            case ROUND_TRIP -> "TCP round trip";
            case BANDWIDTH -> "TCP bandwidth";
        };
    }
}
