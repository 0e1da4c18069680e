// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * Environment variables of this process as native libraries see them. Java reads them once at its start and cannot
 * change them; a library such as NCCL reads them on first use. Another thread that reads variables at the same moment
 * may see either value, so set them before such a library is loaded.
 */
public final class NativeVariables {
    private static final Linker LINKER = Linker.nativeLinker();

    private static final MethodHandle SET = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("setenv"),
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));

    private static final MethodHandle GET = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("getenv"),
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS));

    private static final MethodHandle REMOVE = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("unsetenv"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

    private NativeVariables() {}

    /** The value; empty if there is no such variable. */
    public static Optional<String> get(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = (MemorySegment) GET.invokeExact(arena.allocateFrom(name));
            return value.address() == 0
                    ? Optional.empty()
                    : Optional.of(value.reinterpret(Long.MAX_VALUE).getString(0));
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Sets a variable, and replaces its value if it has one. */
    public static void set(String name, String value) {
        int result;
        try (Arena arena = Arena.ofConfined()) {
            result = (int) SET.invokeExact(arena.allocateFrom(name), arena.allocateFrom(value), 1);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
        if (result != 0) {
            throw new IllegalArgumentException("no variable can be called '" + name + "'");
        }
    }

    /** Removes a variable, if there is one. */
    public static void remove(String name) {
        try (Arena arena = Arena.ofConfined()) {
            int _ = (int) REMOVE.invokeExact(arena.allocateFrom(name));
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }
}
