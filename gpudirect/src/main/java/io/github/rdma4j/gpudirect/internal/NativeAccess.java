// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.internal;

import io.github.rdma4j.base.DynamicLoader;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/** Native libraries, and whether the JVM lets this module call their functions. */
public final class NativeAccess {
    private static final String JVM =
            "the JVM with --enable-native-access=io.github.rdma4j.cuda,io.github.rdma4j.gpudirect"
                    + " (on the class path: ALL-UNNAMED)";
    public static final String REMEDY = "start " + JVM;

    private NativeAccess() {}

    /**
     * Opens a library.
     *
     * @param file a SONAME, or a path with a slash in it
     * @return its symbols
     * @throws IllegalCallerException if native access is denied
     * @throws IllegalArgumentException if the library cannot be opened; the message is the dynamic loader's
     */
    public static SymbolLookup open(String file) {
        try {
            return file.contains("/")
                    ? SymbolLookup.libraryLookup(Path.of(file), Arena.global())
                    : SymbolLookup.libraryLookup(file, Arena.global());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(DynamicLoader.message(Linker.nativeLinker()::downcallHandle, file), e);
        }
    }

    /**
     * Returns if native access is permitted. Call this before the first use of a class with static handles, whose
     * initializer would end in an error without a remedy.
     *
     * @throws IllegalCallerException if it is denied; the message contains the remedy
     */
    public static void require() {
        try {
            // The descriptor of close(2), which is linked next.
            Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        } catch (IllegalCallerException e) {
            throw new IllegalCallerException(e.getMessage() + ". Start " + JVM, e);
        }
    }
}
