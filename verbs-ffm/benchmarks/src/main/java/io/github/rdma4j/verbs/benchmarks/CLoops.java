// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** The functions of c-loops.c: one call runs a whole loop, so that C is measured by the same clock in the same run. */
final class CLoops {
    /** The system property that names the folder into which scripts/lib/benchmark-libraries compiled. */
    static final String FOLDER = "rdma4j.benchmarks.native";

    private static final SymbolLookup LIBRARY = SymbolLookup.libraryLookup(library(), Arena.global());
    private static final FunctionDescriptor LOOP = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle PREPARE = Linker.nativeLinker()
            .downcallHandle(LIBRARY.findOrThrow("c_prepare"), FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));

    private CLoops() {}

    static Path library() {
        return Path.of(System.getProperty(FOLDER), "librdma4j-bench.so");
    }

    /**
     * A loop.
     *
     * @param name of the function
     * @return a handle of type {@code (long object, long argument, long rounds) long}
     */
    static MethodHandle loop(String name) {
        return Linker.nativeLinker().downcallHandle(LIBRARY.findOrThrow(name), LOOP);
    }

    /** Has each poll of a queue of the null provider find so many completions from now on. */
    static void prepare(long completionQueue, int completions) {
        try {
            PREPARE.invokeExact(completionQueue, completions);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
