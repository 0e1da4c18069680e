// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * What a test asks of the kernel that seems to have an mlx5 adapter ({@code src/test/c/mlx5-kernel}); in a JVM that was
 * started on it.
 */
public final class Mlx5StandIn {
    /** The device that is there. */
    public static final String DEVICE = "mlx5_0";

    private static final SymbolLookup LIBRARY =
            SymbolLookup.libraryLookup(Path.of(System.getenv("LD_PRELOAD")), Arena.global());
    private static final MethodHandle OBJECTS = Linker.nativeLinker()
            .downcallHandle(LIBRARY.findOrThrow("standin_objects"), FunctionDescriptor.of(JAVA_INT));

    private static final MethodHandle SET = Linker.nativeLinker()
            .downcallHandle(LIBRARY.findOrThrow("standin_set"), FunctionDescriptor.ofVoid(ADDRESS, ADDRESS));

    private Mlx5StandIn() {}

    /** {@return how many objects the kernel has} */
    public static int objects() {
        try {
            return (int) OBJECTS.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Gives one of the stand-in's settings another value.
     *
     * @param name of the environment variable, behind {@code RDMA4J_MLX5_}
     * @param value a number
     */
    public static void set(String name, int value) {
        try (Arena arena = Arena.ofConfined()) {
            SET.invokeExact(arena.allocateFrom("RDMA4J_MLX5_" + name), arena.allocateFrom(Integer.toString(value)));
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
