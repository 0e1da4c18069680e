// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.CompletionCounterCalls;
import io.github.rdma4j.verbs.internal.Failures;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;

/**
 * A completion counter ({@code struct ibv_comp_cntr}). The adapter counts the completed requests, or their bytes, of
 * the queue pairs that the counter is attached to. It counts failed requests separately. Requires rdma-core 65 and an
 * adapter with such counters.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public final class CompletionCounter extends Resource {
    /** What a counter counts ({@code enum ibv_comp_cntr_type}). */
    public enum Type {
        /** Work requests. */
        WORK_REQUESTS,
        /** Bytes. */
        BYTES
    }

    /** Which completions a counter counts ({@code enum ibv_qp_attach_comp_cntr_op}). */
    public enum Operation {
        /** Sends of this side. */
        SEND,
        /** Receives of this side. */
        RECEIVE,
        /** Reads of this side. */
        RDMA_READ,
        /** The peer's reads here. */
        REMOTE_RDMA_READ,
        /** Writes of this side. */
        RDMA_WRITE,
        /** The peer's writes here. */
        REMOTE_RDMA_WRITE;

        int bit() {
            return 1 << ordinal();
        }
    }

    /**
     * Limits of a device's completion counters (ibv_query_comp_cntr_caps(3)).
     *
     * @param maxValue the largest value, after which a counter wraps to 0; unsigned
     * @param maxCounters the maximum number of counters
     * @param operations whose completions can be counted
     */
    public record Capabilities(long maxValue, long maxCounters, Set<Operation> operations) {}

    private final DeviceContext context;
    private final MemorySegment counter;

    CompletionCounter(DeviceContext context, Type type) {
        super(context);
        this.context = context;
        this.counter = CompletionCounterCalls.create(
                "ibv_create_comp_cntr(%s, %s)".formatted(context.device().name(), type),
                context.segment(),
                type.ordinal());
    }

    static Capabilities capabilities(DeviceContext context) {
        long[] answer = CompletionCounterCalls.queryCapabilities(
                "ibv_query_comp_cntr_caps(" + context.device().name() + ")", context.segment());
        Set<Operation> operations = EnumSet.noneOf(Operation.class);
        for (Operation operation : Operation.values()) {
            if ((answer[2] & operation.bit()) != 0) {
                operations.add(operation);
            }
        }
        return new Capabilities(answer[0], answer[1], Set.copyOf(operations));
    }

    /** {@return the device that the counter belongs to} */
    public DeviceContext context() {
        return context;
    }

    /**
     * Attaches the counter to a queue pair, whose completions it also counts from now on (ibv_qp_attach_comp_cntr(3)),
     * until the queue pair is closed. Closing the counter first closes the queue pair.
     *
     * @param queuePair of the same device, in state RESET or INIT
     * @param first what to count
     * @param more what else to count
     * @throws VerbsException if the device refuses
     */
    public void attachTo(QueuePair queuePair, Operation first, Operation... more) {
        int operations = first.bit();
        for (Operation operation : more) {
            operations |= operation.bit();
        }
        if (queuePair.domain().context() != context) {
            throw new IllegalArgumentException(queuePair + " is not of the same device context as " + this);
        }
        int bits = operations;
        locked(() -> {
            queuePair.requireOpen();
            Failures.check(
                    "ibv_qp_attach_comp_cntr(%s)".formatted(queuePair),
                    CompletionCounterCalls.attach(queuePair.segment(), counter, bits));
            // The device does not destroy a counter that is attached to a queue pair.
            queuePair.dependOn(this);
            return null;
        });
    }

    /** {@return the count of successful completions (ibv_read_comp_cntr(3)); unsigned} */
    public long value() {
        return locked(() -> CompletionCounterCalls.read("ibv_read_comp_cntr", counter, false));
    }

    /** {@return the count of failed completions (ibv_read_err_comp_cntr(3)); unsigned} */
    public long errors() {
        return locked(() -> CompletionCounterCalls.read("ibv_read_err_comp_cntr", counter, true));
    }

    /**
     * Sets the count of successful completions (ibv_set_comp_cntr(3)).
     *
     * @param value unsigned
     */
    public void setValue(long value) {
        update("ibv_set_comp_cntr", false, false, value);
    }

    /**
     * Sets the count of failed completions (ibv_set_err_comp_cntr(3)).
     *
     * @param value unsigned
     */
    public void setErrors(long value) {
        update("ibv_set_err_comp_cntr", true, false, value);
    }

    /**
     * Adds to the count of successful completions (ibv_inc_comp_cntr(3)).
     *
     * @param amount unsigned
     */
    public void increaseValue(long amount) {
        update("ibv_inc_comp_cntr", false, true, amount);
    }

    /**
     * Adds to the count of failed completions (ibv_inc_err_comp_cntr(3)).
     *
     * @param amount unsigned
     */
    public void increaseErrors(long amount) {
        update("ibv_inc_err_comp_cntr", true, true, amount);
    }

    private void update(String verb, boolean ofErrors, boolean increase, long value) {
        int result = locked(() -> CompletionCounterCalls.update(counter, ofErrors, increase, value));
        Failures.check("%s(%s)".formatted(verb, Long.toUnsignedString(value)), result);
    }

    @Override
    public long handle() {
        requireOpen();
        return counter.address();
    }

    @Override
    void release() {
        Failures.check(
                "ibv_destroy_comp_cntr(" + context.device().name() + ")", CompletionCounterCalls.destroy(counter));
    }

    /** {@return the device's name} */
    @Override
    public String toString() {
        return "completion counter of " + context.device().name();
    }
}
