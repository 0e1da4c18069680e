// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.bindings.ibv_flow_spec_tcp_udp;
import io.github.rdma4j.verbs.bindings.ibv_flow_tcp_udp_filter;

/**
 * A TCP or a UDP header ({@code struct ibv_flow_spec_tcp_udp}).
 *
 * @since 0.1.0
 */
public final class PortsFlowSpec extends FlowHeader<PortsFlowSpec> {
    private static final int SHORT = 16;

    PortsFlowSpec(int type) {
        super(
                type,
                ibv_flow_spec_tcp_udp.sizeof(),
                ibv_flow_spec_tcp_udp.val$offset(),
                ibv_flow_tcp_udp_filter.sizeof());
    }

    /**
     * The destination port.
     *
     * @param value 0..65535
     * @return this
     */
    public PortsFlowSpec destinationPort(int value) {
        return field("destinationPort", ibv_flow_tcp_udp_filter.dst_port$offset(), SHORT, value);
    }

    /**
     * Some bits of the destination port.
     *
     * @param value 0..65535
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public PortsFlowSpec destinationPort(int value, int mask) {
        return field("destinationPort", ibv_flow_tcp_udp_filter.dst_port$offset(), SHORT, value, mask);
    }

    /**
     * The source port.
     *
     * @param value 0..65535
     * @return this
     */
    public PortsFlowSpec sourcePort(int value) {
        return field("sourcePort", ibv_flow_tcp_udp_filter.src_port$offset(), SHORT, value);
    }

    /**
     * Some bits of the source port.
     *
     * @param value 0..65535
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public PortsFlowSpec sourcePort(int value, int mask) {
        return field("sourcePort", ibv_flow_tcp_udp_filter.src_port$offset(), SHORT, value, mask);
    }

    @Override
    PortsFlowSpec self() {
        return this;
    }
}
