// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gpu;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * libmlx5 has adapters put small messages into the completion, from where the processor copies them to where they
 * belong: a GPU's memory it does not reach. The library's own environment variable switches that off; it is read when a
 * queue pair is made.
 */
final class ScatterToCompletions {
    private static final String VARIABLE = "MLX5_SCATTER_TO_CQE";

    private ScatterToCompletions() {}

    /** Switches it off, for all queue pairs that this process makes from now on: setenv(3). */
    static void switchOff() {
        Linker linker = Linker.nativeLinker();
        MethodHandle setenv = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("setenv"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(VARIABLE);
            int result = (int) setenv.invokeExact(name, arena.allocateFrom("0"), 1);
            if (result != 0) {
                throw new AssertionError("setenv failed");
            }
        } catch (Throwable failure) {
            throw new AssertionError(failure);
        }
    }
}
