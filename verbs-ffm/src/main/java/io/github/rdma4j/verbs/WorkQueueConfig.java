// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_wq_init_attr;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Settings of a {@link WorkQueue} ({@code struct ibv_wq_init_attr}).
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public final class WorkQueueConfig {
    private static final int USUAL_DEPTH = 128;

    private OptionalInt maxWorkRequests = OptionalInt.empty();
    /** The effective depth. */
    private int depth = USUAL_DEPTH;

    private int maxScatterGather = 1;
    private final Set<WorkQueueFlag> flags = EnumSet.noneOf(WorkQueueFlag.class);

    WorkQueueConfig() {}

    /**
     * Sets the maximum number of outstanding receives. The default is 128, or a quarter of the completion queue if that
     * is less.
     *
     * @param count from 1 to the device's {@link DeviceAttributes#maxQueuePairWorkRequests()}; the creation fails if
     *     the completion queue has fewer free entries
     * @return this
     */
    public WorkQueueConfig maxWorkRequests(int count) {
        maxWorkRequests = OptionalInt.of(count);
        return this;
    }

    /**
     * Sets the maximum number of slices of one receive; default 1.
     *
     * @param count from 1 to the device's {@link DeviceAttributes#maxScatterGather()}
     * @return this
     */
    public WorkQueueConfig maxScatterGather(int count) {
        this.maxScatterGather = count;
        return this;
    }

    /**
     * Adds flags for the handling of packets; default none.
     *
     * @param more the flags to add
     * @return this
     */
    public WorkQueueConfig flags(WorkQueueFlag... more) {
        for (WorkQueueFlag flag : more) {
            Objects.requireNonNull(flag, "flag");
        }
        flags.addAll(List.of(more));
        return this;
    }

    void check(String device, DeviceAttributes attributes) {
        check("maxWorkRequests", maxWorkRequests.orElse(1), device, attributes.maxQueuePairWorkRequests());
        check("maxScatterGather", maxScatterGather, device, attributes.maxScatterGather());
    }

    private static void check(String name, int value, String device, int limit) {
        if (value < 1 || value > limit) {
            throw new IllegalArgumentException("%s %d: device %s allows 1..%d".formatted(name, value, device, limit));
        }
    }

    /** Called with the tree's lock held, before the creation. */
    void fitCompletionQueue(CompletionQueue queue) {
        depth = maxWorkRequests.orElseGet(() -> CompletionBudget.depth(queue, 0, USUAL_DEPTH));
        CompletionBudget.require(
                queue, depth, "this work queue", "make this one, or what else completes there, less deep");
    }

    MemorySegment write(ProtectionDomain domain, CompletionQueue queue, SegmentAllocator allocator) {
        MemorySegment attributes = ibv_wq_init_attr.allocate(allocator);
        ibv_wq_init_attr.wq_type(attributes, RdmaHeaders.IBV_WQT_RQ());
        ibv_wq_init_attr.max_wr(attributes, depth);
        ibv_wq_init_attr.max_sge(attributes, maxScatterGather);
        ibv_wq_init_attr.pd(attributes, domain.segment());
        ibv_wq_init_attr.cq(attributes, queue.segment());
        if (!flags.isEmpty()) {
            ibv_wq_init_attr.comp_mask(attributes, RdmaHeaders.IBV_WQ_INIT_ATTR_FLAGS());
            ibv_wq_init_attr.create_flags(attributes, WorkQueueFlag.mask(flags));
        }
        return attributes;
    }

    int maxWorkRequests() {
        return depth;
    }

    int maxScatterGather() {
        return maxScatterGather;
    }

    /** Returns the settings, for messages. */
    @Override
    public String toString() {
        return "max_wr=%d, max_sge=%d, flags=%s".formatted(depth, maxScatterGather, flags);
    }
}
