// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_flow_mpls_filter;
import io.github.rdma4j.verbs.bindings.ibv_flow_spec_mpls;

/**
 * An entry of an MPLS label stack ({@code struct ibv_flow_spec_mpls}).
 *
 * @since 0.1.0
 */
public final class MplsFlowSpec extends FlowHeader<MplsFlowSpec> {
    private static final int INT = 32;

    private static final long MAX_LABEL = 0xfffff;
    private static final int LABEL_SHIFT = 12;

    MplsFlowSpec() {
        super(
                RdmaHeaders.IBV_FLOW_SPEC_MPLS(),
                ibv_flow_spec_mpls.sizeof(),
                ibv_flow_spec_mpls.val$offset(),
                ibv_flow_mpls_filter.sizeof());
    }

    /**
     * The label, with any traffic class, bottom of stack bit and time to live.
     *
     * @param label 20 bits
     * @return this
     */
    public MplsFlowSpec label(int label) {
        if (label < 0 || label > MAX_LABEL) {
            throw new IllegalArgumentException("MPLS label %d is not in 0..%d".formatted(label, MAX_LABEL));
        }
        return entry((long) label << LABEL_SHIFT, MAX_LABEL << LABEL_SHIFT);
    }

    /**
     * The whole entry: label 20 bits, traffic class 3 bits, bottom of stack 1 bit, time to live 8 bits.
     *
     * @param value 32 bits
     * @return this
     */
    public MplsFlowSpec entry(long value) {
        return field("entry", ibv_flow_mpls_filter.label$offset(), INT, value);
    }

    /**
     * Some bits of the whole entry: label 20 bits, traffic class 3 bits, bottom of stack 1 bit, time to live 8 bits.
     *
     * @param value 32 bits
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public MplsFlowSpec entry(long value, long mask) {
        return field("entry", ibv_flow_mpls_filter.label$offset(), INT, value, mask);
    }

    @Override
    MplsFlowSpec self() {
        return this;
    }
}
