// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_flow_gre_filter;
import io.github.rdma4j.verbs.bindings.ibv_flow_spec_gre;

/**
 * A GRE header ({@code struct ibv_flow_spec_gre}).
 *
 * @since 0.1.0
 */
public final class GreFlowSpec extends FlowHeader<GreFlowSpec> {
    private static final int SHORT = 16;
    private static final int INT = 32;

    GreFlowSpec() {
        super(
                RdmaHeaders.IBV_FLOW_SPEC_GRE(),
                ibv_flow_spec_gre.sizeof(),
                ibv_flow_spec_gre.val$offset(),
                ibv_flow_gre_filter.sizeof());
    }

    /**
     * The first 16 bits: checksum, key and sequence number present, version.
     *
     * @param value 16 bits
     * @return this
     */
    public GreFlowSpec flagsAndVersion(int value) {
        return field("flagsAndVersion", ibv_flow_gre_filter.c_ks_res0_ver$offset(), SHORT, value);
    }

    /**
     * Some bits of the first 16 bits: checksum, key and sequence number present, version.
     *
     * @param value 16 bits
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public GreFlowSpec flagsAndVersion(int value, int mask) {
        return field("flagsAndVersion", ibv_flow_gre_filter.c_ks_res0_ver$offset(), SHORT, value, mask);
    }

    /**
     * The Ethertype of the payload.
     *
     * @param value 16 bits
     * @return this
     */
    public GreFlowSpec protocol(int value) {
        return field("protocol", ibv_flow_gre_filter.protocol$offset(), SHORT, value);
    }

    /**
     * Some bits of the Ethertype of the payload.
     *
     * @param value 16 bits
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public GreFlowSpec protocol(int value, int mask) {
        return field("protocol", ibv_flow_gre_filter.protocol$offset(), SHORT, value, mask);
    }

    /**
     * The key.
     *
     * @param value 32 bits
     * @return this
     */
    public GreFlowSpec key(long value) {
        return field("key", ibv_flow_gre_filter.key$offset(), INT, value);
    }

    /**
     * Some bits of the key.
     *
     * @param value 32 bits
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public GreFlowSpec key(long value, long mask) {
        return field("key", ibv_flow_gre_filter.key$offset(), INT, value, mask);
    }

    @Override
    GreFlowSpec self() {
        return this;
    }
}
