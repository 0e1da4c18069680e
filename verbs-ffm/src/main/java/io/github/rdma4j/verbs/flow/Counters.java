// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.AttachedResource;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_counter_attach_attr;
import io.github.rdma4j.verbs.bindings.ibv_counters_init_attr;
import io.github.rdma4j.verbs.internal.ExtendedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeObject;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Counters of the adapter ({@code struct ibv_counters}, ibv_create_counters(3)). First attach what they count, then
 * refer to them in a {@link FlowRule} by {@link FlowSpec#count}.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class Counters extends AttachedResource {
    private final DeviceContext context;

    private Counters(DeviceContext context) {
        super(() -> createNative(context), context);
        this.context = context;
    }

    /**
     * Creates counters (ibv_create_counters(3)).
     *
     * @param context the device context of the queue pairs whose rules count
     * @return the counters, which count nothing yet; closed before or with the context
     * @throws UnsupportedVerbException if the driver, such as SoftRoCE's, has none
     * @throws VerbsException if the device refuses
     */
    public static Counters create(DeviceContext context) {
        return createOn(context, () -> new Counters(context));
    }

    private static NativeObject createNative(DeviceContext context) {
        MemorySegment device = MemorySegment.ofAddress(context.handle());
        String name = context.device().name();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment counters = ExtendedVerb.CREATE_COUNTERS.create(
                    "ibv_create_counters(%s)".formatted(name), device, device, ibv_counters_init_attr.allocate(arena));
            return new NativeObject(
                    counters,
                    "ibv_destroy_counters(%s)".formatted(name),
                    () -> ExtendedVerb.DESTROY_COUNTERS.call(device, counters));
        }
    }

    private MemorySegment device() {
        return MemorySegment.ofAddress(context.handle());
    }

    /**
     * Sets what is counted at an index, for rules that will refer to these counters
     * (ibv_attach_counters_point_flow(3)). Several values that are attached to one index are added up.
     *
     * @param description what is counted
     * @param index the index to read it at, from 0
     * @throws UnsupportedVerbException if the device cannot count this
     * @throws VerbsException if a rule refers to the counters already (EBUSY), or the device refuses
     */
    public void attach(CounterDescription description, int index) {
        attach(description, index, "", MemorySegment.NULL);
    }

    /**
     * Counts at an index the packets of an existing rule (ibv_attach_counters_point_flow(3)).
     *
     * @param description what is counted
     * @param index the index to read it at, from 0
     * @param rule a rule of the same device context
     * @throws UnsupportedVerbException if the device cannot count this
     * @throws VerbsException if the device refuses
     */
    public void attach(CounterDescription description, int index, FlowRule rule) {
        if (rule.context() != context) {
            throw new IllegalArgumentException(rule + " is not of the same device context as " + this);
        }
        whileOpen(() -> attach(description, index, ", " + rule, MemorySegment.ofAddress(rule.handle())));
    }

    private void attach(CounterDescription description, int index, String ruleText, MemorySegment rule) {
        if (index < 0) {
            throw new IllegalArgumentException("counter index " + index);
        }
        whileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment point = ibv_counter_attach_attr.allocate(arena);
                ibv_counter_attach_attr.counter_desc(point, description.ordinal());
                ibv_counter_attach_attr.index(point, index);
                Failures.check(
                        "ibv_attach_counters_point_flow(%s, index=%d%s)".formatted(description, index, ruleText),
                        ExtendedVerb.ATTACH_COUNTERS_POINT_FLOW.call(device(), segment(), point, rule));
            }
        });
    }

    /**
     * Reads the counters (ibv_read_counters(3)).
     *
     * @param count how many, from index 0
     * @param preferCached whether a value cached by the driver is enough; otherwise the adapter is queried
     * @return the values by index, unsigned
     * @throws VerbsException if the device refuses
     */
    public long[] read(int count, boolean preferCached) {
        if (count < 1) {
            throw new IllegalArgumentException("reading " + count + " counters");
        }
        return whileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment values = arena.allocate(ValueLayout.JAVA_LONG, count);
                Failures.check(
                        "ibv_read_counters(count=%d)".formatted(count),
                        ExtendedVerb.readCounters(
                                device(),
                                segment(),
                                values,
                                count,
                                preferCached ? RdmaHeaders.IBV_READ_COUNTERS_ATTR_PREFER_CACHED() : 0));
                return values.toArray(ValueLayout.JAVA_LONG);
            }
        });
    }

    /** {@return the device's name} */
    @Override
    public String toString() {
        return "counters of " + context.device().name();
    }
}
