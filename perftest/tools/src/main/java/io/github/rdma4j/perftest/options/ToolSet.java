// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.function.Predicate;

/** Tools that share an option. */
enum ToolSet {
    /** The bandwidth tools. */
    BANDWIDTH("the bandwidth tools", tool -> !tool.isLatency()),

    /** The latency tools. */
    LATENCY("the latency tools", Tool::isLatency),

    /** The send tools. */
    SEND("the send tools", tool -> tool.verb() == Verb.SEND),

    /** The write tools. */
    WRITE("the write tools", tool -> tool.verb() == Verb.WRITE),

    /** The tools whose two sides both see completions, or whose server is passive. */
    NOT_WRITE("all tools except the write tools", tool -> tool.verb() != Verb.WRITE),

    /** The tools whose request can carry its message. */
    WRITE_OR_SEND(
            "the write and send tools: a read or an atomic sends no message",
            tool -> tool.verb() == Verb.WRITE || tool.verb() == Verb.SEND),

    /** The tools whose request is answered by the peer's adapter. */
    READ_OR_ATOMIC("the read and atomic tools", tool -> tool.verb() == Verb.READ || tool.verb() == Verb.ATOMIC),

    /** The tools with RDMA reads or writes. */
    WRITE_OR_READ("the write and read tools", tool -> tool.verb() == Verb.WRITE || tool.verb() == Verb.READ),

    /** The tools that access the peer's memory without its help. */
    ONE_SIDED("the write, read and atomic tools", tool -> tool.verb() != Verb.SEND),

    /** The tools with atomic operations. */
    ATOMIC("the atomic tools", tool -> tool.verb() == Verb.ATOMIC),

    /** All tools except the atomic ones, whose messages have eight bytes. */
    SIZED("all tools except the atomic tools", tool -> tool.verb() != Verb.ATOMIC);

    private final String words;
    private final Predicate<Tool> members;

    ToolSet(String words, Predicate<Tool> members) {
        this.words = words;
        this.members = members;
    }

    /** Returns the set in words, as in "is for the bandwidth tools". */
    String words() {
        return words;
    }

    boolean contains(Tool tool) {
        return members.test(tool);
    }
}
