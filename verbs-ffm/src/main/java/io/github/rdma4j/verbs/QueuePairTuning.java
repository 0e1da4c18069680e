// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_ece;
import io.github.rdma4j.verbs.bindings.ibv_qp_rate_limit_attr;
import io.github.rdma4j.verbs.internal.ColdCalls;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.ExtendedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Optional queries and settings of a queue pair: provider extensions of the connection, pacing, the order of data. */
final class QueuePairTuning {
    /** {@code IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS}, since rdma-core 46; older libraries return 0 for it. */
    private static final int RETURN_CAPABILITIES = 1;

    private static final int WHOLE_MESSAGE = 1;
    private static final int ALIGNED_128_BYTES = 1 << 1;

    private QueuePairTuning() {}

    static EnhancedConnectionEstablishment queryEce(QueuePair queuePair) {
        return queuePair.locked(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment ece = ibv_ece.allocate(arena);
                Failures.check(
                        "ibv_query_ece(0x%06x)".formatted(queuePair.number()),
                        ExportedVerb.QUERY_ECE.number(queuePair.segment(), ece));
                return read(ece);
            }
        });
    }

    static EnhancedConnectionEstablishment setEce(QueuePair queuePair, EnhancedConnectionEstablishment wanted) {
        if (wanted.vendorId() == 0) {
            throw new IllegalArgumentException("vendor id 0 is none: there is nothing to set");
        }
        return queuePair.locked(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment ece = ibv_ece.allocate(arena);
                ibv_ece.vendor_id(ece, wanted.vendorId());
                ibv_ece.options(ece, wanted.options());
                ibv_ece.comp_mask(ece, wanted.componentMask());
                Failures.check(
                        "ibv_set_ece(0x%06x, vendor_id=0x%06x, options=0x%08x)"
                                .formatted(queuePair.number(), wanted.vendorId(), wanted.options()),
                        ExportedVerb.SET_ECE.number(queuePair.segment(), ece));
                return read(ece);
            }
        });
    }

    private static EnhancedConnectionEstablishment read(MemorySegment ece) {
        return new EnhancedConnectionEstablishment(
                ibv_ece.vendor_id(ece), ibv_ece.options(ece), ibv_ece.comp_mask(ece));
    }

    static void modifyRateLimit(QueuePair queuePair, QueuePairRateLimit limit) {
        MemorySegment context = queuePair.domain().context().segment();
        queuePair.locked(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attributes = ibv_qp_rate_limit_attr.allocate(arena);
                ibv_qp_rate_limit_attr.rate_limit(attributes, (int) limit.kilobitsPerSecond());
                ibv_qp_rate_limit_attr.max_burst_sz(attributes, (int) limit.maxBurst());
                ibv_qp_rate_limit_attr.typical_pkt_sz(attributes, (short) limit.typicalPacket());
                Failures.check(
                        "ibv_modify_qp_rate_limit(0x%06x, %d kbit/s, burst %d, packet %d)"
                                .formatted(
                                        queuePair.number(),
                                        limit.kilobitsPerSecond(),
                                        limit.maxBurst(),
                                        limit.typicalPacket()),
                        ExtendedVerb.MODIFY_QP_RATE_LIMIT.call(context, queuePair.segment(), attributes));
                return limit;
            }
        });
    }

    static DataInOrder dataInOrder(QueuePair queuePair, IncomingOperation operation) {
        return queuePair.locked(() -> {
            if (!ExportedVerb.QUERY_QP_DATA_IN_ORDER.isPresent()) {
                return DataInOrder.NONE;
            }
            MemorySegment segment = queuePair.segment();
            return dataInOrder(
                    queryDataInOrder(segment, operation, RETURN_CAPABILITIES), queryDataInOrder(segment, operation, 0));
        });
    }

    private static int queryDataInOrder(MemorySegment queuePair, IncomingOperation operation, int flags) {
        return ExportedVerb.QUERY_QP_DATA_IN_ORDER.number(
                queuePair, ColdCalls.word(operation.opcode()), ColdCalls.word(flags));
    }

    /** Combines the results of both queries: old libraries support only the second one. */
    static DataInOrder dataInOrder(int capabilities, int inOrder) {
        if ((capabilities & WHOLE_MESSAGE) != 0 || inOrder == 1) {
            return DataInOrder.WHOLE_MESSAGE;
        }
        return (capabilities & ALIGNED_128_BYTES) != 0 ? DataInOrder.ALIGNED_128_BYTES : DataInOrder.NONE;
    }
}
