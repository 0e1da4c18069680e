// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.Resource;
import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_flow_attr;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Settings of a {@link FlowRule}: the packets that match, and what happens to them ({@code struct ibv_flow_attr}).
 *
 * @since 0.1.0
 */
public final class FlowRuleConfig {
    private static final int MAX_PRIORITY = 0xffff;
    /** The kernel's IB_FLOW_SPEC_SUPPORT_LAYERS: it refuses more with EINVAL, which does not name the cause. */
    private static final int MAX_SPECS = 10;

    private final List<FlowSpec> specs = new ArrayList<>();
    private FlowRuleType type = FlowRuleType.NORMAL;
    private int priority;
    private int port = 1;
    private boolean copyOnly;
    private boolean egress;

    FlowRuleConfig() {}

    /**
     * Sets the type of rule; default {@link FlowRuleType#NORMAL}.
     *
     * @param ruleType the type
     * @return this
     */
    public FlowRuleConfig type(FlowRuleType ruleType) {
        this.type = Objects.requireNonNull(ruleType, "type");
        return this;
    }

    /**
     * Sets the priority; default 0.
     *
     * @param order 0, which is tried first, to 65535
     * @return this
     * @throws IllegalArgumentException if it is out of this range
     */
    public FlowRuleConfig priority(int order) {
        if (order < 0 || order > MAX_PRIORITY) {
            throw new IllegalArgumentException("priority %d is not in 0..%d".formatted(order, MAX_PRIORITY));
        }
        this.priority = order;
        return this;
    }

    /**
     * Sets the port of the packets; default 1.
     *
     * @param number from 1
     * @return this
     */
    public FlowRuleConfig port(int number) {
        this.port = number;
        return this;
    }

    /**
     * Adds headers that a packet must have, from the outside to the inside, and actions on the packets that do: at most
     * 10 in a rule, the kernel's limit.
     *
     * @param more specs from {@link FlowSpec}'s factory methods
     * @return this
     */
    public FlowRuleConfig specs(FlowSpec... more) {
        for (FlowSpec spec : more) {
            Objects.requireNonNull(spec, "spec");
        }
        specs.addAll(Arrays.asList(more));
        return this;
    }

    /**
     * Lets packets go on to rules of lower priority ({@code IBV_FLOW_ATTR_FLAGS_DONT_TRAP}); only for
     * {@link FlowRuleType#NORMAL}.
     *
     * @return this
     */
    public FlowRuleConfig doNotTrap() {
        this.copyOnly = true;
        return this;
    }

    /**
     * Matches sent packets instead of received packets ({@code IBV_FLOW_ATTR_FLAGS_EGRESS}); the queue pair then only
     * names the device.
     *
     * @return this
     */
    public FlowRuleConfig egress() {
        this.egress = true;
        return this;
    }

    /** Returns the resources that the rule refers to. */
    List<Resource> resources() {
        return specs.stream()
                .map(FlowSpec::resource)
                .flatMap(Optional::stream)
                .distinct()
                .toList();
    }

    void check() {
        if (copyOnly && type != FlowRuleType.NORMAL) {
            throw new IllegalArgumentException("doNotTrap() is for rules of type NORMAL, and this one is " + type);
        }
        if (specs.size() > MAX_SPECS) {
            throw new IllegalArgumentException(
                    "%d specs: the kernel takes at most %d in a rule, headers and actions together"
                            .formatted(specs.size(), MAX_SPECS));
        }
    }

    /** Writes the rule, followed by its specs without gaps. */
    MemorySegment write(SegmentAllocator allocator) {
        List<MemorySegment> parts = specs.stream().map(FlowSpec::bytes).toList();
        long size = ibv_flow_attr.sizeof()
                + parts.stream().mapToLong(MemorySegment::byteSize).sum();
        MemorySegment rule = allocator.allocate(size, Long.BYTES);
        ibv_flow_attr.type(rule, type.ordinal());
        ibv_flow_attr.size(rule, (short) size);
        ibv_flow_attr.priority(rule, (short) priority);
        ibv_flow_attr.num_of_specs(rule, (byte) parts.size());
        ibv_flow_attr.port(rule, (byte) port);
        ibv_flow_attr.flags(
                rule,
                (copyOnly ? RdmaHeaders.IBV_FLOW_ATTR_FLAGS_DONT_TRAP() : 0)
                        | (egress ? RdmaHeaders.IBV_FLOW_ATTR_FLAGS_EGRESS() : 0));
        long offset = ibv_flow_attr.sizeof();
        for (MemorySegment part : parts) {
            MemorySegment.copy(part, 0, rule, offset, part.byteSize());
            offset += part.byteSize();
        }
        return rule;
    }

    int port() {
        return port;
    }

    /** Returns the rule's settings, for messages. */
    @Override
    public String toString() {
        return "type=%s, priority=%d, port=%d, %d specs".formatted(type, priority, port, specs.size());
    }
}
