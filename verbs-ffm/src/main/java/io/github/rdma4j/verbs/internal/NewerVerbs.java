// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.UnsupportedVerbException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * Functions of libibverbs that the version which the bindings are made from does not have. They are looked up when they are
 * first called; where they are missing, the exception names the version of rdma-core that brought them.
 */
public final class NewerVerbs {
    private NewerVerbs() {}

    /**
     * A handle that does not capture errno.
     *
     * @param symbol the function's name
     * @param version of rdma-core that brought it
     * @param descriptor of the function
     * @return the handle
     * @throws UnsupportedVerbException if this libibverbs does not have it
     */
    public static MethodHandle handle(String symbol, int version, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(address(symbol, version), descriptor);
    }

    /**
     * A handle that captures errno, as {@link NativeCalls#errnoHandle(MemorySegment, FunctionDescriptor)} makes it.
     *
     * @param symbol the function's name
     * @param version of rdma-core that brought it
     * @param descriptor of the function
     * @return the handle
     * @throws UnsupportedVerbException if this libibverbs does not have it
     */
    public static MethodHandle errnoHandle(String symbol, int version, FunctionDescriptor descriptor) {
        return NativeCalls.errnoHandle(address(symbol, version), descriptor);
    }

    private static MemorySegment address(String symbol, int version) {
        return find(symbol)
                .orElseThrow(() -> new UnsupportedVerbException(
                        symbol,
                        Errno.EOPNOTSUPP,
                        "this machine's libibverbs does not have it; rdma-core %d brought it".formatted(version)));
    }

    /**
     * Whether the installed libibverbs has a function.
     *
     * @param symbol the function's name
     * @return its address if it has
     */
    public static Optional<MemorySegment> find(String symbol) {
        NativeLibraries.requireVerbs();
        return SymbolLookup.libraryLookup("libibverbs.so.1", Arena.global()).find(symbol);
    }
}
