// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Set;

/** A function that the library calls, by its name or through a pointer, with the way in which it reports a failure. */
final class NativeFunction {
    /** They return -1 without an errno, where most verbs return the errno. */
    private static final Set<String> MINUS_ONE =
            Set.of("ibv_query_gid", "ibv_query_pkey", "ibv_close_device", "poll_cq");

    /** Functions that cannot fail, or whose failures cannot be distinguished from results. */
    private static final Set<String> INFALLIBLE = Set.of(
            "efadv_cq_from_ibv_cq_ex",
            "ibv_get_device_guid",
            "ibv_get_device_index",
            "ibv_get_device_name",
            "ibv_get_pkey_index",
            "ibv_is_fork_initialized",
            "ibv_qp_to_qp_ex",
            "ibv_query_qp_data_in_order",
            "rdma_ack_cm_event");

    /**
     * They return -1 and leave the cause in errno, though they are verbs, or are called by a handle that does not ask
     * for it.
     */
    private static final Set<String> MINUS_ONE_AND_ERRNO = Set.of(
            "epoll_pwait2",
            "ibv_get_async_event",
            "ibv_get_cq_event",
            "ibv_init_ah_from_wc",
            "ibv_resolve_eth_l2_from_gid");

    /** All functions of librdmacm that return anything do. */
    private static final String CONNECTION_MANAGER = "rdma_";

    private final String symbol;
    private final Class<?> result;
    private final boolean keepsErrno;
    private final boolean takesWords;
    private final MethodHandle real;

    /**
     * The function behind a handle of the library.
     *
     * @param symbol its name; null for a handle of function pointers
     * @param result what the handle returns
     * @param keepsErrno whether the handle captures errno
     * @param takesWords whether it is the one handle for functions of many shapes (ColdCalls): what one of them returns
     *     is in the bindings then
     * @param real the handle that calls
     */
    NativeFunction(String symbol, Class<?> result, boolean keepsErrno, boolean takesWords, MethodHandle real) {
        this.symbol = symbol;
        this.result = result;
        this.keepsErrno = keepsErrno;
        this.takesWords = takesWords;
        this.real = real;
    }

    /** Calls the function for the library's handle, or makes the call fail. */
    Object call(Object[] arguments) throws Throwable {
        String name = symbol != null ? symbol : Pointers.nameOf(((MemorySegment) arguments[0]).address());
        Object[] own = Arrays.copyOfRange(arguments, (symbol == null ? 1 : 0) + (keepsErrno ? 1 : 0), arguments.length);
        Injection injection = Injection.current();
        Class<?> returned = takesWords ? Pointers.resultOf(name) : result;
        Integer errno = isFallible(name, returned) ? injection.answer(name) : null;
        if (errno != null && !NativeObjects.endsEvenInFailure(name)) {
            if (name.equals("ibv_qp_ex.wr_complete")) {
                Pointers.abortPost((long) own[0]);
            }
            return failure(name, returned, errno, arguments);
        }
        String maker = NativeObjects.before(name, own);
        Object answer = real.invokeExact(arguments);
        NativeObjects.after(name, own, meaning(answer, returned), maker);
        return errno == null ? answer : failure(name, returned, errno, arguments);
    }

    /** Returns a function's result, without the bits of a register that the function has not set. */
    private Object meaning(Object answer, Class<?> returned) {
        if (!takesWords || returned == long.class) {
            return answer;
        }
        if (returned == MemorySegment.class) {
            return MemorySegment.ofAddress((long) answer);
        }
        return returned == void.class ? null : (Object) (int) (long) answer;
    }

    private boolean isFallible(String name, Class<?> returned) {
        boolean reader = name.startsWith("ibv_cq_ex.read") || INFALLIBLE.contains(name);
        return !reader && (leavesErrno(name, returned) || returned == int.class || returned == long.class);
    }

    /**
     * Whether a failure is reported in errno. All calls that pass words capture errno, and most functions return an
     * errno instead.
     */
    private boolean leavesErrno(String name, Class<?> returned) {
        return takesWords
                ? returned == MemorySegment.class
                        || MINUS_ONE_AND_ERRNO.contains(name)
                        || name.startsWith(CONNECTION_MANAGER) && returned != void.class
                : keepsErrno;
    }

    /** Whether a failure comes without an errno. */
    static boolean hidesTheCause(String name) {
        return MINUS_ONE.contains(name.substring(name.indexOf('.') + 1));
    }

    /** The answer of a call that is not made; with errno 0, of one that succeeds and has nothing. */
    private Object failure(String name, Class<?> returned, int errno, Object[] arguments) {
        boolean leavesErrno = leavesErrno(name, returned);
        if (leavesErrno) {
            ((MemorySegment) arguments[symbol == null ? 1 : 0]).set(ValueLayout.JAVA_INT, 0, errno);
        }
        if (returned == MemorySegment.class) {
            return takesWords ? (Object) 0L : MemorySegment.NULL;
        }
        int number = errno != 0 && (leavesErrno || hidesTheCause(name) || MINUS_ONE_AND_ERRNO.contains(name))
                ? -1
                : name.equals("_ibv_query_gid_table") ? -errno : errno;
        return result == long.class ? (Object) (long) number : (Object) number;
    }
}
