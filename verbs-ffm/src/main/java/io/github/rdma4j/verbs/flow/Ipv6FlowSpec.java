// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_flow_ipv6_filter;
import io.github.rdma4j.verbs.bindings.ibv_flow_spec_ipv6;
import java.net.Inet6Address;

/**
 * An IPv6 header ({@code struct ibv_flow_spec_ipv6}).
 *
 * @since 0.1.0
 */
public final class Ipv6FlowSpec extends FlowHeader<Ipv6FlowSpec> {
    private static final int BYTE = 8;
    private static final int FLOW_LABEL_BITS = 20;

    Ipv6FlowSpec() {
        super(
                RdmaHeaders.IBV_FLOW_SPEC_IPV6(),
                ibv_flow_spec_ipv6.sizeof(),
                ibv_flow_spec_ipv6.val$offset(),
                ibv_flow_ipv6_filter.sizeof());
    }

    /**
     * The source address.
     *
     * @param address the whole address
     * @return this
     */
    public Ipv6FlowSpec source(Inet6Address address) {
        return source(address, 128);
    }

    /**
     * The source address's network.
     *
     * @param address any address of the network
     * @param prefixLength how many leading bits count, 0..128
     * @return this
     */
    public Ipv6FlowSpec source(Inet6Address address, int prefixLength) {
        return prefix("source address", ibv_flow_ipv6_filter.src_ip$offset(), address.getAddress(), prefixLength);
    }

    /**
     * The destination address.
     *
     * @param address the whole address
     * @return this
     */
    public Ipv6FlowSpec destination(Inet6Address address) {
        return destination(address, 128);
    }

    /**
     * The destination address's network.
     *
     * @param address any address of the network
     * @param prefixLength how many leading bits count, 0..128
     * @return this
     */
    public Ipv6FlowSpec destination(Inet6Address address, int prefixLength) {
        return prefix("destination address", ibv_flow_ipv6_filter.dst_ip$offset(), address.getAddress(), prefixLength);
    }

    /**
     * The flow label.
     *
     * @param value 20 bits
     * @return this
     */
    public Ipv6FlowSpec flowLabel(long value) {
        return field("flowLabel", ibv_flow_ipv6_filter.flow_label$offset(), FLOW_LABEL_BITS, value);
    }

    /**
     * Some bits of the flow label.
     *
     * @param value 20 bits
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public Ipv6FlowSpec flowLabel(long value, long mask) {
        return field("flowLabel", ibv_flow_ipv6_filter.flow_label$offset(), FLOW_LABEL_BITS, value, mask);
    }

    /**
     * The header that follows.
     *
     * @param value 8 bits, 17 for UDP
     * @return this
     */
    public Ipv6FlowSpec nextHeader(int value) {
        return field("nextHeader", ibv_flow_ipv6_filter.next_hdr$offset(), BYTE, value);
    }

    /**
     * Some bits of the header that follows.
     *
     * @param value 8 bits, 17 for UDP
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public Ipv6FlowSpec nextHeader(int value, int mask) {
        return field("nextHeader", ibv_flow_ipv6_filter.next_hdr$offset(), BYTE, value, mask);
    }

    /**
     * The traffic class.
     *
     * @param value 8 bits
     * @return this
     */
    public Ipv6FlowSpec trafficClass(int value) {
        return field("trafficClass", ibv_flow_ipv6_filter.traffic_class$offset(), BYTE, value);
    }

    /**
     * Some bits of the traffic class.
     *
     * @param value 8 bits
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public Ipv6FlowSpec trafficClass(int value, int mask) {
        return field("trafficClass", ibv_flow_ipv6_filter.traffic_class$offset(), BYTE, value, mask);
    }

    /**
     * The hop limit.
     *
     * @param value 8 bits
     * @return this
     */
    public Ipv6FlowSpec hopLimit(int value) {
        return field("hopLimit", ibv_flow_ipv6_filter.hop_limit$offset(), BYTE, value);
    }

    /**
     * Some bits of the hop limit.
     *
     * @param value 8 bits
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public Ipv6FlowSpec hopLimit(int value, int mask) {
        return field("hopLimit", ibv_flow_ipv6_filter.hop_limit$offset(), BYTE, value, mask);
    }

    @Override
    Ipv6FlowSpec self() {
        return this;
    }
}
