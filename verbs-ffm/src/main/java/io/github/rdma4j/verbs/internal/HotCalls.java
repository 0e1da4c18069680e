// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The inline verbs of the hot path: one indirect call through a function pointer of the provider, as in verbs.h.
 *
 * <p>The function pointer is passed as a segment of the global scope (which costs nothing to check), all objects as plain
 * {@code long}, because a segment of a closeable arena would be acquired and released around every call. The callers
 * ({@code UseGuard}) see to it that the objects live.
 *
 * <p>A critical call skips the thread's state transition, and no safepoint is reached while it runs. So it is used only where
 * the provider stays in user space and does not wait, as {@link DeviceDriver} knows: polling nearly everywhere, posting where the
 * doorbell is a store to mapped memory. On SoftRoCE and siw the doorbell is a system call that does the work of the transfer.
 */
public final class HotCalls {
    private static final FunctionDescriptor POST_DESCRIPTOR = FunctionDescriptor.of(
            JAVA_INT, JAVA_LONG.withName("qp"), JAVA_LONG.withName("wr"), JAVA_LONG.withName("bad_wr"));
    private static final MethodHandle POST = Linker.nativeLinker().downcallHandle(POST_DESCRIPTOR);
    private static final MethodHandle POST_CRITICAL =
            Linker.nativeLinker().downcallHandle(POST_DESCRIPTOR, Linker.Option.critical(false));
    private static final FunctionDescriptor POLL_DESCRIPTOR = FunctionDescriptor.of(
            JAVA_INT, JAVA_LONG.withName("cq"), JAVA_INT.withName("num_entries"), JAVA_LONG.withName("wc"));
    private static final MethodHandle POLL = Linker.nativeLinker().downcallHandle(POLL_DESCRIPTOR);
    private static final MethodHandle POLL_CRITICAL =
            Linker.nativeLinker().downcallHandle(POLL_DESCRIPTOR, Linker.Option.critical(false));

    static {
        assert POST.type().parameterType(0) == MemorySegment.class && ADDRESS.byteSize() == Long.BYTES;
    }

    private HotCalls() {}

    /**
     * ibv_post_send(3) and ibv_post_recv(3), which have the same shape.
     *
     * @param function the provider's entry in {@code ibv_context_ops}
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp}
     * @param workRequest the first request of the list
     * @param badWorkRequest where the address of the first refused request goes
     * @return 0 or an errno; some old drivers return it negative
     */
    public static int post(
            MemorySegment function, boolean critical, long queuePair, long workRequest, long badWorkRequest) {
        try {
            return critical
                    ? (int) POST_CRITICAL.invokeExact(function, queuePair, workRequest, badWorkRequest)
                    : (int) POST.invokeExact(function, queuePair, workRequest, badWorkRequest);
        } catch (Throwable e) {
            throw new AssertionError("a downcall cannot throw this", e);
        }
    }

    /**
     * ibv_poll_cq(3).
     *
     * @param function the provider's entry in {@code ibv_context_ops}
     * @param critical whether the provider polls without a system call
     * @param completionQueue the {@code struct ibv_cq}
     * @param entries the most completions to fetch
     * @param workCompletions where they go
     * @return how many were fetched, negative on failure
     */
    public static int poll(
            MemorySegment function, boolean critical, long completionQueue, int entries, long workCompletions) {
        try {
            return critical
                    ? (int) POLL_CRITICAL.invokeExact(function, completionQueue, entries, workCompletions)
                    : (int) POLL.invokeExact(function, completionQueue, entries, workCompletions);
        } catch (Throwable e) {
            throw new AssertionError("a downcall cannot throw this", e);
        }
    }
}
