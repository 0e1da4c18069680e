// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_context_ops;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The inline verbs of memory windows, through {@code struct ibv_context_ops}. */
public final class MemoryWindowCalls {
    private static final MethodHandle ALLOC =
            NativeCalls.errnoHandle(FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));
    private static final MethodHandle DEALLOC = NativeCalls.handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle BIND =
            NativeCalls.handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS));

    private MemoryWindowCalls() {}

    /**
     * ibv_alloc_mw(3).
     *
     * @param context the device's context
     * @param pd the protection domain
     * @param type of {@code enum ibv_mw_type}
     * @return the window, or NULL; errno is 0 if the driver has no such function
     */
    public static MemorySegment alloc(MemorySegment context, MemorySegment pd, int type) {
        try {
            return (MemorySegment) ALLOC.invokeExact(
                    ibv_context_ops.alloc_mw(ibv_context.ops(context)), NativeCalls.capture(), pd, type);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_dealloc_mw(3).
     *
     * @param context the device's context
     * @param window the {@code struct ibv_mw}
     * @return 0 or a positive errno
     */
    public static int dealloc(MemorySegment context, long window) {
        try {
            return (int) DEALLOC.invokeExact(ibv_context_ops.dealloc_mw(ibv_context.ops(context)), window);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_bind_mw(3), whose checks the caller has made.
     *
     * @param context the device's context
     * @param queuePair the {@code struct ibv_qp} that carries the request
     * @param window the {@code struct ibv_mw}, of type 1
     * @param bind the {@code struct ibv_mw_bind}
     * @return 0 or an errno; some drivers return it negative
     */
    public static int bind(MemorySegment context, long queuePair, long window, MemorySegment bind) {
        try {
            return (int) BIND.invokeExact(ibv_context_ops.bind_mw(ibv_context.ops(context)), queuePair, window, bind);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }
}
