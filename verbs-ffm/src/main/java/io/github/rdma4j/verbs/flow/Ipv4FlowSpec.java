// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_flow_ipv4_ext_filter;
import io.github.rdma4j.verbs.bindings.ibv_flow_ipv4_filter;
import io.github.rdma4j.verbs.bindings.ibv_flow_spec_ipv4;
import io.github.rdma4j.verbs.bindings.ibv_flow_spec_ipv4_ext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;

/**
 * An IPv4 header ({@code struct ibv_flow_spec_ipv4_ext}). If only addresses are set, the short
 * {@code struct ibv_flow_spec_ipv4} is used, for adapters that support only that one.
 *
 * @since 0.1.0
 */
public final class Ipv4FlowSpec extends FlowHeader<Ipv4FlowSpec> {
    private static final int BYTE = 8;
    private static final int EXTENDED_BITS = RdmaHeaders.IBV_FLOW_SPEC_IPV4() ^ RdmaHeaders.IBV_FLOW_SPEC_IPV4_EXT();

    Ipv4FlowSpec() {
        super(
                RdmaHeaders.IBV_FLOW_SPEC_IPV4_EXT(),
                ibv_flow_spec_ipv4_ext.sizeof(),
                ibv_flow_spec_ipv4_ext.val$offset(),
                ibv_flow_ipv4_ext_filter.sizeof());
    }

    /**
     * The source address.
     *
     * @param address the whole address
     * @return this
     */
    public Ipv4FlowSpec source(Inet4Address address) {
        return source(address, 32);
    }

    /**
     * The source address's network.
     *
     * @param address any address of the network
     * @param prefixLength how many leading bits count, 0..32
     * @return this
     */
    public Ipv4FlowSpec source(Inet4Address address, int prefixLength) {
        return prefix("source address", ibv_flow_ipv4_ext_filter.src_ip$offset(), address.getAddress(), prefixLength);
    }

    /**
     * The destination address.
     *
     * @param address the whole address
     * @return this
     */
    public Ipv4FlowSpec destination(Inet4Address address) {
        return destination(address, 32);
    }

    /**
     * The destination address's network.
     *
     * @param address any address of the network
     * @param prefixLength how many leading bits count, 0..32
     * @return this
     */
    public Ipv4FlowSpec destination(Inet4Address address, int prefixLength) {
        return prefix(
                "destination address", ibv_flow_ipv4_ext_filter.dst_ip$offset(), address.getAddress(), prefixLength);
    }

    /**
     * The protocol that follows.
     *
     * @param value 8 bits, 17 for UDP
     * @return this
     */
    public Ipv4FlowSpec protocol(int value) {
        return field("protocol", ibv_flow_ipv4_ext_filter.proto$offset(), BYTE, value);
    }

    /**
     * Some bits of the protocol that follows.
     *
     * @param value 8 bits, 17 for UDP
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public Ipv4FlowSpec protocol(int value, int mask) {
        return field("protocol", ibv_flow_ipv4_ext_filter.proto$offset(), BYTE, value, mask);
    }

    /**
     * The type of service: DSCP 6 bits, ECN 2 bits.
     *
     * @param value 8 bits
     * @return this
     */
    public Ipv4FlowSpec typeOfService(int value) {
        return field("typeOfService", ibv_flow_ipv4_ext_filter.tos$offset(), BYTE, value);
    }

    /**
     * Some bits of the type of service: DSCP 6 bits, ECN 2 bits.
     *
     * @param value 8 bits
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public Ipv4FlowSpec typeOfService(int value, int mask) {
        return field("typeOfService", ibv_flow_ipv4_ext_filter.tos$offset(), BYTE, value, mask);
    }

    /**
     * The time to live.
     *
     * @param value 8 bits
     * @return this
     */
    public Ipv4FlowSpec timeToLive(int value) {
        return field("timeToLive", ibv_flow_ipv4_ext_filter.ttl$offset(), BYTE, value);
    }

    /**
     * Some bits of the time to live.
     *
     * @param value 8 bits
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public Ipv4FlowSpec timeToLive(int value, int mask) {
        return field("timeToLive", ibv_flow_ipv4_ext_filter.ttl$offset(), BYTE, value, mask);
    }

    /**
     * The flags of fragments.
     *
     * @param value 8 bits
     * @return this
     */
    public Ipv4FlowSpec flags(int value) {
        return field("flags", ibv_flow_ipv4_ext_filter.flags$offset(), BYTE, value);
    }

    /**
     * Some bits of the flags of fragments.
     *
     * @param value 8 bits
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public Ipv4FlowSpec flags(int value, int mask) {
        return field("flags", ibv_flow_ipv4_ext_filter.flags$offset(), BYTE, value, mask);
    }

    @Override
    MemorySegment bytes() {
        long addresses = ibv_flow_ipv4_filter.sizeof();
        boolean addressesAlone =
                masks().get(ValueLayout.JAVA_INT, addresses) == 0 && values().get(ValueLayout.JAVA_INT, addresses) == 0;
        if (!addressesAlone) {
            return segment();
        }
        MemorySegment brief = allocate(type() ^ EXTENDED_BITS, ibv_flow_spec_ipv4.sizeof());
        ibv_flow_spec_ipv4.val(brief, values().asSlice(0, addresses));
        ibv_flow_spec_ipv4.mask(brief, masks().asSlice(0, addresses));
        return brief;
    }

    @Override
    Ipv4FlowSpec self() {
        return this;
    }
}
