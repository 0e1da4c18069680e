// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_flow_spec_tunnel;
import io.github.rdma4j.verbs.bindings.ibv_flow_tunnel_filter;

/**
 * A VXLAN header ({@code struct ibv_flow_spec_tunnel}).
 *
 * @since 0.1.0
 */
public final class VxlanFlowSpec extends FlowHeader<VxlanFlowSpec> {
    private static final int IDENTIFIER_BITS = 24;

    VxlanFlowSpec() {
        super(
                RdmaHeaders.IBV_FLOW_SPEC_VXLAN_TUNNEL(),
                ibv_flow_spec_tunnel.sizeof(),
                ibv_flow_spec_tunnel.val$offset(),
                ibv_flow_tunnel_filter.sizeof());
    }

    /**
     * The VXLAN network identifier.
     *
     * @param value 24 bits
     * @return this
     */
    public VxlanFlowSpec networkIdentifier(long value) {
        return field("networkIdentifier", ibv_flow_tunnel_filter.tunnel_id$offset(), IDENTIFIER_BITS, value);
    }

    /**
     * Some bits of the VXLAN network identifier.
     *
     * @param value 24 bits
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public VxlanFlowSpec networkIdentifier(long value, long mask) {
        return field("networkIdentifier", ibv_flow_tunnel_filter.tunnel_id$offset(), IDENTIFIER_BITS, value, mask);
    }

    @Override
    VxlanFlowSpec self() {
        return this;
    }
}
