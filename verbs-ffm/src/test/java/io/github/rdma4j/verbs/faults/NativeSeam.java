// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Replaces the linker for a library that {@link FaultyLoader} has loaded. Its handles call the real functions and
 * record the calls.
 */
public final class NativeSeam {
    private static final Map<Long, String> SYMBOLS = new ConcurrentHashMap<>();
    /**
     * The type of the handle of the library's ColdCalls, and of no other handle: a function pointer, a buffer for
     * errno, and six words.
     */
    private static final MethodType ANY_SHAPE =
            MethodType.methodType(long.class, Collections.nCopies(8, MemorySegment.class));

    private static final MethodHandle CALL;

    static {
        try {
            CALL = MethodHandles.lookup()
                    .findVirtual(NativeFunction.class, "call", MethodType.methodType(Object.class, Object[].class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private NativeSeam() {}

    /** Replaces {@link SymbolLookup#find}. */
    public static Optional<MemorySegment> find(SymbolLookup lookup, String name) {
        Optional<MemorySegment> found = lookup.find(name);
        found.ifPresent(address -> SYMBOLS.put(address.address(), name));
        return found;
    }

    /** Replaces {@link SymbolLookup#findOrThrow}. */
    public static MemorySegment findOrThrow(SymbolLookup lookup, String name) {
        MemorySegment found = lookup.findOrThrow(name);
        SYMBOLS.put(found.address(), name);
        return found;
    }

    /** Replaces {@link Linker#downcallHandle(MemorySegment, FunctionDescriptor, Linker.Option...)}. */
    public static MethodHandle downcallHandle(
            Linker linker, MemorySegment address, FunctionDescriptor descriptor, Linker.Option... options) {
        MethodHandle real = linker.downcallHandle(address, descriptor, options);
        String name = SYMBOLS.get(address.address());
        if (name == null) {
            throw new AssertionError("a handle of a function that was not looked up");
        }
        return wrap(real, name, options);
    }

    /** Replaces {@link Linker#downcallHandle(FunctionDescriptor, Linker.Option...)}, which calls a function pointer. */
    public static MethodHandle downcallHandle(Linker linker, FunctionDescriptor descriptor, Linker.Option... options) {
        return wrap(linker.downcallHandle(descriptor, options), null, options);
    }

    /** The name of an exported function that was looked up; null for another address. */
    static String symbolAt(long address) {
        return SYMBOLS.get(address);
    }

    private static MethodHandle wrap(MethodHandle real, String name, Linker.Option... options) {
        boolean keepsErrno = false;
        for (Linker.Option option : options) {
            // The options have no other face: each is a record that names itself.
            keepsErrno |= option.toString().startsWith("CaptureCallState");
        }
        MethodType type = real.type();
        boolean takesWords = name == null && type.equals(ANY_SHAPE);
        if (type.returnType() == void.class && (name == null || !NativeObjects.ends(name))) {
            // It cannot fail, and makes and ends nothing.
            return real;
        }
        NativeFunction function = new NativeFunction(
                name,
                type.returnType(),
                keepsErrno,
                takesWords,
                real.asType(type.generic()).asSpreader(Object[].class, type.parameterCount()));
        return CALL.bindTo(function)
                .asCollector(Object[].class, type.parameterCount())
                .asType(type);
    }
}
