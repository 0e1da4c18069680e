// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.github.rdma4j.verbs.bindings.ibv_poll_cq_attr;
import io.github.rdma4j.verbs.bindings.verbs_context;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Polls extended completion queues. Each step and each field is one call through a function pointer of
 * {@code struct ibv_cq_ex}, like the inline functions of verbs.h. The fields are in memory and are read by critical
 * calls. The steps are also critical, except if {@link DeviceDriver#pollsInUserSpace()} says that they may wait for a
 * thread that posts. The callers ensure that only one thread is between start and end, so no step spins on the queue's
 * own lock.
 */
public final class CursorCalls {
    private static final MethodHandle CREATE =
            NativeCalls.errnoHandle(FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
    private static final FunctionDescriptor START_DESCRIPTOR = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle START = critical(START_DESCRIPTOR);
    private static final FunctionDescriptor END_DESCRIPTOR = FunctionDescriptor.ofVoid(JAVA_LONG);
    private static final MethodHandle END = critical(END_DESCRIPTOR);
    private static final MethodHandle READ_INT = critical(reading(JAVA_INT));
    private static final MethodHandle READ_LONG = critical(reading(JAVA_LONG));
    private static final MethodHandle READ_SHORT = critical(reading(JAVA_SHORT));
    private static final MethodHandle READ_BYTE = critical(reading(JAVA_BYTE));
    private static final MethodHandle READ_TAG = critical(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));

    /** {@code struct ibv_poll_cq_attr}, which is not used so far. */
    private static final long NO_ATTRIBUTES =
            ibv_poll_cq_attr.allocate(Arena.global()).address();

    /** Linked when a queue with steps that may wait is first polled. */
    private static final class Waiting {
        static final MethodHandle START = NativeCalls.handle(START_DESCRIPTOR);
        static final MethodHandle NEXT = NativeCalls.handle(reading(JAVA_INT));
        static final MethodHandle END = NativeCalls.handle(END_DESCRIPTOR);
    }

    private CursorCalls() {}

    private static FunctionDescriptor reading(MemoryLayout result) {
        return FunctionDescriptor.of(result, JAVA_LONG);
    }

    private static MethodHandle critical(FunctionDescriptor descriptor) {
        return NativeCalls.criticalHandle(descriptor);
    }

    /**
     * ibv_create_cq_ex(3).
     *
     * @param context the device's context
     * @param attributes a {@code struct ibv_cq_init_attr_ex}
     * @return the completion queue, or NULL
     */
    public static MemorySegment create(MemorySegment context, MemorySegment attributes) {
        MemorySegment entry = NativeCalls.extendedEntry(context, verbs_context.create_cq_ex$offset());
        if (entry.address() == 0) {
            throw Failures.of("ibv_create_cq_ex", Errno.EOPNOTSUPP);
        }
        try {
            return (MemorySegment) CREATE.invokeExact(entry, NativeCalls.capture(), context, attributes);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_start_poll.
     *
     * @param function {@code start_poll}
     * @param critical whether it never waits
     * @param queue the {@code struct ibv_cq_ex}
     * @return 0, ENOENT if the queue is empty, or another errno
     */
    public static int start(MemorySegment function, boolean critical, long queue) {
        try {
            return critical
                    ? (int) START.invokeExact(function, queue, NO_ATTRIBUTES)
                    : (int) Waiting.START.invokeExact(function, queue, NO_ATTRIBUTES);
        } catch (Throwable e) {
            throw new AssertionError("a downcall cannot throw this", e);
        }
    }

    /**
     * ibv_end_poll.
     *
     * @param function {@code end_poll}
     * @param critical whether it never waits
     * @param queue the {@code struct ibv_cq_ex}
     */
    public static void end(MemorySegment function, boolean critical, long queue) {
        try {
            if (critical) {
                END.invokeExact(function, queue);
            } else {
                Waiting.END.invokeExact(function, queue);
            }
        } catch (Throwable e) {
            throw new AssertionError("a downcall cannot throw this", e);
        }
    }

    /**
     * ibv_next_poll.
     *
     * @param function {@code next_poll}
     * @param critical whether it never waits
     * @param queue the {@code struct ibv_cq_ex}
     * @return 0, ENOENT if there is no other completion, or another errno
     */
    public static int next(MemorySegment function, boolean critical, long queue) {
        try {
            return critical
                    ? (int) READ_INT.invokeExact(function, queue)
                    : (int) Waiting.NEXT.invokeExact(function, queue);
        } catch (Throwable e) {
            throw new AssertionError("a downcall cannot throw this", e);
        }
    }

    /**
     * Reads a field of 32 bits.
     *
     * @param function such as {@code read_byte_len}
     * @param queue the {@code struct ibv_cq_ex}
     * @return the value
     */
    public static int readInt(MemorySegment function, long queue) {
        try {
            return (int) READ_INT.invokeExact(function, queue);
        } catch (Throwable e) {
            throw new AssertionError("a downcall cannot throw this", e);
        }
    }

    /**
     * Reads a field of 64 bits.
     *
     * @param function such as {@code read_completion_ts}
     * @param queue the {@code struct ibv_cq_ex}
     * @return the value
     */
    public static long readLong(MemorySegment function, long queue) {
        try {
            return (long) READ_LONG.invokeExact(function, queue);
        } catch (Throwable e) {
            throw new AssertionError("a downcall cannot throw this", e);
        }
    }

    /**
     * Reads a field of 16 bits.
     *
     * @param function such as {@code read_cvlan}
     * @param queue the {@code struct ibv_cq_ex}
     * @return the value
     */
    public static int readShort(MemorySegment function, long queue) {
        try {
            return Short.toUnsignedInt((short) READ_SHORT.invokeExact(function, queue));
        } catch (Throwable e) {
            throw new AssertionError("a downcall cannot throw this", e);
        }
    }

    /**
     * Reads a field of 8 bits.
     *
     * @param function such as {@code read_sl}
     * @param queue the {@code struct ibv_cq_ex}
     * @return the value
     */
    public static int readByte(MemorySegment function, long queue) {
        try {
            return Byte.toUnsignedInt((byte) READ_BYTE.invokeExact(function, queue));
        } catch (Throwable e) {
            throw new AssertionError("a downcall cannot throw this", e);
        }
    }

    /**
     * efadv_wc_read_sgid.
     *
     * @param function {@code wc_read_sgid}
     * @param queue the {@code struct efadv_cq}
     * @param gid receives the {@code union ibv_gid}
     * @return 0, or a negative errno: ENOENT if the completion has no GID
     */
    public static int readSenderGid(MemorySegment function, long queue, long gid) {
        try {
            return (int) START.invokeExact(function, queue, gid);
        } catch (Throwable e) {
            throw new AssertionError("a downcall cannot throw this", e);
        }
    }

    /**
     * ibv_wc_read_tm_info.
     *
     * @param function {@code read_tm_info}
     * @param queue the {@code struct ibv_cq_ex}
     * @param info receives the {@code struct ibv_wc_tm_info}
     */
    public static void readTag(MemorySegment function, long queue, long info) {
        try {
            READ_TAG.invokeExact(function, queue, info);
        } catch (Throwable e) {
            throw new AssertionError("a downcall cannot throw this", e);
        }
    }
}
