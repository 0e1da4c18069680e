// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.bindings.verbs_context;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The verbs of completion queues and channels that the generated bindings cannot call as they are. */
public final class CompletionCalls {
    private static final FunctionDescriptor ARM_DESCRIPTOR =
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG.withName("cq"), JAVA_INT.withName("solicited_only"));

    /** Linked when the first queue is armed through the kernel. */
    private static final class Arm {
        static final MethodHandle HANDLE = NativeCalls.handle(ARM_DESCRIPTOR);
    }

    /** Linked when the first queue is armed in user space. */
    private static final class ArmCritical {
        static final MethodHandle HANDLE = NativeCalls.criticalHandle(ARM_DESCRIPTOR);
    }

    /** Linked with the first event. */
    private static final class Events {
        static final MemorySegment GET_FUNCTION = ExportedVerb.GET_CQ_EVENT.address();
        static final FunctionDescriptor GET_DESCRIPTOR = FunctionDescriptor.of(
                JAVA_INT, JAVA_LONG.withName("channel"), JAVA_LONG.withName("cq"), JAVA_LONG.withName("cq_context"));
        static final MethodHandle GET = NativeCalls.handle(GET_DESCRIPTOR);
        static final MethodHandle GET_WITH_ERRNO = NativeCalls.errnoHandle(GET_DESCRIPTOR);
        static final MemorySegment ACKNOWLEDGE_FUNCTION = ExportedVerb.ACK_CQ_EVENTS.address();
        static final MethodHandle ACKNOWLEDGE =
                NativeCalls.handle(FunctionDescriptor.ofVoid(JAVA_LONG.withName("cq"), JAVA_INT.withName("nevents")));
    }

    private CompletionCalls() {}

    /**
     * ibv_create_comp_channel(3).
     *
     * @param context the device's context
     * @return the channel, or NULL
     */
    public static MemorySegment createChannel(MemorySegment context) {
        return ExportedVerb.CREATE_COMP_CHANNEL.pointer(context);
    }

    /**
     * ibv_create_cq(3).
     *
     * @param context the device's context
     * @param entries the minimum number of entries
     * @param channel the completion channel, or NULL
     * @param vector the completion vector
     * @return the completion queue, or NULL
     */
    public static MemorySegment createQueue(MemorySegment context, int entries, MemorySegment channel, int vector) {
        return ExportedVerb.CREATE_CQ.pointer(
                context, ColdCalls.word(entries), MemorySegment.NULL, channel, ColdCalls.word(vector));
    }

    /**
     * Calls ibv_get_cq_event(3). The first call does not capture errno, which would make each call slower. After a
     * failure it is called again with errno, and that call may succeed.
     *
     * @param channel the address of the channel
     * @param named the address of two words, for the address of the queue and for the user's pointer of its creation
     * @return 0 or the errno
     */
    public static int getEvent(long channel, long named) {
        try {
            int result = (int) Events.GET.invokeExact(Events.GET_FUNCTION, channel, named, named + Long.BYTES);
            return result == 0 ? 0 : getEventAgain(channel, named);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    private static int getEventAgain(long channel, long named) throws Throwable {
        int result = (int) Events.GET_WITH_ERRNO.invokeExact(
                Events.GET_FUNCTION, NativeCalls.capture(), channel, named, named + Long.BYTES);
        return result == 0 ? 0 : NativeCalls.lastErrno();
    }

    /**
     * Calls ibv_ack_cq_events(3).
     *
     * @param queue the address of the queue
     * @param count how many events
     */
    public static void acknowledge(long queue, int count) {
        try {
            Events.ACKNOWLEDGE.invokeExact(Events.ACKNOWLEDGE_FUNCTION, queue, count);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_get_async_event(3).
     *
     * @param context the device's context, with a non-blocking descriptor
     * @param event a {@code struct ibv_async_event}
     * @return 0, or the errno
     */
    public static int getAsyncEvent(MemorySegment context, MemorySegment event) {
        int result = ExportedVerb.GET_ASYNC_EVENT.number(context, event);
        return result == 0 ? 0 : NativeCalls.lastErrno();
    }

    /**
     * ibv_modify_cq(3).
     *
     * @param context the device's context
     * @param queue the completion queue
     * @param attributes a {@code struct ibv_modify_cq_attr}
     * @return 0 or an errno
     */
    public static int modify(MemorySegment context, MemorySegment queue, MemorySegment attributes) {
        MemorySegment entry = NativeCalls.extendedEntry(context, verbs_context.modify_cq$offset());
        if (entry.address() == 0) {
            return Errno.EOPNOTSUPP;
        }
        return ColdCalls.number(entry, queue, attributes);
    }

    /**
     * ibv_req_notify_cq(3).
     *
     * @param function the provider's entry in {@code ibv_context_ops}
     * @param critical whether the provider rings its doorbells without a system call
     * @param queue the {@code struct ibv_cq}
     * @param solicitedOnly 1 for solicited completions only, 0 for all
     * @return 0 or an errno
     */
    public static int arm(MemorySegment function, boolean critical, long queue, int solicitedOnly) {
        try {
            return critical
                    ? (int) ArmCritical.HANDLE.invokeExact(function, queue, solicitedOnly)
                    : (int) Arm.HANDLE.invokeExact(function, queue, solicitedOnly);
        } catch (Throwable e) {
            throw new AssertionError("a downcall cannot throw this", e);
        }
    }
}
