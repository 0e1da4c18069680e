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
    /** They return -1, where most verbs return the errno: nothing says why. */
    private static final Set<String> MINUS_ONE =
            Set.of("ibv_query_gid", "ibv_query_pkey", "ibv_close_device", "poll_cq");

    /** What cannot fail, and what cannot be told from a failure. */
    private static final Set<String> INFALLIBLE = Set.of(
            "ibv_get_device_guid",
            "ibv_get_device_index",
            "ibv_get_pkey_index",
            "ibv_is_fork_initialized",
            "ibv_query_qp_data_in_order",
            "rdma_ack_cm_event");

    private final String symbol;
    private final Class<?> result;
    private final boolean keepsErrno;
    private final MethodHandle real;

    NativeFunction(String symbol, Class<?> result, boolean keepsErrno, MethodHandle real) {
        this.symbol = symbol;
        this.result = result;
        this.keepsErrno = keepsErrno;
        this.real = real;
    }

    /** What the handle that the library has does. */
    Object call(Object[] arguments) throws Throwable {
        String name = symbol != null ? symbol : Pointers.nameOf(((MemorySegment) arguments[0]).address());
        Object[] own = Arrays.copyOfRange(arguments, (symbol == null ? 1 : 0) + (keepsErrno ? 1 : 0), arguments.length);
        Injection injection = Injection.current();
        Integer errno = isFallible(name) ? injection.answer(name) : null;
        if (errno != null && !NativeObjects.endsEvenInFailure(name)) {
            return failure(name, errno, arguments);
        }
        String maker = NativeObjects.before(name, own);
        Object answer = real.invokeExact(arguments);
        NativeObjects.after(name, own, answer, maker);
        return errno == null ? answer : failure(name, errno, arguments);
    }

    private boolean isFallible(String name) {
        boolean reader = name.startsWith("ibv_cq_ex.read") || INFALLIBLE.contains(name);
        return !reader && (keepsErrno || result == int.class || result == long.class);
    }

    /** Whether a failure comes without an errno. */
    static boolean hidesTheCause(String name) {
        return MINUS_ONE.contains(name.substring(name.indexOf('.') + 1));
    }

    /** The answer of a call that is not made; with errno 0, of one that succeeds and has nothing. */
    private Object failure(String name, int errno, Object[] arguments) {
        if (keepsErrno) {
            ((MemorySegment) arguments[symbol == null ? 1 : 0]).set(ValueLayout.JAVA_INT, 0, errno);
        }
        if (result == MemorySegment.class) {
            return MemorySegment.NULL;
        }
        int number = errno != 0 && (keepsErrno || hidesTheCause(name))
                ? -1
                : name.equals("_ibv_query_gid_table") ? -errno : errno;
        return result == long.class ? (Object) (long) number : (Object) number;
    }
}
