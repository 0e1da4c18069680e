// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.bindings.RdmaHeaders.*;

import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import io.github.rdma4j.verbs.bindings.ibv_ah_attr;
import io.github.rdma4j.verbs.bindings.ibv_global_route;
import io.github.rdma4j.verbs.bindings.ibv_qp_attr;
import io.github.rdma4j.verbs.internal.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.OptionalInt;

/** The state transitions of connected queue pairs and of datagrams (ibv_modify_qp(3)): which attributes each of them must carry. */
final class QueuePairTransitions {
    private QueuePairTransitions() {}

    static void toInit(QueuePair queuePair, QueuePairConfig config) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_qp_attr.allocate(arena);
            ibv_qp_attr.qp_state(attributes, IBV_QPS_INIT());
            ibv_qp_attr.pkey_index(attributes, (short) config.partitionKeyIndex());
            ibv_qp_attr.port_num(attributes, (byte) config.port());
            boolean datagram = queuePair.type() == QueuePairType.UD;
            if (datagram) {
                ibv_qp_attr.qkey(attributes, config.queueKey());
            } else {
                ibv_qp_attr.qp_access_flags(attributes, config.remoteAccess());
            }
            modify(
                    queuePair,
                    attributes,
                    IBV_QP_STATE()
                            | IBV_QP_PKEY_INDEX()
                            | IBV_QP_PORT()
                            | (datagram ? IBV_QP_QKEY() : IBV_QP_ACCESS_FLAGS()),
                    "RESET to INIT (port %d, partition key index %d)"
                            .formatted(config.port(), config.partitionKeyIndex()));
        }
    }

    static void toReadyToReceive(
            QueuePair queuePair,
            int port,
            OptionalInt gidIndex,
            QueuePairEndpoint ours,
            QueuePairEndpoint theirs,
            ConnectionConfig config) {
        Mtu mtu = smallest(config.pathMtu(), smallest(ours.mtu(), theirs.mtu()));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_qp_attr.allocate(arena);
            ibv_qp_attr.qp_state(attributes, IBV_QPS_RTR());
            ibv_qp_attr.path_mtu(attributes, mtu.code());
            ibv_qp_attr.dest_qp_num(attributes, theirs.queuePairNumber());
            ibv_qp_attr.rq_psn(attributes, theirs.packetSequenceNumber());
            boolean reliable = queuePair.type() != QueuePairType.UC;
            if (reliable) {
                ibv_qp_attr.max_dest_rd_atomic(attributes, (byte) config.maxDestinationReadAtomic());
                ibv_qp_attr.min_rnr_timer(attributes, (byte) config.minRnrTimer());
            }
            MemorySegment path = ibv_qp_attr.ah_attr(attributes);
            ibv_ah_attr.dlid(path, (short) theirs.lid());
            ibv_ah_attr.sl(path, (byte) config.serviceLevel());
            ibv_ah_attr.port_num(path, (byte) port);
            if (gidIndex.isPresent()) {
                ibv_ah_attr.is_global(path, (byte) 1);
                MemorySegment route = ibv_ah_attr.grh(path);
                MemorySegment.copy(
                        MemorySegment.ofArray(theirs.gid().bytes()), 0, ibv_global_route.dgid(route), 0, Gid.LENGTH);
                ibv_global_route.sgid_index(route, (byte) gidIndex.getAsInt());
                ibv_global_route.hop_limit(route, (byte) config.hopLimit());
                ibv_global_route.traffic_class(route, (byte) config.trafficClass());
            }
            modify(
                    queuePair,
                    attributes,
                    IBV_QP_STATE()
                            | IBV_QP_AV()
                            | IBV_QP_PATH_MTU()
                            | IBV_QP_DEST_QPN()
                            | IBV_QP_RQ_PSN()
                            | (reliable ? IBV_QP_MAX_DEST_RD_ATOMIC() | IBV_QP_MIN_RNR_TIMER() : 0),
                    "INIT to RTR (to %s, path MTU %s, GID index %s)"
                            .formatted(theirs, mtu, gidIndex.isPresent() ? gidIndex.getAsInt() : "none"));
        }
    }

    static void toReadyToSend(QueuePair queuePair, QueuePairEndpoint ours, ConnectionConfig config) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_qp_attr.allocate(arena);
            ibv_qp_attr.qp_state(attributes, IBV_QPS_RTS());
            ibv_qp_attr.sq_psn(attributes, ours.packetSequenceNumber());
            boolean reliable = queuePair.type() != QueuePairType.UC;
            if (reliable) {
                ibv_qp_attr.timeout(attributes, (byte) config.timeout());
                ibv_qp_attr.retry_cnt(attributes, (byte) config.retryCount());
                ibv_qp_attr.rnr_retry(attributes, (byte) config.rnrRetry());
                ibv_qp_attr.max_rd_atomic(attributes, (byte) config.maxReadAtomic());
            }
            modify(
                    queuePair,
                    attributes,
                    IBV_QP_STATE()
                            | IBV_QP_SQ_PSN()
                            | (reliable
                                    ? IBV_QP_TIMEOUT()
                                            | IBV_QP_RETRY_CNT()
                                            | IBV_QP_RNR_RETRY()
                                            | IBV_QP_MAX_QP_RD_ATOMIC()
                                    : 0),
                    "RTR to RTS (%d reads and atomics outstanding)".formatted(config.maxReadAtomic()));
        }
    }

    /** To RTR and RTS of a queue pair without a peer. */
    static void toReadyToSendDatagrams(QueuePair queuePair, int packetSequenceNumber) {
        withoutAttributes(queuePair, IBV_QPS_RTR(), "INIT to RTR");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_qp_attr.allocate(arena);
            ibv_qp_attr.qp_state(attributes, IBV_QPS_RTS());
            ibv_qp_attr.sq_psn(attributes, packetSequenceNumber);
            modify(queuePair, attributes, IBV_QP_STATE() | IBV_QP_SQ_PSN(), "RTR to RTS");
        }
    }

    static void toReset(QueuePair queuePair) {
        withoutAttributes(queuePair, IBV_QPS_RESET(), "to RESET");
    }

    static void toError(QueuePair queuePair) {
        withoutAttributes(queuePair, IBV_QPS_ERR(), "to ERR");
    }

    private static void withoutAttributes(QueuePair queuePair, int state, String transition) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_qp_attr.allocate(arena);
            ibv_qp_attr.qp_state(attributes, state);
            modify(queuePair, attributes, IBV_QP_STATE(), transition);
        }
    }

    private static Mtu smallest(Mtu a, Mtu b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    private static void modify(QueuePair queuePair, MemorySegment attributes, int mask, String transition) {
        int result = queuePair.locked(() -> LibIbVerbs.ibv_modify_qp(queuePair.segment(), attributes, mask));
        if (result == 0) {
            return;
        }
        int errno = Math.abs(result);
        String operation = "ibv_modify_qp(0x%06x, %s)".formatted(queuePair.number(), transition);
        boolean namesPath = (mask & IBV_QP_AV()) != 0;
        if (!namesPath) {
            throw Failures.of(operation, errno);
        }
        throw Failures.of(
                operation,
                errno,
                "",
                "check that the peer's GID can be reached from the GID at this index (same address family and RoCE"
                        + " version, a route between the two addresses), and that the counts are within the device's"
                        + " limits");
    }
}
