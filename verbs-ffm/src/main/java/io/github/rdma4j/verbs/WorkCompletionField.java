// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.internal.EfaCalls;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * A field of the completions of an {@link ExtendedCompletionQueue} ({@code enum ibv_create_cq_wc_flags}, and
 * {@code EFADV_WC_EX_WITH_…}). Completions
 * always have the work-request id, status, opcode, vendor error and flags. Fewer fields make polling cheaper.
 *
 * @since 0.1.0
 */
public enum WorkCompletionField {
    /** {@link CompletionCursor#byteLength()}. */
    BYTE_LENGTH(RdmaHeaders.IBV_WC_EX_WITH_BYTE_LEN()),
    /** {@link CompletionCursor#immediateData()} and {@link CompletionCursor#invalidatedRemoteKey()}. */
    IMMEDIATE_DATA(RdmaHeaders.IBV_WC_EX_WITH_IMM()),
    /** {@link CompletionCursor#queuePairNumber()}. */
    QUEUE_PAIR_NUMBER(RdmaHeaders.IBV_WC_EX_WITH_QP_NUM()),
    /** {@link CompletionCursor#sourceQueuePairNumber()}. */
    SOURCE_QUEUE_PAIR_NUMBER(RdmaHeaders.IBV_WC_EX_WITH_SRC_QP()),
    /** {@link CompletionCursor#sourceLid()}. */
    SOURCE_LID(RdmaHeaders.IBV_WC_EX_WITH_SLID()),
    /** {@link CompletionCursor#serviceLevel()}. */
    SERVICE_LEVEL(RdmaHeaders.IBV_WC_EX_WITH_SL()),
    /** {@link CompletionCursor#destinationPathBits()}. */
    DESTINATION_PATH_BITS(RdmaHeaders.IBV_WC_EX_WITH_DLID_PATH_BITS()),
    /** {@link CompletionCursor#timestamp()}. */
    TIMESTAMP(RdmaHeaders.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP()),
    /** {@link CompletionCursor#vlanTag()}. */
    VLAN_TAG(RdmaHeaders.IBV_WC_EX_WITH_CVLAN()),
    /** {@link CompletionCursor#flowTag()}. */
    FLOW_TAG(RdmaHeaders.IBV_WC_EX_WITH_FLOW_TAG()),
    /** {@link CompletionCursor#tag()} and {@link CompletionCursor#tagPrivateData()}. */
    TAG_MATCHING(RdmaHeaders.IBV_WC_EX_WITH_TM_INFO()),
    /** {@link CompletionCursor#wallClockTimestamp()}. */
    WALL_CLOCK_TIMESTAMP(RdmaHeaders.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK()),
    /** {@link CompletionCursor#readSenderGid}; only of an Elastic Fabric Adapter, since rdma-core 43. */
    SENDER_GID(0, RdmaHeaders.EFADV_WC_EX_WITH_SGID()),
    /** {@link CompletionCursor#isUnsolicited()}; only of an Elastic Fabric Adapter, since rdma-core 52. */
    UNSOLICITED(0, EfaCalls.WITH_IS_UNSOLICITED);

    /**
     * The fields that {@link WorkCompletion} also has, and that every device supports ({@code IBV_WC_STANDARD_FLAGS}).
     */
    public static final Set<WorkCompletionField> STANDARD =
            Collections.unmodifiableSet(EnumSet.range(BYTE_LENGTH, DESTINATION_PATH_BITS));

    private final int bit;
    private final int efaBit;

    WorkCompletionField(int bit) {
        this(bit, 0);
    }

    WorkCompletionField(int bit, int efaBit) {
        this.bit = bit;
        this.efaBit = efaBit;
    }

    /** Returns the bit of {@code wc_flags} of verbs.h; 0 for a field of EFA. */
    int bit() {
        return bit;
    }

    /** Returns the bit of {@code wc_flags} of efadv.h; 0 for a field of all devices. */
    int efaBit() {
        return efaBit;
    }
}
