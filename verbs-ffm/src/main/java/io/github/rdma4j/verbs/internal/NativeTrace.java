// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.base.TraceOutput;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Writes a line for each call of libibverbs and librdmacm, like strace(1), if the system property {@value #PROPERTY} is
 * set when this class is loaded: {@code true} for stderr, or the path of a file; {@code all} also includes polls that
 * found nothing.
 *
 * <p>The lines go to stderr or a file, not to a logger. So a user who debugs a connection on a cluster only sets one
 * property, without a logging configuration, and no line is left in a buffer when the process crashes.
 *
 * <p>{@link NativeCalls} makes all handles of functions of these libraries. It wraps them if the trace is on, and
 * returns them unchanged if it is off. So the trace costs nothing then: no call checks the switch.
 */
public final class NativeTrace {
    /** The system property that turns the trace on. */
    public static final String PROPERTY = "io.github.rdma4j.verbs.trace";

    /** Whether calls are traced. */
    public static final boolean ON = isWanted(System.getProperty(PROPERTY));

    private NativeTrace() {}

    static boolean isWanted(String value) {
        return value != null && !value.isEmpty() && !value.equals("false");
    }

    /** Loaded only if the trace is on. */
    private static final class Current {
        static final TraceNames NAMES = new TraceNames();
        static final TraceOutput OUTPUT = TraceOutput.open(PROPERTY, System.getProperty(PROPERTY));
    }

    /**
     * Wraps a handle so that it prints its calls.
     *
     * @param real a handle whose first argument is the function's address
     * @param keepsErrno whether its second argument receives errno
     * @return a handle of the same type
     */
    static MethodHandle traced(MethodHandle real, boolean keepsErrno) {
        return TracedHandle.of(real, keepsErrno, Current.NAMES, Current.OUTPUT);
    }

    /** Records the name of an exported function, for the lines. */
    static void learnSymbol(String symbol, MemorySegment address) {
        Current.NAMES.learnSymbol(symbol, address.address());
    }
}
