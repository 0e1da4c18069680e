// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.EnumSet;
import java.util.Set;

/**
 * One attribute of a queue pair, or a group that is set together ({@code enum ibv_qp_attr_mask}). The names are those
 * of the header without {@code IBV_QP_}, because a message that names them must be findable in manuals.
 *
 * @since 0.1.0
 */
public enum QueuePairAttribute {
    /** The state to go to; {@link QueuePairAttributesConfig#state}. */
    STATE(0, "state"),
    /** The state that the caller takes the queue pair to be in; {@link QueuePairAttributesConfig#currentState}. */
    CUR_STATE(1, "currentState"),
    /** An event when the send queue has drained; {@link QueuePairAttributesConfig#notifySendQueueDrained}. */
    EN_SQD_ASYNC_NOTIFY(2, "notifySendQueueDrained"),
    /** What the peer may do; {@link QueuePairAttributesConfig#remoteAccess}. */
    ACCESS_FLAGS(3, "remoteAccess"),
    /** The partition; {@link QueuePairAttributesConfig#partitionKeyIndex}. */
    PKEY_INDEX(4, "partitionKeyIndex"),
    /** The port; {@link QueuePairAttributesConfig#port}. */
    PORT(5, "port"),
    /** The queue key of datagrams; {@link QueuePairAttributesConfig#queueKey}. */
    QKEY(6, "queueKey"),
    /** The way to the peer, its address vector; {@link QueuePairAttributesConfig#path}. */
    AV(7, "path"),
    /** The packet size on the way to the peer; {@link QueuePairAttributesConfig#pathMtu}. */
    PATH_MTU(8, "pathMtu"),
    /** How long to wait for an acknowledgement; {@link QueuePairAttributesConfig#timeout}. */
    TIMEOUT(9, "timeout"),
    /** How often to send again; {@link QueuePairAttributesConfig#retryCount}. */
    RETRY_CNT(10, "retryCount"),
    /** How often to send again to a receiver that is not ready; {@link QueuePairAttributesConfig#rnrRetry}. */
    RNR_RETRY(11, "rnrRetry"),
    /** The first packet number that the peer sends; {@link QueuePairAttributesConfig#receivePacketSequenceNumber}. */
    RQ_PSN(12, "receivePacketSequenceNumber"),
    /** Reads and atomics outstanding; {@link QueuePairAttributesConfig#maxReadAtomic}. */
    MAX_QP_RD_ATOMIC(13, "maxReadAtomic"),
    /** The way to migrate to; {@link QueuePairAttributesConfig#alternatePath}. */
    ALT_PATH(14, "alternatePath"),
    /** How long a peer must wait after it found no receive; {@link QueuePairAttributesConfig#minRnrTimer}. */
    MIN_RNR_TIMER(15, "minRnrTimer"),
    /** The first packet number that this side sends; {@link QueuePairAttributesConfig#sendPacketSequenceNumber}. */
    SQ_PSN(16, "sendPacketSequenceNumber"),
    /** Reads and atomics served; {@link QueuePairAttributesConfig#maxDestinationReadAtomic}. */
    MAX_DEST_RD_ATOMIC(17, "maxDestinationReadAtomic"),
    /** Whether the alternate path is armed; {@link QueuePairAttributesConfig#pathMigrationState}. */
    PATH_MIG_STATE(18, "pathMigrationState"),
    /** The sizes of the queues; {@link QueuePairAttributesConfig#capabilities}. */
    CAP(19, "capabilities"),
    /** The peer's queue pair; {@link QueuePairAttributesConfig#destinationQueuePairNumber}. */
    DEST_QPN(20, "destinationQueuePairNumber"),
    /** Packet pacing; {@link QueuePairAttributesConfig#rateLimit}. */
    RATE_LIMIT(25, "rateLimit");

    private final int bit;
    private final String setter;

    QueuePairAttribute(int position, String setter) {
        this.bit = 1 << position;
        this.setter = setter;
    }

    int bit() {
        return bit;
    }

    /** {@return the name of the method of {@link QueuePairAttributesConfig} that sets it} */
    public String setter() {
        return setter;
    }

    static int mask(Set<QueuePairAttribute> attributes) {
        int mask = 0;
        for (QueuePairAttribute attribute : attributes) {
            mask |= attribute.bit;
        }
        return mask;
    }

    /** In the order of declaration, whatever the set was made from. */
    static EnumSet<QueuePairAttribute> copyOf(Set<QueuePairAttribute> attributes) {
        EnumSet<QueuePairAttribute> copy = EnumSet.noneOf(QueuePairAttribute.class);
        copy.addAll(attributes);
        return copy;
    }
}
