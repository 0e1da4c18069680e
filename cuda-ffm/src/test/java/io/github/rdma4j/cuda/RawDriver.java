// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationTargetException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The stand-in's functions by their symbols, without anything of cuda-ffm but the generated signatures. */
final class RawDriver implements AutoCloseable {
    private static final SymbolLookup SYMBOLS = SymbolLookup.libraryLookup(StandInDriver.library(), Arena.global());
    private static final Map<String, MethodHandle> HANDLES = new ConcurrentHashMap<>();

    private final Arena arena = Arena.ofShared();
    private final MemorySegment out = arena.allocate(64, 8);

    /**
     * Calls the function whose signature is a PFN class, such as {@code cuMemAlloc_v3020}; returns the result's number.
     */
    int call(String function, Object... arguments) {
        try {
            return (int) HANDLES.computeIfAbsent(function, RawDriver::handle)
                    .invokeWithArguments(converted(function, arguments));
        } catch (Throwable e) {
            throw new AssertionError(function, e);
        }
    }

    /** The same, for a call that must succeed. */
    void ok(String function, Object... arguments) {
        int result = call(function, arguments);
        if (result != 0) {
            throw new AssertionError(function + " returned " + result);
        }
    }

    /** Where a call may put what it returns: 64 bytes. */
    MemorySegment out() {
        return out;
    }

    /** Returns the long that a successful call wrote to {@link #out}. */
    long made(String function, Object... arguments) {
        out.fill((byte) 0);
        Object[] all = new Object[arguments.length + 1];
        all[0] = out;
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        ok(function, all);
        return out.get(JAVA_LONG, 0);
    }

    int intOut() {
        return out.get(JAVA_INT, 0);
    }

    float floatOut() {
        return out.get(JAVA_FLOAT, 0);
    }

    /** Host memory that is not registered with the driver. */
    MemorySegment pageable(long size) {
        return arena.allocate(size, 64);
    }

    /** Pinned host memory of the driver's own. */
    MemorySegment pinned(long size) {
        return MemorySegment.ofAddress(made("cuMemHostAlloc_v2020", size, 0)).reinterpret(size);
    }

    private static MethodHandle handle(String function) {
        MemorySegment address = SYMBOLS.findOrThrow(StandInAbiTest.symbols().get(function));
        return Linker.nativeLinker().downcallHandle(address, descriptor(function));
    }

    private static FunctionDescriptor descriptor(String function) {
        if (function.equals("cuGetProcAddress_v12000")) {
            return FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT, JAVA_LONG, ADDRESS);
        }
        try {
            return (FunctionDescriptor) Class.forName("io.github.rdma4j.cuda.bindings.PFN_" + function)
                    .getMethod("descriptor")
                    .invoke(null);
        } catch (ClassNotFoundException
                | NoSuchMethodException
                | IllegalAccessException
                | InvocationTargetException e) {
            throw new AssertionError(e);
        }
    }

    /** Numbers as wide as the function wants them: an int literal is good for a size, a long for a handle. */
    private static Object[] converted(String function, Object[] arguments) {
        Object[] result = arguments.clone();
        FunctionDescriptor descriptor = descriptor(function);
        for (int i = 0; i < result.length; i++) {
            MemoryLayout wanted = descriptor.argumentLayouts().get(i);
            if (result[i] instanceof Number number) {
                if (wanted instanceof AddressLayout) {
                    result[i] = MemorySegment.ofAddress(number.longValue());
                } else if (wanted.byteSize() == 8) {
                    result[i] = number.longValue();
                } else if (wanted.byteSize() == 4) {
                    result[i] = number.intValue();
                } else {
                    result[i] = number.byteValue();
                }
            } else if (result[i] instanceof MemorySegment segment
                    && !(wanted instanceof AddressLayout)
                    && wanted.byteSize() == 8) {
                result[i] = segment.address();
            }
        }
        return result;
    }

    @Override
    public void close() {
        arena.close();
    }
}
