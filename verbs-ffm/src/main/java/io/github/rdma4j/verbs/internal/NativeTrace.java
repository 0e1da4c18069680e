// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * One line for each call of libibverbs and librdmacm, in the manner of strace(1), if the system property
 * {@value #PROPERTY} asks for it when this class is loaded: {@code true} for stderr, the path of a file, {@code all}
 * for polls that found nothing, too.
 *
 * <p>The lines go to stderr or a file and not to a logger: who asks why a connection is refused on a machine of a
 * cluster has one property to set, and no logging configuration; and no line may wait in a buffer when the
 * process crashes.
 *
 * <p>{@link NativeCalls} makes all handles of functions of these libraries. It wraps them if the trace is on, and
 * returns them as they are if it is off, so that the trace costs nothing then: no call looks at the switch.
 */
public final class NativeTrace {
    /** The system property that asks for the trace. */
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
     * A handle that prints what it calls.
     *
     * @param real a handle whose first argument is the function's address
     * @param keepsErrno whether its second argument is where errno goes
     * @return a handle of the same type
     */
    static MethodHandle traced(MethodHandle real, boolean keepsErrno) {
        return TracedHandle.of(real, keepsErrno, Current.NAMES, Current.OUTPUT);
    }

    /** Gives an exported function its name in the lines. */
    static void learnSymbol(String symbol, MemorySegment address) {
        Current.NAMES.learnSymbol(symbol, address.address());
    }
}
