// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import static io.github.rdma4j.verbs.QueuePairAttribute.*;
import static io.github.rdma4j.verbs.QueuePairState.*;
import static io.github.rdma4j.verbs.QueuePairType.*;

import io.github.rdma4j.verbs.QueuePairAttribute;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.QueuePairType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The state transitions of queue pairs, with the attributes that each transition requires and allows: the InfiniBand
 * specification's table (release 1.4, chapter 11.2.5.2) as Linux applies it to all drivers. It explains a refusal; it
 * never refuses anything itself, because drivers may support more.
 */
final class QueuePairStateTable {
    private static final Set<QueuePairType> CONNECTED = EnumSet.of(RC, UC, XRC_SEND, XRC_RECV);
    private static final Set<QueuePairType> RELIABLE = EnumSet.of(RC, XRC_SEND, XRC_RECV);
    /** The types that respond to reads, atomics and receives. */
    private static final Set<QueuePairType> RELIABLE_RESPONDERS = EnumSet.of(RC, XRC_RECV);
    /** The types that send requests with a response. */
    private static final Set<QueuePairType> RELIABLE_REQUESTERS = EnumSet.of(RC, XRC_SEND);

    private static final Map<QueuePairType, Map<QueuePairState, Map<QueuePairState, Transition>>> TABLE =
            new EnumMap<>(QueuePairType.class);

    static {
        for (QueuePairType type : EnumSet.of(RC, UC, UD, RAW_PACKET, XRC_SEND, XRC_RECV)) {
            TABLE.put(type, transitions(type));
        }
    }

    private QueuePairStateTable() {}

    /**
     * What a transition takes, {@link QueuePairAttribute#STATE} aside, which every one that changes the state must
     * carry.
     *
     * @param required all of them must be set
     * @param optional any of them may be set
     */
    record Transition(Set<QueuePairAttribute> required, Set<QueuePairAttribute> optional) {
        Set<QueuePairAttribute> missing(Set<QueuePairAttribute> given) {
            EnumSet<QueuePairAttribute> missing = EnumSet.noneOf(QueuePairAttribute.class);
            missing.addAll(required);
            missing.removeAll(given);
            return missing;
        }

        Set<QueuePairAttribute> superfluous(Set<QueuePairAttribute> given) {
            EnumSet<QueuePairAttribute> superfluous = EnumSet.noneOf(QueuePairAttribute.class);
            superfluous.addAll(given);
            superfluous.removeAll(required);
            superfluous.removeAll(optional);
            superfluous.remove(STATE);
            return superfluous;
        }
    }

    /** Whether there is a table for that type. */
    static boolean knows(QueuePairType type) {
        return TABLE.containsKey(type);
    }

    /** What the transition takes, if it exists. */
    static Optional<Transition> find(QueuePairType type, QueuePairState from, QueuePairState to) {
        return Optional.ofNullable(
                TABLE.getOrDefault(type, Map.of()).getOrDefault(from, Map.of()).get(to));
    }

    /** The states that can be reached from that one by one modification, other than the state itself. */
    static Set<QueuePairState> next(QueuePairType type, QueuePairState from) {
        EnumSet<QueuePairState> next = EnumSet.noneOf(QueuePairState.class);
        next.addAll(
                TABLE.getOrDefault(type, Map.of()).getOrDefault(from, Map.of()).keySet());
        next.remove(from);
        return next;
    }

    /** The shortest path from one state to another, both ends included; empty if there is none. */
    static List<QueuePairState> way(QueuePairType type, QueuePairState from, QueuePairState to) {
        Map<QueuePairState, QueuePairState> cameFrom = new EnumMap<>(QueuePairState.class);
        Deque<QueuePairState> open = new ArrayDeque<>(List.of(from));
        while (!open.isEmpty()) {
            QueuePairState at = open.remove();
            for (QueuePairState next : next(type, at)) {
                if (next != from && cameFrom.putIfAbsent(next, at) == null) {
                    open.add(next);
                }
            }
        }
        if (!cameFrom.containsKey(to)) {
            return List.of();
        }
        List<QueuePairState> way = new ArrayList<>(List.of(to));
        while (way.getLast() != from) {
            way.add(cameFrom.get(way.getLast()));
        }
        Collections.reverse(way);
        return way;
    }

    private static Map<QueuePairState, Map<QueuePairState, Transition>> transitions(QueuePairType type) {
        Rows rows = new Rows(type);
        boolean raw = type == RAW_PACKET;
        rows.add(RESET, RESET, new Cell());
        rows.add(RESET, INIT, identity(type, true));
        rows.add(INIT, INIT, identity(type, false));
        rows.add(INIT, RTR, toReadyToReceive());
        rows.add(RTR, RTS, toReadyToSend(raw));
        rows.add(RTS, RTS, raw ? new Cell().optional(RATE_LIMIT) : running());
        rows.add(RTS, SQD, raw ? new Cell() : new Cell().optional(EN_SQD_ASYNC_NOTIFY));
        rows.add(SQD, SQD, drained());
        rows.add(SQD, RTS, raw ? new Cell() : running());
        rows.add(
                SQE,
                RTS,
                new Cell()
                        .optional(EnumSet.of(UD, UC), CUR_STATE)
                        .optional(EnumSet.of(UD), QKEY)
                        .optional(EnumSet.of(UC), ACCESS_FLAGS));
        for (QueuePairState state : EnumSet.range(INIT, ERR)) {
            rows.add(state, RESET, new Cell());
            rows.add(state, ERR, new Cell());
        }
        return rows.table;
    }

