// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** The two things of libc that a dma-buf needs. */
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
     * close(2). Its failure is of no use to anybody: the descriptor is gone in any case.
     *
     * @param descriptor an open one
     */
    public static void close(int descriptor) {
        try {
            int ignored = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** {@return the bytes of a page of the host} */
    public static long pageSize() {
        try {
            return (int) GETPAGESIZE.invokeExact();
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
