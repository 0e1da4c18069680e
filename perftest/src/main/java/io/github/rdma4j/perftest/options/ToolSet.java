// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.function.Predicate;

/** Tools that share an option. */
enum ToolSet {
    /** Those that measure bandwidth. */
    BANDWIDTH("the bandwidth tools", tool -> !tool.isLatency()),

    /** Those that measure latency. */
    LATENCY("the latency tools", Tool::isLatency),

    /** Those that send. */
    SEND("the send tools", tool -> tool.verb() == Verb.SEND),

    /** Those that write. */
    WRITE("the write tools", tool -> tool.verb() == Verb.WRITE),

    /** Those whose two sides both see completions, or whose server has nothing to do. */
    NOT_WRITE("all but the write tools", tool -> tool.verb() != Verb.WRITE),

    /** Those whose request can carry its message. */
    WRITE_OR_SEND(
            "the write and send tools: a read or atomic request carries no data",
            tool -> tool.verb() == Verb.WRITE || tool.verb() == Verb.SEND),

    /** Those whose request is answered by the peer's adapter. */
    READ_OR_ATOMIC("the read and atomic tools", tool -> tool.verb() == Verb.READ || tool.verb() == Verb.ATOMIC),

    /** Those of RDMA. */
    WRITE_OR_READ("the write and read tools", tool -> tool.verb() == Verb.WRITE || tool.verb() == Verb.READ),

    /** Those that measure what the peer's memory gives or takes without its help. */
    ONE_SIDED("the write, read and atomic tools", tool -> tool.verb() != Verb.SEND),

    /** Those with atomic operations. */
    ATOMIC("the atomic tools", tool -> tool.verb() == Verb.ATOMIC),

    /** All but the atomic ones, whose messages have eight bytes. */
    SIZED("all but the atomic tools", tool -> tool.verb() != Verb.ATOMIC);

    private final String words;
    private final Predicate<Tool> members;

    ToolSet(String words, Predicate<Tool> members) {
        this.words = words;
        this.members = members;
    }

    /** The set in words, as in "is for the bandwidth tools". */
    String words() {
        return words;
    }

    boolean contains(Tool tool) {
        return members.test(tool);
    }
}
