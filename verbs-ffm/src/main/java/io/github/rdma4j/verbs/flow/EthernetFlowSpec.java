// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_flow_eth_filter;
import io.github.rdma4j.verbs.bindings.ibv_flow_spec_eth;

/**
 * An Ethernet header ({@code struct ibv_flow_spec_eth}). Addresses are given as six bytes;
 * {@code HexFormat.ofDelimiter(":").parseHex("66:11:22:33:44:55")} converts text.
 *
 * @since 0.1.0
 */
public final class EthernetFlowSpec extends FlowHeader<EthernetFlowSpec> {
    private static final int SHORT = 16;

    private static final int ADDRESS_LENGTH = 6;
    private static final int VLAN_ID_MASK = 0x0fff;

    EthernetFlowSpec() {
        super(
                RdmaHeaders.IBV_FLOW_SPEC_ETH(),
                ibv_flow_spec_eth.sizeof(),
                ibv_flow_spec_eth.val$offset(),
                ibv_flow_eth_filter.sizeof());
    }

    /**
     * The destination address.
     *
     * @param address six bytes
     * @return this
     */
    public EthernetFlowSpec destination(byte[] address) {
        return destination(address, allBits(ADDRESS_LENGTH));
    }

    /**
     * The destination address, of which only some bits count.
     *
     * @param address six bytes
     * @param mask the bits that count, six bytes
     * @return this
     * @throws IllegalArgumentException if there are not six bytes, or the address has bits outside the mask
     */
    public EthernetFlowSpec destination(byte[] address, byte[] mask) {
        return field("destination address", ibv_flow_eth_filter.dst_mac$offset(), ADDRESS_LENGTH, address, mask);
    }

    /**
     * The source address.
     *
     * @param address six bytes
     * @return this
     */
    public EthernetFlowSpec source(byte[] address) {
        return source(address, allBits(ADDRESS_LENGTH));
    }

    /**
     * The source address, of which only some bits count.
     *
     * @param address six bytes
     * @param mask the bits that count, six bytes
     * @return this
     * @throws IllegalArgumentException if there are not six bytes, or the address has bits outside the mask
     */
    public EthernetFlowSpec source(byte[] address, byte[] mask) {
        return field("source address", ibv_flow_eth_filter.src_mac$offset(), ADDRESS_LENGTH, address, mask);
    }

    /**
     * The Ethertype that follows the last VLAN tag.
     *
     * @param value 16 bits, {@code 0x0800} for IPv4
     * @return this
     */
    public EthernetFlowSpec etherType(int value) {
        return field("etherType", ibv_flow_eth_filter.ether_type$offset(), SHORT, value);
    }

    /**
     * Some bits of the Ethertype that follows the last VLAN tag.
     *
     * @param value 16 bits, {@code 0x0800} for IPv4
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public EthernetFlowSpec etherType(int value, int mask) {
        return field("etherType", ibv_flow_eth_filter.ether_type$offset(), SHORT, value, mask);
    }

    /**
     * The VLAN tag: priority 3 bits, CFI 1 bit, VLAN 12 bits.
     *
     * @param value 16 bits
     * @return this
     */
    public EthernetFlowSpec vlanTag(int value) {
        return field("vlanTag", ibv_flow_eth_filter.vlan_tag$offset(), SHORT, value);
    }

    /**
     * Some bits of the VLAN tag: priority 3 bits, CFI 1 bit, VLAN 12 bits.
     *
     * @param value 16 bits
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public EthernetFlowSpec vlanTag(int value, int mask) {
        return field("vlanTag", ibv_flow_eth_filter.vlan_tag$offset(), SHORT, value, mask);
    }

    /**
     * The VLAN, of any priority.
     *
     * @param vlan 0..4095
     * @return this
     */
    public EthernetFlowSpec vlan(int vlan) {
        return vlanTag(vlan, VLAN_ID_MASK);
    }

    @Override
    EthernetFlowSpec self() {
        return this;
    }
}
