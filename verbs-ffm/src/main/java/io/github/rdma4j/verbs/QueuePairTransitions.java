// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.Mtu;
import java.util.OptionalInt;

/** Makes the state transitions of {@link PreparedQueuePair}, with the values that each of them needs. */
final class QueuePairTransitions {
    private QueuePairTransitions() {}

    static void toInit(QueuePair queuePair, QueuePairConfig config) {
        queuePair.modify(attributes -> {
            attributes.state(QueuePairState.INIT).port(config.port());
            switch (queuePair.type()) {
                case RAW_PACKET -> {}
                case UD, DRIVER ->
                    attributes.partitionKeyIndex(config.partitionKeyIndex()).queueKey(config.queueKey());
                default ->
                    attributes.partitionKeyIndex(config.partitionKeyIndex()).remoteAccess(config.remoteAccessMask());
            }
        });
    }

    static void toReadyToReceive(
            QueuePair queuePair,
            int port,
            OptionalInt gidIndex,
            QueuePairEndpoint ours,
            QueuePairEndpoint theirs,
            ConnectionConfig config) {
        AddressHandleAttributes local =
                AddressHandleAttributes.toLid(port, theirs.lid()).withServiceLevel(config.serviceLevel());
        AddressHandleAttributes path = gidIndex.isEmpty()
                ? local
                : local.withGlobalRoute(new GlobalRoute(
                        theirs.gid(),
                        config.flowLabel(),
                        gidIndex.getAsInt(),
                        config.hopLimit(),
                        config.trafficClass()));
        queuePair.modify(attributes -> {
            attributes
                    .state(QueuePairState.RTR)
                    .path(path)
                    .pathMtu(smallest(config.pathMtu(), smallest(ours.mtu(), theirs.mtu())))
                    .destinationQueuePairNumber(theirs.queuePairNumber())
                    .receivePacketSequenceNumber(theirs.packetSequenceNumber());
            if (answersRequests(queuePair.type())) {
                attributes
                        .maxDestinationReadAtomic(config.maxDestinationReadAtomic())
                        .minRnrTimer(config.minRnrTimer());
            }
        });
    }

    static void toReadyToSend(QueuePair queuePair, QueuePairEndpoint ours, ConnectionConfig config) {
        queuePair.modify(attributes -> {
            attributes.state(QueuePairState.RTS).sendPacketSequenceNumber(ours.packetSequenceNumber());
            if (queuePair.type() != QueuePairType.UC) {
                attributes.timeout(config.timeout());
            }
            if (awaitsAnswers(queuePair.type())) {
                attributes
                        .retryCount(config.retryCount())
                        .rnrRetry(config.rnrRetry())
                        .maxReadAtomic(config.maxReadAtomic());
            }
        });
    }

    /** Moves a queue pair without a peer to RTR and RTS. */
    static void toReadyToSendDatagrams(QueuePair queuePair, int packetSequenceNumber) {
        queuePair.modify(attributes -> attributes.state(QueuePairState.RTR));
        queuePair.modify(attributes -> {
            attributes.state(QueuePairState.RTS);
            if (queuePair.type() != QueuePairType.RAW_PACKET) {
                attributes.sendPacketSequenceNumber(packetSequenceNumber);
            }
        });
    }

    /** Moves an SRD queue pair to RTR and RTS: EFA refuses every other attribute. */
    static void toReadyToSendSrd(QueuePair queuePair, int packetSequenceNumber, OptionalInt rnrRetry) {
        queuePair.modify(attributes -> attributes.state(QueuePairState.RTR));
        queuePair.modify(attributes -> {
            attributes.state(QueuePairState.RTS).sendPacketSequenceNumber(packetSequenceNumber);
            rnrRetry.ifPresent(attributes::rnrRetry);
        });
    }

    static void toReset(QueuePair queuePair) {
        queuePair.modify(attributes -> attributes.state(QueuePairState.RESET));
    }

    static void toError(QueuePair queuePair) {
        queuePair.modify(attributes -> attributes.state(QueuePairState.ERR));
    }

    private static boolean answersRequests(QueuePairType type) {
        return type == QueuePairType.RC || type == QueuePairType.XRC_RECV;
    }

    private static boolean awaitsAnswers(QueuePairType type) {
        return type == QueuePairType.RC || type == QueuePairType.XRC_SEND;
    }

    private static Mtu smallest(Mtu a, Mtu b) {
        return a.compareTo(b) <= 0 ? a : b;
    }
}