    /** Port, partition, and what peers may do: what a queue pair gets at INIT, and can still change there. */
    private static Cell identity(QueuePairType type, boolean required) {
        EnumSet<QueuePairAttribute> identity = switch (type) {
            case UD -> EnumSet.of(PKEY_INDEX, PORT, QKEY);
            case RAW_PACKET -> required ? EnumSet.of(PORT) : EnumSet.noneOf(QueuePairAttribute.class);
            default -> EnumSet.of(PKEY_INDEX, PORT, ACCESS_FLAGS);
        };
        EnumSet<QueuePairType> all = EnumSet.allOf(QueuePairType.class);
        QueuePairAttribute[] attributes = identity.toArray(QueuePairAttribute[]::new);
        return required ? new Cell().required(all, attributes) : new Cell().optional(all, attributes);
    }

    private static Cell toReadyToReceive() {
        return new Cell()
                .required(CONNECTED, AV, PATH_MTU, DEST_QPN, RQ_PSN)
                .required(RELIABLE_RESPONDERS, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER)
                .optional(CONNECTED, ALT_PATH, ACCESS_FLAGS, PKEY_INDEX)
                .optional(EnumSet.of(UD), PKEY_INDEX, QKEY);
    }

    private static Cell toReadyToSend(boolean raw) {
        return raw
                ? new Cell().optional(RATE_LIMIT)
                : running()
                        .required(EnumSet.allOf(QueuePairType.class), SQ_PSN)
                        .required(RELIABLE, TIMEOUT)
                        .required(RELIABLE_REQUESTERS, RETRY_CNT, RNR_RETRY, MAX_QP_RD_ATOMIC);
    }

    /** Attributes that can be changed in the transition to RTS and in RTS. */
    private static Cell running() {
        return new Cell()
                .optional(CUR_STATE)
                .optional(EnumSet.of(UD), QKEY)
                .optional(CONNECTED, ACCESS_FLAGS, ALT_PATH, PATH_MIG_STATE)
                .optional(RELIABLE_RESPONDERS, MIN_RNR_TIMER);
    }

    /** Attributes that can be changed while the send queue is drained. */
    private static Cell drained() {
        return new Cell()
                .optional(EnumSet.of(UD), PKEY_INDEX, QKEY)
                .optional(CONNECTED, AV, ALT_PATH, ACCESS_FLAGS, PKEY_INDEX, PATH_MIG_STATE)
                .optional(RELIABLE, PORT, TIMEOUT)
                .optional(RELIABLE_REQUESTERS, RETRY_CNT, RNR_RETRY, MAX_QP_RD_ATOMIC)
                .optional(RELIABLE_RESPONDERS, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER);
    }

    /** One transition for all types; each rule names the types that it is for. */
    private static final class Cell {
        private final List<Rule> rules = new ArrayList<>();

        private record Rule(Set<QueuePairType> types, Set<QueuePairAttribute> attributes, boolean required) {}

        Cell required(Set<QueuePairType> types, QueuePairAttribute... attributes) {
            rules.add(new Rule(types, Set.of(attributes), true));
            return this;
        }

        Cell optional(Set<QueuePairType> types, QueuePairAttribute... attributes) {
            rules.add(new Rule(types, Set.of(attributes), false));
            return this;
        }

        Cell optional(QueuePairAttribute... attributes) {
            return optional(EnumSet.allOf(QueuePairType.class), attributes);
        }

        Transition of(QueuePairType type) {
            EnumSet<QueuePairAttribute> required = EnumSet.noneOf(QueuePairAttribute.class);
            EnumSet<QueuePairAttribute> optional = EnumSet.noneOf(QueuePairAttribute.class);
            for (Rule rule : rules) {
                if (rule.types.contains(type)) {
                    (rule.required ? required : optional).addAll(rule.attributes);
                }
            }
            return new Transition(required, optional);
        }
    }

    /** The transitions of one type as they come together. */
    private static final class Rows {
        private final QueuePairType type;
        private final Map<QueuePairState, Map<QueuePairState, Transition>> table = new EnumMap<>(QueuePairState.class);

        Rows(QueuePairType type) {
            this.type = type;
        }

        void add(QueuePairState from, QueuePairState to, Cell cell) {
            table.computeIfAbsent(from, state -> new EnumMap<>(QueuePairState.class))
                    .put(to, cell.of(type));
        }
    }
}
