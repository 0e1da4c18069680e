// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The inline verbs of the hot path: one indirect call through a function pointer of the provider, as in verbs.h.
 *
 * <p>All objects are passed as plain {@code long}, because a segment of a closeable arena would be acquired and
 * released around every call. The callers ({@code UseGuard}) keep the objects alive.
 *
 * <p>The function pointer is a segment of the global scope. The linker's checks of a segment from a field cost some ten
 * instructions per call; for a constant they cost nothing. So the functions of the first provider in the JVM are
 * constants, and one comparison checks for them: {@link ProviderFunctions} returns the same objects for all contexts of
 * that provider. The functions of a second provider in one JVM take the longer path.
 *
 * <p>Nothing here orders memory, on any architecture: the provider does. It has a {@code udma_to_device_barrier()}
 * between the caller's stores and its doorbell, and a {@code udma_from_device_barrier()} between the completion that it
 * finds and the loads after the poll (util/udma_barrier.h of rdma-core); and the JVM moves no memory access across a
 * native call.
 *
 * <p>A critical call skips the thread's state transition, and no safepoint is reached while it runs. So it is used only
 * if the provider stays in user space and does not wait, see {@link DeviceDriver}: for polling on nearly all devices,
 * and for posting if the doorbell is a store to mapped memory. On SoftRoCE and siw the doorbell is a system call that
 * does the work of the transfer.
 *
 * <p>HotSpot's C2 compiler assumes that a thread can be stopped in every call, even in a critical one, and omits the
 * safepoint check at the end of a loop with a call. A program that polls an empty queue would then block the garbage
 * collector, and every close, until a completion arrives. So callers of critical calls let the thread be stopped now
 * and then: {@link #letStop}.
 */
public final class HotCalls {
    private static final FunctionDescriptor POST_DESCRIPTOR = FunctionDescriptor.of(
            JAVA_INT, JAVA_LONG.withName("qp"), JAVA_LONG.withName("wr"), JAVA_LONG.withName("bad_wr"));
    private static final MethodHandle POST = NativeCalls.handle(POST_DESCRIPTOR);
    private static final MethodHandle POST_CRITICAL = NativeCalls.criticalHandle(POST_DESCRIPTOR);
    private static final FunctionDescriptor POLL_DESCRIPTOR = FunctionDescriptor.of(
            JAVA_INT, JAVA_LONG.withName("cq"), JAVA_INT.withName("num_entries"), JAVA_LONG.withName("wc"));
    private static final MethodHandle POLL = NativeCalls.handle(POLL_DESCRIPTOR);
    private static final MethodHandle POLL_CRITICAL = NativeCalls.criticalHandle(POLL_DESCRIPTOR);

    static {
        assert POST.type().parameterType(0) == MemorySegment.class && ADDRESS.byteSize() == Long.BYTES;
    }

    /** A separate class, because it must be initialised after the first provider is known: with the first call. */
    private static final class First {
        static final MemorySegment POLL_COMPLETIONS = ProviderFunctions.first().pollCompletions();
        static final MemorySegment POST_SEND = ProviderFunctions.first().postSend();
        static final MemorySegment POST_RECEIVE = ProviderFunctions.first().postReceive();
    }

    /**
     * The calls between two chances to stop the thread: some ten microseconds of empty polls, and some milliseconds if
     * a program does a microsecond's work for each. A chance takes some 190 instructions. With 256 calls, each message
     * of ib_send_lat waited for two of them.
     */
    private static final int PERIOD = 2048;

    private static final Object NOBODYS_LOCK = new Object();

    private HotCalls() {}

    /**
     * Lets the thread be stopped, once in many calls; called after a critical call.
     *
     * @param calls the number of calls so far; each object counts its own, without synchronization
     */
    public static void letStop(int calls) {
        if ((calls & PERIOD - 1) == 0) {
            // Any fast native method of the JVM that allocates nothing would do: it checks for a safepoint at its end,
            // and no compiler inlines it. An ordinary downcall allocates if it is too rare to be inlined.
            Thread.holdsLock(NOBODYS_LOCK);
        }
    }

    /**
     * ibv_post_send(3).
     *
     * @param function the provider's entry in {@code ibv_context_ops}
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp}
     * @param workRequest the first request of the list
     * @param badWorkRequest receives the address of the first refused request
     * @return 0 or an errno; some old drivers return it negative
     */
    public static int postSend(
            MemorySegment function, boolean critical, long queuePair, long workRequest, long badWorkRequest) {
        return function == First.POST_SEND
                ? post(First.POST_SEND, critical, queuePair, workRequest, badWorkRequest)
                : post(function, critical, queuePair, workRequest, badWorkRequest);
    }

    /**
     * ibv_post_recv(3), and the functions for shared receive queues and work queues, which have the same signature.
     *
     * @param function the provider's entry in {@code ibv_context_ops}, or a work queue's own
     * @param critical whether the provider posts without a system call
     * @param queue the {@code struct ibv_qp}, {@code ibv_srq} or {@code ibv_wq}
     * @param workRequest the first request of the list
     * @param badWorkRequest receives the address of the first refused request
     * @return 0 or an errno; some old drivers return it negative
     */
    public static int postReceive(
            MemorySegment function, boolean critical, long queue, long workRequest, long badWorkRequest) {
        return function == First.POST_RECEIVE
                ? post(First.POST_RECEIVE, critical, queue, workRequest, badWorkRequest)
                : post(function, critical, queue, workRequest, badWorkRequest);
    }

    private static int post(
            MemorySegment function, boolean critical, long queue, long workRequest, long badWorkRequest) {
        try {
            return critical
                    ? (int) POST_CRITICAL.invokeExact(function, queue, workRequest, badWorkRequest)
                    : (int) POST.invokeExact(function, queue, workRequest, badWorkRequest);
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
     * @param entries the maximum number of completions to fetch
     * @param workCompletions receives the completions
     * @return how many were fetched, negative on failure
     */
    public static int poll(
            MemorySegment function, boolean critical, long completionQueue, int entries, long workCompletions) {
        return function == First.POLL_COMPLETIONS
                ? pollAny(First.POLL_COMPLETIONS, critical, completionQueue, entries, workCompletions)
                : pollAny(function, critical, completionQueue, entries, workCompletions);
    }

    private static int pollAny(
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
