// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static io.github.rdma4j.verbs.bindings.RdmaHeaders.*;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.PathMigrationState;
import io.github.rdma4j.verbs.QueuePairAttributesConfig;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.bindings.ibv_qp_attr;
import io.github.rdma4j.verbs.device.Mtu;
import io.github.rdma4j.verbs.internal.CmCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The attributes for a queue pair's next step, from rdma_init_qp_attr(3). */
final class QueuePairStep implements Consumer<QueuePairAttributesConfig> {
    private static final int ENOENT = 2;
    private static final int EIO = 5;
    private static final int ENXIO = 6;
    /** 655 ms, which the kernel's rdma_cm sets because it sets nothing. */
    private static final int LONGEST_RNR_TIMER = 0;
    /** 0.64 ms, as for queue pairs without rdma_cm. */
    private static final int MIN_RNR_TIMER = 12;

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment attributes = ibv_qp_attr.allocate(arena);
    private final QueuePairState state;
    private final int mask;

    private QueuePairStep(MemorySegment id, QueuePairState state, String description) {
        this.state = state;
        ibv_qp_attr.qp_state(attributes, code(state));
        MemorySegment maskPointer = arena.allocate(ValueLayout.JAVA_INT);
        int errno = CmCalls.initQueuePairAttributes(id, attributes, maskPointer);
        if (errno != 0) {
            throw Failures.of(
                    "rdma_init_qp_attr(%s, %s)".formatted(description, state), errno, cause(errno), remedy(errno));
        }
        this.mask = maskPointer.get(ValueLayout.JAVA_INT, 0);
    }

    private static String cause(int errno) {
        return switch (errno) {
            case Errno.EINVAL ->
                "it needs a resolved address for INIT, a request or a response for RTR and RTS, and a connection that"
                        + " has not failed";
            case ENOENT ->
                "the P_Key of the network interface is not in the port's table: the subnet manager has taken the port"
                        + " out of that partition";
            case EIO, ENXIO, Errno.ENODEV -> "the RDMA device is gone: it was removed, or its driver has reset it";
            default -> "";
        };
    }

    private static String remedy(int errno) {
        return errno == ENOENT
                ? "have the subnet manager put the port into the partition (/sys/class/infiniband/*/ports/*/pkeys lists"
                        + " where it is), or use an interface of another one"
                : "";
    }

    static QueuePairStep of(MemorySegment id, QueuePairState state, String description) {
        return new QueuePairStep(id, state, description);
    }

    private static int code(QueuePairState state) {
        return switch (state) {
            case INIT -> IBV_QPS_INIT();
            case RTR -> IBV_QPS_RTR();
            case RTS -> IBV_QPS_RTS();
            default ->
                throw new IllegalArgumentException("rdma_cm has attributes for INIT, RTR and RTS, not for " + state);
        };
    }

    private boolean has(int bit) {
        return (mask & bit) != 0;
    }

    /** Leaves out bits that some kernels set for their own use and that user space does not have. */
    @Override
    public void accept(QueuePairAttributesConfig config) {
        // On iWARP the kernel moves a queue pair with its connection, and requests only INIT.
        if (has(IBV_QP_STATE())) {
            config.state(state);
        }
        if (has(IBV_QP_ACCESS_FLAGS())) {
            config.remoteAccess(access());
        }
        if (has(IBV_QP_PKEY_INDEX())) {
            config.partitionKeyIndex(Short.toUnsignedInt(ibv_qp_attr.pkey_index(attributes)));
        }
        if (has(IBV_QP_PORT())) {
            config.port(Byte.toUnsignedInt(ibv_qp_attr.port_num(attributes)));
        }
        if (has(IBV_QP_QKEY())) {
            config.queueKey(ibv_qp_attr.qkey(attributes));
        }
        if (has(IBV_QP_AV())) {
            config.path(AddressHandleAttributes.ofNative(
                    ibv_qp_attr.ah_attr(attributes).address()));
        }
        if (has(IBV_QP_PATH_MTU())) {
            config.pathMtu(Mtu.ofCode(ibv_qp_attr.path_mtu(attributes)));
        }
        if (has(IBV_QP_DEST_QPN())) {
            config.destinationQueuePairNumber(ibv_qp_attr.dest_qp_num(attributes));
        }
        acceptCounts(config);
        acceptAlternatePath(config);
    }

    private void acceptCounts(QueuePairAttributesConfig config) {
        if (has(IBV_QP_TIMEOUT())) {
            config.timeout(Byte.toUnsignedInt(ibv_qp_attr.timeout(attributes)));
        }
        if (has(IBV_QP_RETRY_CNT())) {
            config.retryCount(Byte.toUnsignedInt(ibv_qp_attr.retry_cnt(attributes)));
        }
        if (has(IBV_QP_RNR_RETRY())) {
            config.rnrRetry(Byte.toUnsignedInt(ibv_qp_attr.rnr_retry(attributes)));
        }
        if (has(IBV_QP_MIN_RNR_TIMER())) {
            int code = Byte.toUnsignedInt(ibv_qp_attr.min_rnr_timer(attributes));
            config.minRnrTimer(code == LONGEST_RNR_TIMER ? MIN_RNR_TIMER : code);
        }
        if (has(IBV_QP_RQ_PSN())) {
            config.receivePacketSequenceNumber(ibv_qp_attr.rq_psn(attributes));
        }
        if (has(IBV_QP_SQ_PSN())) {
            config.sendPacketSequenceNumber(ibv_qp_attr.sq_psn(attributes));
        }
        if (has(IBV_QP_MAX_QP_RD_ATOMIC())) {
            config.maxReadAtomic(Byte.toUnsignedInt(ibv_qp_attr.max_rd_atomic(attributes)));
        }
        if (has(IBV_QP_MAX_DEST_RD_ATOMIC())) {
            config.maxDestinationReadAtomic(Byte.toUnsignedInt(ibv_qp_attr.max_dest_rd_atomic(attributes)));
        }
    }

    private void acceptAlternatePath(QueuePairAttributesConfig config) {
        if (has(IBV_QP_ALT_PATH())) {
            config.alternatePath(
                    AddressHandleAttributes.ofNative(
                            ibv_qp_attr.alt_ah_attr(attributes).address()),
                    Short.toUnsignedInt(ibv_qp_attr.alt_pkey_index(attributes)),
                    Byte.toUnsignedInt(ibv_qp_attr.alt_timeout(attributes)));
        }
        if (has(IBV_QP_PATH_MIG_STATE())) {
            config.pathMigrationState(PathMigrationState.values()[ibv_qp_attr.path_mig_state(attributes)]);
        }
    }

    private AccessFlag[] access() {
        int flags = ibv_qp_attr.qp_access_flags(attributes);
        List<AccessFlag> access = new ArrayList<>();
        if ((flags & IBV_ACCESS_REMOTE_WRITE()) != 0) {
            access.add(AccessFlag.REMOTE_WRITE);
        }
        if ((flags & IBV_ACCESS_REMOTE_READ()) != 0) {
            access.add(AccessFlag.REMOTE_READ);
        }
        if ((flags & IBV_ACCESS_REMOTE_ATOMIC()) != 0) {
            access.add(AccessFlag.REMOTE_ATOMIC);
        }
        return access.toArray(AccessFlag[]::new);
    }
}
