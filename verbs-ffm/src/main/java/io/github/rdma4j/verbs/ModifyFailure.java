// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.util.stream.Collectors.joining;

import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds out why ibv_modify_qp(3) failed, where the kernel says no more than EINVAL: from the state table, the values, and what the
 * device and its GID table say.
 *
 * @param number of the queue pair
 * @param type of the queue pair
 * @param from where it stands
 * @param given the attributes that were set
 * @param values what they were set to
 * @param device what is known of the device
 */
record ModifyFailure(
        int number,
        QueuePairType type,
        QueuePairState from,
        Set<QueuePairAttribute> given,
        QueuePairAttributes values,
        DeviceFacts device) {
    private static final int CONTROLLED_QUEUE_KEY = 1 << 31;

    /** What the explanation asks of the device; empty where it does not answer. */
    interface DeviceFacts {
        /** The port, if there is one of that number. */
        Optional<PortAttributes> port(int port);

        /** The GIDs of the port that are in use. */
        List<GidEntry> gids(int port);
    }

    VerbsException explain(int errno) {
        String operation = "ibv_modify_qp(0x%06x %s, %s%s)".formatted(number, type, transition(), describeValues());
        return switch (errno) {
            case Errno.EINVAL -> invalid(operation);
            case Errno.ENODATA, Errno.ENOENT ->
                because(
                        operation,
                        errno,
                        sourceGidProblem().orElse(""),
                        "use an index that DeviceContext.gidTable lists");
            case Errno.ETIMEDOUT ->
                because(
                        operation,
                        errno,
                        "the address of the peer's GID did not resolve: nothing answered ARP or neighbour discovery"
                                + " for "
                                + peer(),
                        "check that the peer's interface is up, and that both are in one Ethernet segment or that a"
                                + " route leads there: ping it from the source address");
            case Errno.ENETUNREACH, Errno.EHOSTUNREACH ->
                because(
                        operation,
                        errno,
                        "there is no route to " + peer(),
                        "give the interface an address in the peer's subnet, or add a route (ip route get ADDRESS"
                                + " shows the way)");
            case Errno.EADDRNOTAVAIL, Errno.ENODEV ->
                because(
                        operation,
                        errno,
                        "the network interface behind the source GID is gone, down, or has lost its address",
                        "bring it up, and choose the GID anew with DeviceContext.selectGid");
            case Errno.EPERM ->
                because(
                        operation,
                        errno,
                        given.contains(QueuePairAttribute.QKEY) && (values.queueKey() & CONTROLLED_QUEUE_KEY) != 0
                                ? "a queue key with the highest bit set (0x%08x) is a controlled one, which needs CAP_NET_RAW"
                                        .formatted(values.queueKey())
                                : "the process has no right to do this",
                        "use a queue key below 0x80000000, or give the process CAP_NET_RAW");
            case Errno.ENOMEM ->
                because(
                        operation,
                        errno,
                        "the device or the kernel has no room left for the reads and atomics asked for",
                        "ask for fewer");
            case Errno.EOPNOTSUPP, Errno.ENOSYS ->
                Failures.of(
                        operation,
                        errno,
                        given.contains(QueuePairAttribute.RATE_LIMIT)
                                ? "the driver offers no packet pacing (RATE_LIMIT)"
                                : "",
                        "");
            default -> because(operation, errno, "", "");
        };
    }

    private QueuePairState to() {
        return given.contains(QueuePairAttribute.STATE) ? values.state() : from;
    }

    private String transition() {
        return to() == from ? "in " + from : from + " to " + to();
    }

    private VerbsException because(String operation, int errno, String explanation, String remedy) {
        return new ModifyQueuePairException(operation, errno, explanation, remedy, from, to(), Set.of(), Set.of());
    }

    private VerbsException invalid(String operation) {
        List<String> causes = new ArrayList<>();
        List<String> remedies = new ArrayList<>();
        Set<QueuePairAttribute> missing = Set.of();
        Set<QueuePairAttribute> superfluous = Set.of();
        if (given.contains(QueuePairAttribute.CUR_STATE) && values.currentState() != from) {
            causes.add("CUR_STATE says %s, and the queue pair is in %s".formatted(values.currentState(), from));
        }
        Optional<QueuePairStateTable.Transition> transition = QueuePairStateTable.find(type, from, to());
        if (transition.isPresent()) {
            missing = transition.get().missing(given);
            superfluous = transition.get().superfluous(given);
            if (!missing.isEmpty()) {
                causes.add("missing: " + names(missing));
                remedies.add("set " + setters(missing));
            }
            if (!superfluous.isEmpty()) {
                causes.add("%s of %s queue pairs does not take %s".formatted(transition(), type, names(superfluous)));
                remedies.add("do not set " + setters(superfluous));
            }
        } else if (QueuePairStateTable.knows(type) && from != QueuePairState.UNKNOWN) {
            noTransition(causes, remedies);
        }
        ModifyValueCheck.of(this).addTo(causes, remedies);
        if (causes.isEmpty()) {
            causes.add("the attributes are those that this transition takes, so the driver refuses a value");
            remedies.add("look into the kernel log, where some drivers say which");
        }
        return new ModifyQueuePairException(
                operation,
                Errno.EINVAL,
                String.join("; ", causes),
                String.join("; ", remedies),
                from,
                to(),
                missing,
                superfluous);
    }

    private void noTransition(List<String> causes, List<String> remedies) {
        if (to() == from) {
            causes.add("nothing can be modified in %s without changing the state".formatted(from));
        } else {
            causes.add("%s queue pairs do not go from %s to %s".formatted(type, from, to()));
        }
        List<QueuePairState> way = QueuePairStateTable.way(type, from, to());
        if (way.isEmpty()) {
            remedies.add("from %s it goes to %s".formatted(from, join(QueuePairStateTable.next(type, from), " or ")));
        } else {
            remedies.add("go " + join(way, " to "));
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

    private Optional<String> sourceGidProblem() {
        return values.path().globalRoute().map(route -> {
            int port = values.path().port();
            return "port %d has no GID at index %d; in use: %s"
                    .formatted(
                            port,
                            route.sourceGidIndex(),
                            device.gids(port).stream().map(GidEntry::index).toList());
        });
    }

    private String peer() {
        return values.path()
                .globalRoute()
                .map(route -> "%s from %s"
                        .formatted(
                                route.destinationGid(),
                                device.gids(values.path().port()).stream()
                                        .filter(entry -> entry.index() == route.sourceGidIndex())
                                        .findFirst()
                                        .map(entry -> entry.gid().toString())
                                        .orElse("the GID at index " + route.sourceGidIndex())))
                .orElse("the peer");
    }

    private String describeValues() {
        StringBuilder text = new StringBuilder();
        for (QueuePairAttribute attribute : given) {
            if (attribute != QueuePairAttribute.STATE) {
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
