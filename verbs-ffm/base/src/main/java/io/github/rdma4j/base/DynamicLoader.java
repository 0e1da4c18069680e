// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.base;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.function.BiFunction;

/** The dynamic loader (dlopen(3)), whose messages the JDK hides. */
public final class DynamicLoader {
    private static final int RTLD_NOW = 2;
    private static final int LONGEST_MESSAGE = 4095;

    private DynamicLoader() {}

    /**
     * Returns why a library cannot be opened, by trying once more: only this message distinguishes a missing file from
     * a missing dependency.
     *
     * @param linker {@link Linker#downcallHandle} of the calling module, which has native access; this module has none
     * @param file a SONAME, or a path with a slash in it
     * @return the message, such as {@code libx.so.1: cannot open shared object file: No such file or directory}
     */
    public static String message(BiFunction<MemorySegment, FunctionDescriptor, MethodHandle> linker, String file) {
        // All handles first: looking up a symbol also calls the dynamic loader, which would clear its error.
        MethodHandle dlopen = handle(linker, "dlopen", ADDRESS, ADDRESS, JAVA_INT);
        MethodHandle dlerror = handle(linker, "dlerror", ADDRESS);
        MethodHandle strncpy = handle(linker, "strncpy", ADDRESS, ADDRESS, ADDRESS, JAVA_LONG);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment library = (MemorySegment) dlopen.invokeExact(arena.allocateFrom(file), RTLD_NOW);
            MemorySegment message = (MemorySegment) dlerror.invokeExact();
            if (library.address() != 0 || message.address() == 0) {
                return file + " cannot be opened";
            }
            MemorySegment copy = arena.allocate(LONGEST_MESSAGE + 1);
            MemorySegment copied = (MemorySegment) strncpy.invokeExact(copy, message, (long) LONGEST_MESSAGE);
            return copy.getString(0);
        } catch (Throwable e) {
            return file + " cannot be opened (" + e + ")";
        }
    }

    private static MethodHandle handle(
            BiFunction<MemorySegment, FunctionDescriptor, MethodHandle> linker,
            String function,
            MemoryLayout result,
            MemoryLayout... arguments) {
        return linker.apply(
                Linker.nativeLinker().defaultLookup().findOrThrow(function), FunctionDescriptor.of(result, arguments));
    }
}
