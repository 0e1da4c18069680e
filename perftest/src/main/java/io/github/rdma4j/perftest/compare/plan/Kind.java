// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.options.Verb;

/** What a tool measures, apart from how: over plain TCP there is one test of each kind. */
public enum Kind {
    /** Half the time of a message and its answer: what one message takes. */
    ONE_WAY,

    /** The whole time of a question and its answer. */
    ROUND_TRIP,

    /** Messages that follow each other without waiting. */
    BANDWIDTH;

    /** The kind of a tool. A read and an atomic operation are not over before their answer is there. */
    static Kind of(Tool tool) {
        if (!tool.isLatency()) {
            return BANDWIDTH;
        }
        return tool.verb() == Verb.READ || tool.verb() == Verb.ATOMIC ? ROUND_TRIP : ONE_WAY;
    }

    /** Into how many equal parts the time to and fro falls, of which one is the latency. */
    public int parts() {
        return this == ROUND_TRIP ? 1 : 2;
    }

    /** Messages, or operations, when one side begins so many: in a ping-pong each message is answered by another. */
    public long messages(long begun) {
        return this == ONE_WAY ? 2 * begun : begun;
    }

    /** In words. */
    public String title() {
        return switch (this) {
            case ONE_WAY -> "TCP latency";
            case ROUND_TRIP -> "TCP round trip";
            case BANDWIDTH -> "TCP bandwidth";
        };
    }
}
