// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.EnumSet;
import java.util.Set;

/**
 * One attribute of a queue pair, or a group that is set together ({@code enum ibv_qp_attr_mask}). The names are as in
 * the header, without {@code IBV_QP_}, so that names in messages can be found in the manuals.
 *
 * @since 0.1.0
 */
public enum QueuePairAttribute {
    /** The next state; {@link QueuePairAttributesConfig#state}. */
    STATE(0, "state"),
    /** The state that the caller assumes; {@link QueuePairAttributesConfig#currentState}. */
    CUR_STATE(1, "currentState"),
    /**
     * Whether an event reports that the send queue has drained;
     * {@link QueuePairAttributesConfig#notifySendQueueDrained}.
     */
    EN_SQD_ASYNC_NOTIFY(2, "notifySendQueueDrained"),
    /** The peer's rights; {@link QueuePairAttributesConfig#remoteAccess}. */
    ACCESS_FLAGS(3, "remoteAccess"),
    /** The partition; {@link QueuePairAttributesConfig#partitionKeyIndex}. */
    PKEY_INDEX(4, "partitionKeyIndex"),
    /** The port; {@link QueuePairAttributesConfig#port}. */
    PORT(5, "port"),
    /** The queue key of datagrams; {@link QueuePairAttributesConfig#queueKey}. */
    QKEY(6, "queueKey"),
    /** The path to the peer, its address vector; {@link QueuePairAttributesConfig#path}. */
    AV(7, "path"),
    /** The packet size on the path to the peer; {@link QueuePairAttributesConfig#pathMtu}. */
    PATH_MTU(8, "pathMtu"),
    /** The time to wait for an acknowledgement; {@link QueuePairAttributesConfig#timeout}. */
    TIMEOUT(9, "timeout"),
    /** The number of retransmissions; {@link QueuePairAttributesConfig#retryCount}. */
    RETRY_CNT(10, "retryCount"),
    /** The number of retries to a receiver that is not ready; {@link QueuePairAttributesConfig#rnrRetry}. */
    RNR_RETRY(11, "rnrRetry"),
    /** The first packet number that the peer sends; {@link QueuePairAttributesConfig#receivePacketSequenceNumber}. */
    RQ_PSN(12, "receivePacketSequenceNumber"),
    /** Reads and atomics outstanding; {@link QueuePairAttributesConfig#maxReadAtomic}. */
    MAX_QP_RD_ATOMIC(13, "maxReadAtomic"),
    /** The path to migrate to; {@link QueuePairAttributesConfig#alternatePath}. */
    ALT_PATH(14, "alternatePath"),
    /** The time that a peer waits after it found no receive; {@link QueuePairAttributesConfig#minRnrTimer}. */
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

    /** Copies a set, in the order of declaration. */
    static EnumSet<QueuePairAttribute> copyOf(Set<QueuePairAttribute> attributes) {
        EnumSet<QueuePairAttribute> copy = EnumSet.noneOf(QueuePairAttribute.class);
        copy.addAll(attributes);
        return copy;
    }
}
