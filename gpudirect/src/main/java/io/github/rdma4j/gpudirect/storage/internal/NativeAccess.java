// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage.internal;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;

/** Checks whether the JVM lets this module call native functions. */
public final class NativeAccess {
    private static final String JVM =
            "the JVM with --enable-native-access=io.github.rdma4j.cuda,io.github.rdma4j.gpudirect"
                    + " (on the class path: ALL-UNNAMED)";
    static final String REMEDY = "start " + JVM;

    private NativeAccess() {}

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
