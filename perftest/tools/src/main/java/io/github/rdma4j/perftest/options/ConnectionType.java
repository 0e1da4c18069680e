// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The transport service of a test's queue pairs, with the names of the C tools. */
public enum ConnectionType {
    /** Reliable connection: every verb. */
    RC(EnumSet.allOf(Verb.class)),

    /** Unreliable connection: nothing is acknowledged, so nothing can be read. */
    UC(EnumSet.of(Verb.SEND, Verb.WRITE)),

    /** Unreliable datagram: one packet at a time, into a receive that the peer has posted. */
    UD(EnumSet.of(Verb.SEND)),

    /**
     * Extended reliable connection: queue pairs that only send, and others that only receive into a shared receive
     * queue.
     */
    XRC(EnumSet.allOf(Verb.class)),

    /** Scalable reliable datagram, of Amazon's Elastic Fabric Adapter: each message arrives once, in any order. */
    SRD(EnumSet.of(Verb.SEND, Verb.READ, Verb.WRITE));

    private final Set<Verb> verbs;

    ConnectionType(Set<Verb> verbs) {
        this.verbs = verbs;
    }

    /**
     * Reads {@code -c}.
     *
     * @throws IllegalParameterException when there is no such type, or it does not support the verb
     */
    static ConnectionType of(String name, Verb verb) {
        String reason = switch (name) {
            case "DC" -> "DC is a protocol of NVIDIA's adapters, posted through their own library (mlx5dv)";
            case "RawEth" -> "RawEth is for raw_ethernet_bw and raw_ethernet_lat";
            default ->
                Arrays.stream(values()).anyMatch(type -> type.name().equals(name))
                        ? cannot(valueOf(name), verb)
                        : "'" + name + "' is no connection type";
        };
        IllegalParameterException.when(
                reason != null, () -> "-c/--connection: " + reason + "; allowed is " + list(verb, ", "));
        return valueOf(name);
    }

    /** The types that a verb works with, in the order of C's help, which scripts read. */
    static String list(Verb verb, String separator) {
        return Stream.of(RC, XRC, UC, UD, SRD)
                .filter(type -> type.verbs.contains(verb))
                .map(Enum::name)
                .collect(Collectors.joining(separator));
    }

    private static String cannot(ConnectionType type, Verb verb) {
        return type.verbs.contains(verb)
                ? null
                : type + " has no "
                        + switch (verb) {
                            case READ, WRITE -> "RDMA " + verb.name().toLowerCase(Locale.ROOT);
                            case ATOMIC -> "atomic operation";
                            case SEND -> "send";
                        };
    }

    /** Returns whether each message names its peer. Such a message is at most one packet, or what SRD transfers. */
    public boolean isDatagram() {
        return this == UD || this == SRD;
    }

    /** Returns whether several messages can share a completion. */
    public boolean moderates() {
        return this != SRD;
    }

    /** Returns whether messages can be lost without being sent again. */
    public boolean mayLose() {
        return this == UC || this == UD;
    }
}
