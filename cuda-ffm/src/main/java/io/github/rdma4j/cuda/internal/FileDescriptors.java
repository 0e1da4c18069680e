// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** The two functions of libc that a dma-buf needs. */
public final class FileDescriptors {
    private static final MethodHandle CLOSE = function("close");
    private static final MethodHandle GETPAGESIZE = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("getpagesize"), FunctionDescriptor.of(JAVA_INT));

    private FileDescriptors() {}

    private static MethodHandle function(String name) {
        return Linker.nativeLinker()
                .downcallHandle(
                        Linker.nativeLinker().defaultLookup().findOrThrow(name),
                        FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    }

    /**
     * Calls close(2). Ignores a failure, because the descriptor is closed in any case.
     *
     * @param descriptor an open file descriptor
     */
    public static void close(int descriptor) {
        try {
            int ignored = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** {@return the size of a page of the host in bytes} */
    public static long pageSize() {
        try {
            return (int) GETPAGESIZE.invokeExact();
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
