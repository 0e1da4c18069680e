// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.Resource;
import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_flow_spec_action_drop;
import io.github.rdma4j.verbs.bindings.ibv_flow_spec_action_handle;
import io.github.rdma4j.verbs.bindings.ibv_flow_spec_action_tag;
import io.github.rdma4j.verbs.bindings.ibv_flow_spec_counter_action;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * A part of a {@link FlowRule} ({@code struct ibv_flow_spec}): the required values of a packet's header, or an action
 * on packets that match. Headers are listed from the outside to the inside. Fields that are not set match any value, so
 * a spec without fields only requires the header.
 *
 * <p>Most adapters only support whole fields, not a mask of some bits.
 *
 * <p>Thread safety: a spec is for one thread while its fields are set, and can be used in any number of rules after
 * that.
 *
 * @since 0.1.0
 */
public abstract sealed class FlowSpec permits FlowHeader, FlowSpec.Action {
    /** The {@code struct ibv_flow_spec_*}, in memory with the alignment of a long. */
    private final MemorySegment spec;

    FlowSpec(int type, long size) {
        spec = allocate(type, size);
    }

    static MemorySegment allocate(int type, long size) {
        long[] aligned = new long[(int) ((size + Long.BYTES - 1) / Long.BYTES)];
        MemorySegment spec = MemorySegment.ofArray(aligned).asSlice(0, size);
        spec.set(ValueLayout.JAVA_INT, ibv_flow_spec_action_drop.type$offset(), type);
        spec.set(ValueLayout.JAVA_SHORT, ibv_flow_spec_action_drop.size$offset(), (short) size);
        return spec;
    }

    final MemorySegment segment() {
        return spec;
    }

    /** Returns the bytes of the spec for a rule, in the layout of verbs.h. */
    MemorySegment bytes() {
        return spec;
    }

    /** Returns the resource that must stay open as long as the rule. */
    Optional<Resource> resource() {
        return Optional.empty();
    }

    /** {@return an Ethernet header} */
    public static EthernetFlowSpec ethernet() {
        return new EthernetFlowSpec();
    }

    /** {@return an IPv4 header} */
    public static Ipv4FlowSpec ipv4() {
        return new Ipv4FlowSpec();
    }

    /** {@return an IPv6 header} */
    public static Ipv6FlowSpec ipv6() {
        return new Ipv6FlowSpec();
    }

    /** {@return a TCP header} */
    public static PortsFlowSpec tcp() {
        return new PortsFlowSpec(RdmaHeaders.IBV_FLOW_SPEC_TCP());
    }

    /** {@return a UDP header} */
    public static PortsFlowSpec udp() {
        return new PortsFlowSpec(RdmaHeaders.IBV_FLOW_SPEC_UDP());
    }

    /** {@return a VXLAN header} */
    public static VxlanFlowSpec vxlan() {
        return new VxlanFlowSpec();
    }

    /** {@return a GRE header} */
    public static GreFlowSpec gre() {
        return new GreFlowSpec();
    }

    /** {@return an entry of an MPLS label stack; its place among the specs is its place in the packet} */
    public static MplsFlowSpec mpls() {
        return new MplsFlowSpec();
    }

    /** {@return an ESP header, of IPsec} */
    public static EspFlowSpec esp() {
        return new EspFlowSpec();
    }

    /**
     * Returns the action that puts a mark into the completions of the packets.
     *
     * @param tag the mark; adapters differ in the number of bits that they keep
     * @return the action
     */
    public static FlowSpec tag(int tag) {
        Action action = new Action(RdmaHeaders.IBV_FLOW_SPEC_ACTION_TAG(), ibv_flow_spec_action_tag.sizeof(), null);
        ibv_flow_spec_action_tag.tag_id(action.segment(), tag);
        return action;
    }

    /** {@return the action that drops the packets} */
    public static FlowSpec drop() {
        return new Action(RdmaHeaders.IBV_FLOW_SPEC_ACTION_DROP(), ibv_flow_spec_action_drop.sizeof(), null);
    }

    /**
     * Returns the spec that applies a flow action to the packets.
     *
     * @param flowAction the action; it stays open as long as the rule
     * @return the action
     */
    public static FlowSpec handle(FlowAction flowAction) {
        return handle(flowAction.handle(), flowAction);
    }

    static FlowSpec handle(long address, Resource flowAction) {
        Action action =
                new Action(RdmaHeaders.IBV_FLOW_SPEC_ACTION_HANDLE(), ibv_flow_spec_action_handle.sizeof(), flowAction);
        ibv_flow_spec_action_handle.action(action.segment(), MemorySegment.ofAddress(address));
        return action;
    }

    /**
     * Returns the action that counts the packets.
     *
     * @param counters the counters, attached before; they stay open as long as the rule
     * @return the action
     */
    public static FlowSpec count(Counters counters) {
        return count(counters.handle(), counters);
    }

    static FlowSpec count(long address, Resource counters) {
        Action action =
                new Action(RdmaHeaders.IBV_FLOW_SPEC_ACTION_COUNT(), ibv_flow_spec_counter_action.sizeof(), counters);
        ibv_flow_spec_counter_action.counters(action.segment(), MemorySegment.ofAddress(address));
        return action;
    }

    /** An action on a packet. */
    static final class Action extends FlowSpec {
        private final Resource resource;

        private Action(int type, long size, Resource resource) {
            super(type, size);
            this.resource = resource;
        }

        @Override
        Optional<Resource> resource() {
            return Optional.ofNullable(resource);
        }
    }
}
