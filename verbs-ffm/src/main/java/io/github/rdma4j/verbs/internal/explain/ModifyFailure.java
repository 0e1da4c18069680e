// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import static io.github.rdma4j.verbs.QueuePairAttribute.*;
import static java.util.stream.Collectors.joining;

import io.github.rdma4j.verbs.ModifyQueuePairException;
import io.github.rdma4j.verbs.QueuePairAttribute;
import io.github.rdma4j.verbs.QueuePairAttributes;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.Mtu;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the cause of a failed ibv_modify_qp(3), for which the kernel reports only EINVAL, from the state table, the
 * values, and the device and its GID table.
 *
 * @param number of the queue pair
 * @param type of the queue pair
 * @param from the current state
 * @param given the attributes that were set
 * @param values their values
 * @param device the facts of the device
 */
public record ModifyFailure(
        int number,
        QueuePairType type,
        QueuePairState from,
        Set<QueuePairAttribute> given,
        QueuePairAttributes values,
        DeviceFacts device) {
    private static final int CONTROLLED_QUEUE_KEY = 1 << 31;

    /**
     * Explains the refusal.
     *
     * @param errno of ibv_modify_qp(3)
     * @return what to throw
     */
    public VerbsException explain(int errno) {
        String operation = "ibv_modify_qp(0x%06x %s, %s%s)".formatted(number, type, transition(), describeValues());
        return switch (errno) {
            case Errno.EINVAL -> invalid(operation);
            case Errno.EPERM -> because(operation, errno, noRight());
            case Errno.ENOMEM ->
                because(
                        operation,
                        errno,
                        new Explanation()
                                .add(
                                        "the device or the kernel has no room left for the reads and atomics asked for",
                                        "ask for fewer"));
            case Errno.EOPNOTSUPP, Errno.ENOSYS ->
                Failures.of(
                        operation,
                        errno,
                        given.contains(RATE_LIMIT) ? "the driver offers no packet pacing (RATE_LIMIT)" : "",
                        "");
            default -> because(operation, errno, given.contains(AV) ? path().of(errno) : new Explanation());
        };
    }

    private PathDiagnosis path() {
        return new PathDiagnosis("path", values.path(), device);
    }

    private Explanation noRight() {
        boolean controlledKey = given.contains(QKEY) && (values.queueKey() & CONTROLLED_QUEUE_KEY) != 0;
        return controlledKey
                ? new Explanation()
                        .add(
                                ("a queue key with the highest bit set (0x%08x) is a controlled one, which needs"
                                                + " CAP_NET_RAW")
                                        .formatted(values.queueKey()),
                                "use a queue key below 0x80000000, or give the process CAP_NET_RAW")
                : new Explanation().add("the process has no right to do this", "give it CAP_NET_RAW");
    }

    private QueuePairState to() {
        return given.contains(STATE) ? values.state() : from;
    }

    private String transition() {
        return to() == from ? "in " + from : from + " to " + to();
    }

    private VerbsException because(String operation, int errno, Explanation explanation) {
        return new ModifyQueuePairException(
                operation, errno, explanation.cause(), explanation.remedy(), from, to(), Set.of(), Set.of());
    }

    private VerbsException invalid(String operation) {
        Explanation explanation = new Explanation();
        Set<QueuePairAttribute> missing = Set.of();
        Set<QueuePairAttribute> superfluous = Set.of();
        if (given.contains(CUR_STATE) && values.currentState() != from) {
            explanation.add(
                    "CUR_STATE says %s, and the queue pair is in %s".formatted(values.currentState(), from), "");
        }
        Optional<QueuePairStateTable.Transition> transition = QueuePairStateTable.find(type, from, to());
        if (transition.isPresent()) {
            missing = transition.get().missing(given);
            superfluous = transition.get().superfluous(given);
            if (!missing.isEmpty()) {
                explanation.add("missing: " + names(missing), "set " + setters(missing));
            }
            if (!superfluous.isEmpty()) {
                explanation.add(
                        "%s of %s queue pairs does not take %s".formatted(transition(), type, names(superfluous)),
                        "do not set " + setters(superfluous));
            }
        } else if (QueuePairStateTable.knows(type) && from != QueuePairState.UNKNOWN) {
            noTransition(explanation);
        }
        impossibleValues(explanation);
        if (explanation.isEmpty() && from == QueuePairState.SQD && to() == QueuePairState.RTS) {
            explanation.add(
                    "the send queue may not have drained yet",
                    "wait until query().sendQueueDraining() is false, or for the event SQ_DRAINED"
                            + " (notifySendQueueDrained)");
        }
        if (explanation.isEmpty()) {
            explanation.add(
                    "the attributes are those that this transition takes, so the driver refuses a value",
                    "look into the kernel log, where some drivers say which");
        }
        return new ModifyQueuePairException(
                operation, Errno.EINVAL, explanation.cause(), explanation.remedy(), from, to(), missing, superfluous);
    }

    private void noTransition(Explanation explanation) {
        List<QueuePairState> way = QueuePairStateTable.way(type, from, to());
        explanation.add(
                to() == from
                        ? "nothing can be modified in %s without changing the state".formatted(from)
                        : "%s queue pairs do not go from %s to %s".formatted(type, from, to()),
                way.isEmpty()
                        ? "from %s it goes to %s".formatted(from, join(QueuePairStateTable.next(type, from), " or "))
                        : "go " + join(way, " to "));
    }

    private void impossibleValues(Explanation explanation) {
        if (given.contains(PATH_MTU)) {
            checkMtu(explanation);
        }
        if (given.contains(AV)) {
            path().addTo(explanation);
        }
        // If the port is also set, both are compared before the call.
        if (given.contains(PKEY_INDEX) && !given.contains(PORT)) {
            checkPartition(
                    "PKEY_INDEX",
                    values.partitionKeyIndex(),
                    given.contains(AV) ? values.path().port() : 1,
                    explanation);
        }
        if (given.contains(ALT_PATH)) {
            checkAlternatePath(explanation);
        }
        if (given.contains(CAP)) {
            explanation.add(
                    "CAP resizes the queues, which few drivers can do",
                    "give the sizes when the queue pair is created");
        }
    }

    private void checkMtu(Explanation explanation) {
        Mtu mtu = values.pathMtu();
        Mtu active = device.port(given.contains(AV) ? values.path().port() : values.port())
                .map(PortAttributes::activeMtu)
                .orElse(Mtu.UNKNOWN);
        if (active != Mtu.UNKNOWN && mtu.compareTo(active) > 0) {
            explanation.add(
                    "PATH_MTU %d is above the port's active MTU %d".formatted(mtu.bytes(), active.bytes()),
                    "use the smaller of both ports' active MTU");
        }
    }

    private void checkAlternatePath(Explanation explanation) {
        Optional<PortAttributes> port = device.port(values.alternatePort());
        if (port.isPresent() && port.get().linkLayer() == LinkLayer.ETHERNET) {
            explanation.add(
                    "ALT_PATH: alternate paths are for InfiniBand, and port %d is Ethernet"
                            .formatted(values.alternatePort()),
                    "do not set alternatePath");
        } else {
            new PathDiagnosis("alternate path", values.alternatePath(), device).addTo(explanation);
            checkPartition(
                    "the partition key index of ALT_PATH",
                    values.alternatePartitionKeyIndex(),
                    values.alternatePort(),
                    explanation);
        }
    }

    private void checkPartition(String name, int index, int port, Explanation explanation) {
        int keys = device.port(port).map(PortAttributes::partitionTableLength).orElse(0);
        if (keys > 0 && index >= keys) {
            explanation.add(
                    "%s %d is beyond the partition key table of port %d, which has %d %s"
                            .formatted(name, index, port, keys, keys == 1 ? "entry" : "entries"),
                    "use an index that /sys/class/infiniband/DEVICE/ports/%d/pkeys lists".formatted(port));
        }
    }

    private static String join(Iterable<QueuePairState> states, String between) {
        List<String> names = new ArrayList<>();
        states.forEach(state -> names.add(state.name()));
        return String.join(between, names);
    }

    private static String names(Set<QueuePairAttribute> attributes) {
        return attributes.stream().map(Enum::name).collect(joining(", "));
    }

    private static String setters(Set<QueuePairAttribute> attributes) {
        return attributes.stream().map(QueuePairAttribute::setter).collect(joining(", "));
    }

    private String describeValues() {
        StringBuilder text = new StringBuilder();
        for (QueuePairAttribute attribute : given) {
            if (attribute != STATE) {
                text.append(", ").append(attribute).append('=').append(value(attribute));
            }
        }
        return text.toString();
    }

    private String value(QueuePairAttribute attribute) {
        return switch (attribute) {
            case STATE -> values.state().toString();
            case CUR_STATE -> values.currentState().toString();
            case EN_SQD_ASYNC_NOTIFY -> Boolean.toString(values.notifySendQueueDrained());
            case ACCESS_FLAGS -> values.remoteAccess().toString();
            case PKEY_INDEX -> Integer.toString(values.partitionKeyIndex());
            case PORT -> Integer.toString(values.port());
            case QKEY -> "0x%08x".formatted(values.queueKey());
            case AV -> "[" + values.path() + "]";
            case PATH_MTU -> Integer.toString(values.pathMtu().bytes());
            case TIMEOUT -> Integer.toString(values.timeout());
            case RETRY_CNT -> Integer.toString(values.retryCount());
            case RNR_RETRY -> Integer.toString(values.rnrRetry());
            case RQ_PSN -> "0x%06x".formatted(values.receivePacketSequenceNumber());
            case MAX_QP_RD_ATOMIC -> Integer.toString(values.maxReadAtomic());
            case ALT_PATH ->
                "[%s, partition key index %d, timeout %d]"
                        .formatted(
                                values.alternatePath(), values.alternatePartitionKeyIndex(), values.alternateTimeout());
            case MIN_RNR_TIMER -> Integer.toString(values.minRnrTimer());
            case SQ_PSN -> "0x%06x".formatted(values.sendPacketSequenceNumber());
            case MAX_DEST_RD_ATOMIC -> Integer.toString(values.maxDestinationReadAtomic());
            case PATH_MIG_STATE -> values.pathMigrationState().toString();
            case CAP -> values.capabilities().toString();
            case DEST_QPN -> "0x%06x".formatted(values.destinationQueuePairNumber());
            case RATE_LIMIT -> values.rateLimit() + " kbit/s";
        };
    }
}
