// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_qp_attr;
import io.github.rdma4j.verbs.device.Mtu;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;

/**
 * The attributes of a queue pair ({@code struct ibv_qp_attr}, ibv_query_qp(3)), as of the query. Attributes that do not
 * belong to the queue pair's type, or have not been set yet, are undefined and usually 0.
 *
 * @param state the state
 * @param currentState the same, or the state in which a transition in progress started
 * @param pathMtu the payload of a packet; {@link Mtu#UNKNOWN} before it was set
 * @param pathMigrationState the state of path migration
 * @param queueKey the queue key of datagrams
 * @param receivePacketSequenceNumber the packet number expected next, 24 bits
 * @param sendPacketSequenceNumber the packet number sent next, 24 bits
 * @param destinationQueuePairNumber the peer's queue pair, 24 bits
 * @param remoteAccess the peer's rights
 * @param capabilities the sizes of the queues
 * @param path the path to the peer
 * @param alternatePath the path to migrate to
 * @param partitionKeyIndex the partition, by the index of its key
 * @param alternatePartitionKeyIndex the partition on the alternate path
 * @param notifySendQueueDrained whether an event reports that the send queue has drained
 * @param sendQueueDraining whether the send queue is still draining; in {@link QueuePairState#SQD} only
 * @param maxReadAtomic the maximum number of outstanding reads and atomics
 * @param maxDestinationReadAtomic the maximum number of the peer's reads and atomics that are served at a time
 * @param minRnrTimer the code of the time that a peer waits after it found no receive; 0 is 655 ms, 1 to 31 rise from
 *     10 us to 491 ms
 * @param port the port
 * @param timeout the time to wait for an acknowledgement: 4.096 microseconds times two to this power, 0 forever
 * @param retryCount the number of retransmissions
 * @param rnrRetry the number of retries to a receiver that is not ready; 7 is infinite
 * @param alternatePort the port of the alternate path
 * @param alternateTimeout the timeout on the alternate path
 * @param rateLimit packet pacing in kbit/s, 0 for none; no driver reports it
 * @since 0.1.0
 */
public record QueuePairAttributes(
        QueuePairState state,
        QueuePairState currentState,
        Mtu pathMtu,
        PathMigrationState pathMigrationState,
        int queueKey,
        int receivePacketSequenceNumber,
        int sendPacketSequenceNumber,
        int destinationQueuePairNumber,
        Set<AccessFlag> remoteAccess,
        QueuePairCapabilities capabilities,
        AddressHandleAttributes path,
        AddressHandleAttributes alternatePath,
        int partitionKeyIndex,
        int alternatePartitionKeyIndex,
        boolean notifySendQueueDrained,
        boolean sendQueueDraining,
        int maxReadAtomic,
        int maxDestinationReadAtomic,
        int minRnrTimer,
        int port,
        int timeout,
        int retryCount,
        int rnrRetry,
        int alternatePort,
        int alternateTimeout,
        long rateLimit) {

    /** Copies the set. */
    public QueuePairAttributes {
        remoteAccess = Set.copyOf(remoteAccess);
    }

    static QueuePairAttributes read(MemorySegment attributes) {
        return new QueuePairAttributes(
                QueuePairState.ofCode(ibv_qp_attr.qp_state(attributes)),
                QueuePairState.ofCode(ibv_qp_attr.cur_qp_state(attributes)),
                Mtu.ofQuery(ibv_qp_attr.path_mtu(attributes)),
                PathMigrationState.ofCode(ibv_qp_attr.path_mig_state(attributes)),
                ibv_qp_attr.qkey(attributes),
                ibv_qp_attr.rq_psn(attributes),
                ibv_qp_attr.sq_psn(attributes),
                ibv_qp_attr.dest_qp_num(attributes),
                accessFlags(ibv_qp_attr.qp_access_flags(attributes)),
                QueuePairCapabilities.read(ibv_qp_attr.cap(attributes)),
                AddressHandleAttributes.read(ibv_qp_attr.ah_attr(attributes)),
                AddressHandleAttributes.read(ibv_qp_attr.alt_ah_attr(attributes)),
                Short.toUnsignedInt(ibv_qp_attr.pkey_index(attributes)),
                Short.toUnsignedInt(ibv_qp_attr.alt_pkey_index(attributes)),
                ibv_qp_attr.en_sqd_async_notify(attributes) != 0,
                ibv_qp_attr.sq_draining(attributes) != 0,
                Byte.toUnsignedInt(ibv_qp_attr.max_rd_atomic(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.max_dest_rd_atomic(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.min_rnr_timer(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.port_num(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.timeout(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.retry_cnt(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.rnr_retry(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.alt_port_num(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.alt_timeout(attributes)),
                Integer.toUnsignedLong(ibv_qp_attr.rate_limit(attributes)));
    }

    private static Set<AccessFlag> accessFlags(int bits) {
        EnumSet<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        for (AccessFlag flag : AccessFlag.values()) {
            if ((bits & AccessFlag.mask(flag)) != 0) {
                flags.add(flag);
            }
        }
        return flags;
    }
}
