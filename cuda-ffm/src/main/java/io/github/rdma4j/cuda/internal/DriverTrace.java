// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.base.TraceOutput;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Writes one line for each call of the CUDA driver, if the system property {@value #PROPERTY} enables it when this
 * class is loaded: {@code true} for stderr, or the path of a file, to which the lines are appended. {@link Driver}
 * wraps the handles if the trace is on. If it is off, calls do not check anything.
 */
final class DriverTrace {
    /** The system property that enables the trace. */
    static final String PROPERTY = "io.github.rdma4j.cuda.trace";

    /** Whether calls are traced. */
    static final boolean ON = isWanted(System.getProperty(PROPERTY));

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSS");
    private static final long NANOSECONDS = 1_000_000_000;
    /** Larger numbers are usually device addresses. */
    private static final long LEAST_ADDRESS = 1L << 32;

    private static final String ERROR = "CUDA_ERROR_";

    /** Null until the driver is open. */
    private static volatile ContextKeeper keeper;

    private final String name;
    private final MethodHandle real;
    private final FunctionDescriptor descriptor;
    private final TraceOutput output;

    private DriverTrace(String name, MethodHandle real, FunctionDescriptor descriptor, TraceOutput output) {
        this.name = name;
        this.real = real;
        this.descriptor = descriptor;
        this.output = output;
    }

    /** Loaded only if the trace is on. */
    private static final class Current {
        static final TraceOutput OUTPUT = TraceOutput.open(PROPERTY, System.getProperty(PROPERTY));
    }

    /** Loaded with the first traced handle. */
    private static final class Handles {
        static final MethodHandle CALL = find();

        private static MethodHandle find() {
            try {
                return MethodHandles.lookup()
                        .findVirtual(DriverTrace.class, "call", MethodType.methodType(Object.class, Object[].class));
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }

    /** The names of the results. They are not queried from the driver, because the call would itself be traced. */
    private static final class Names {
        static final Map<Integer, String> ERRORS = read();

        private static Map<Integer, String> read() {
            Map<Integer, String> errors = new HashMap<>();
            try {
                for (Method constant : CudaHeaders.class.getMethods()) {
                    if (constant.getName().startsWith(ERROR)) {
                        errors.put((Integer) constant.invoke(null), constant.getName());
                    }
                }
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
            return errors;
        }
    }

    static boolean isWanted(String value) {
        return value != null && !value.isEmpty() && !value.equals("false");
    }

    /**
     * Returns a handle that prints its calls.
     *
     * @param name of the function
     * @param real its handle
     * @param descriptor the descriptor from jextract, which distinguishes pointers from numbers
     * @return a handle of the same type
     */
    static MethodHandle traced(String name, MethodHandle real, FunctionDescriptor descriptor) {
        return traced(name, real, descriptor, Current.OUTPUT);
    }

    static MethodHandle traced(String name, MethodHandle real, FunctionDescriptor descriptor, TraceOutput output) {
        MethodType type = real.type();
        MethodHandle spread = real.asType(type.generic()).asSpreader(Object[].class, type.parameterCount());
        return Handles.CALL
                .bindTo(new DriverTrace(name, spread, descriptor, output))
                .asCollector(Object[].class, type.parameterCount())
                .asType(type);
    }

    private Object call(Object[] arguments) throws Throwable {
        StringJoiner texts = new StringJoiner(", ");
        for (int i = 0; i < arguments.length; i++) {
            texts.add(argument(arguments[i], descriptor.argumentLayouts().get(i) instanceof AddressLayout));
        }
        LocalTime start = LocalTime.now();
        long from = System.nanoTime();
        Object result = real.invokeExact(arguments);
        long duration = System.nanoTime() - from;
        ContextKeeper ofVirtual = Thread.currentThread().isVirtual() ? keeper : null;
        MemorySegment context = ofVirtual == null ? null : ofVirtual.current();
        output.write("%s [%s] %s(%s) = %s <%d.%09d>%n"
                .formatted(
                        TIME.format(start),
                        threadName(Thread.currentThread()),
                        name,
                        texts,
                        result((Integer) result),
                        duration / NANOSECONDS,
                        duration % NANOSECONDS));
        if (context != null) {
            ofVirtual.makeCurrent(context);
        }
        return result;
    }

    /**
     * Writing a line may block, and a virtual thread may continue on another carrier with another current context. The
     * next call must find its own context.
     */
    private record ContextKeeper(MethodHandle get, MethodHandle set) {
        /** Returns null if the driver does not report it. */
        MemorySegment current() throws Throwable {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment context = arena.allocate(ValueLayout.ADDRESS);
                return (int) get.invokeExact(context) == 0 ? context.get(ValueLayout.ADDRESS, 0) : null;
            }
        }

        /** Ignores an error about a lost context, because the next call also reports it. */
        void makeCurrent(MemorySegment context) throws Throwable {
            int ignored = (int) set.invokeExact(context);
        }
    }

    /**
     * Preserves the current context of virtual threads when a line is written.
     *
     * @param get cuCtxGetCurrent, not traced
     * @param set cuCtxSetCurrent, not traced
     */
    static void keepContext(MethodHandle get, MethodHandle set) {
        keeper = new ContextKeeper(get, set);
    }

    /**
     * Virtual threads have no name by default. Control characters in a name are replaced, so that a call stays on one
     * line.
     */
    private static String threadName(Thread thread) {
        String threadName = thread.getName().replaceAll("\\p{Cntrl}", " ");
        return threadName.isEmpty() ? "#" + thread.threadId() : threadName;
    }

    private static String argument(Object value, boolean isPointer) {
        long word = value instanceof MemorySegment segment ? segment.address() : ((Number) value).longValue();
        if (isPointer && word == 0) {
            return "NULL";
        }
        boolean isAddress = isPointer || value instanceof Long && (word >= LEAST_ADDRESS || word < 0);
        return isAddress ? "0x" + Long.toHexString(word) : Long.toString(word);
    }

    private static String result(int code) {
        return code == 0 ? "0" : code + " " + Names.ERRORS.getOrDefault(code, "CUresult");
    }
}
