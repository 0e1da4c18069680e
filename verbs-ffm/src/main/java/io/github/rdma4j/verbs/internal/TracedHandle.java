// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.base.TraceOutput;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;

/** Replaces a handle while the trace is on: calls it, and writes a line about the call. */
final class TracedHandle {
    /** The handle of {@link #call}, whose arguments must be collected. */
    private static final MethodHandle CALL = find();

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSS");
    private static final long NANOSECONDS = 1_000_000_000;

    private final MethodHandle real;
    private final boolean returns;
    private final boolean keepsErrno;
    private final TraceNames names;
    private final TraceOutput output;

    private TracedHandle(MethodHandle real, boolean returns, boolean keepsErrno, TraceNames names, TraceOutput output) {
        this.real = real;
        this.returns = returns;
        this.keepsErrno = keepsErrno;
        this.names = names;
        this.output = output;
    }

    private static MethodHandle find() {
        try {
            return MethodHandles.lookup()
                    .findVirtual(TracedHandle.class, "call", MethodType.methodType(Object.class, Object[].class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Wraps a handle so that it prints its calls.
     *
     * @param real a handle whose first argument is the function's address
     * @param keepsErrno whether its second argument receives errno
     * @param names the names of functions
     * @param output the output of the lines
     * @return a handle of the same type
     */
    static MethodHandle of(MethodHandle real, boolean keepsErrno, TraceNames names, TraceOutput output) {
        MethodType type = real.type();
        MethodHandle spread = real.asType(type.generic()).asSpreader(Object[].class, type.parameterCount());
        TracedHandle traced = new TracedHandle(spread, type.returnType() != void.class, keepsErrno, names, output);
        return CALL.bindTo(traced)
                .asCollector(Object[].class, type.parameterCount())
                .asType(type);
    }

    private Object call(Object[] arguments) throws Throwable {
        TracedFunction function = names.at(word(arguments[0]));
        TraceArguments values = new TraceArguments(function, arguments, keepsErrno ? 2 : 1);
        // Before the call, because the structures that it is passed may be gone afterwards.
        if (!function.isPoll()) {
            values.readBefore();
        }
        LocalTime start = LocalTime.now();
        long from = System.nanoTime();
        Object result = real.invokeExact(arguments);
        long duration = System.nanoTime() - from;
        if (function.isPoll() && function.isEmptyPoll(result) && !output.printsEmptyPolls()) {
            return result;
        }
        int errno = keepsErrno ? ((MemorySegment) arguments[1]).get(ValueLayout.JAVA_INT, 0) : 0;
        Long word = returns ? (Long) word(result) : null;
        if (word != null && word != 0) {
            names.learnFrom(function.name(), word, values.word(0));
        }
        if (function.isPoll()) {
            values.readBefore();
        }
        values.readAfter(word == null ? 0 : word);
        String returned = function.result(word, result instanceof MemorySegment, errno);
        output.write("%s [%s] %s(%s)%s <%d.%09d>%n"
                .formatted(
                        TIME.format(start),
                        threadName(Thread.currentThread()),
                        function.name(),
                        values,
                        returned.isEmpty() ? "" : " = " + returned,
                        duration / NANOSECONDS,
                        duration % NANOSECONDS));
        return result;
    }

    /**
     * Virtual threads have no name by default. A name may contain any characters, but a trace entry is a single line.
     */
    private static String threadName(Thread thread) {
        String name = thread.getName().replaceAll("\\p{Cntrl}", " ");
        return name.isEmpty() ? "#" + thread.threadId() : name;
    }

    /** Returns an argument or a result as a register holds it. */
    static long word(Object value) {
        return value instanceof MemorySegment segment ? segment.address() : ((Number) value).longValue();
    }
}
