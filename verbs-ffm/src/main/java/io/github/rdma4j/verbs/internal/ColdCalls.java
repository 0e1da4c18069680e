// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Calls functions that are rarely used, all through one method handle. Linking a handle for another signature takes the
 * JVM some 3 ms, and a program's first operation needs twenty functions with a dozen signatures.
 *
 * <p>The single signature has as many words as there are registers for integers and pointers, and captures errno. It
 * works for every function with at most that many arguments, all integers or pointers: the calling conventions of
 * x86-64 (six registers) and aarch64 (eight) put each argument into the next register, an {@code int} into its lower
 * half, where the function reads it, and no function reads the registers after its last argument. The result is in one
 * register, an {@code int} in its lower half.
 *
 * <p>The words are segments, so that the memory behind them lives until the call has returned.
 */
public final class ColdCalls {
    /** The number of registers for arguments. */
    static final int WORDS = 6;

    private static final MethodHandle CALL = NativeCalls.errnoHandle(
            FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

    private ColdCalls() {}

    /**
     * Converts a number to an argument.
     *
     * @param number any integer; an unsigned one must not be sign-extended
     * @return the word
     */
    public static MemorySegment word(long number) {
        return MemorySegment.ofAddress(number);
    }

    /**
     * Calls a function that returns a pointer.
     *
     * @param function a function pointer
     * @param arguments at most six
     * @return the target of the pointer, of unknown size
     */
    public static MemorySegment pointer(MemorySegment function, MemorySegment... arguments) {
        return MemorySegment.ofAddress(call(function, arguments)).reinterpret(Long.MAX_VALUE);
    }

    /**
     * Calls a function that returns an {@code int} or nothing.
     *
     * @param function a function pointer
     * @param arguments at most six
     * @return its result
     */
    public static int number(MemorySegment function, MemorySegment... arguments) {
        return (int) call(function, arguments);
    }

    /**
     * Calls a function that returns 64 bits or nothing.
     *
     * @param function a function pointer
     * @param arguments at most six
     * @return its result
     */
    static long call(MemorySegment function, MemorySegment... arguments) {
        if (arguments.length > WORDS) {
            throw new IllegalArgumentException(arguments.length + " arguments: there are six registers");
        }
        try {
            return (long) CALL.invokeExact(
                    function,
                    NativeCalls.capture(),
                    argument(arguments, 0),
                    argument(arguments, 1),
                    argument(arguments, 2),
                    argument(arguments, 3),
                    argument(arguments, 4),
                    argument(arguments, 5));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    private static MemorySegment argument(MemorySegment[] arguments, int index) {
        return index < arguments.length ? arguments[index] : MemorySegment.NULL;
    }
}
