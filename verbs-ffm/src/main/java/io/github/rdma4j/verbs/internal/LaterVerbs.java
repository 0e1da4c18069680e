// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.UnsupportedVerbException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A function of libibverbs that is newer than the headers of the bindings: It is looked up in the installed library
 * when it is first needed. On an older library its use throws an {@link UnsupportedVerbException} that names the
 * version.
 */
public final class LaterVerbs {
    private final String name;
    private final int version;
    private final MethodHandle handle;
    /** NULL if the library has no such function. */
    private final MemorySegment address;

    /**
     * Creates a function.
     *
     * @param name as exported
     * @param version the rdma-core version that introduced it
     * @param descriptor its type
     */
    public LaterVerbs(String name, int version, FunctionDescriptor descriptor) {
        this.name = name;
        this.version = version;
        this.handle = NativeCalls.errnoHandle(descriptor);
        this.address = NativeLibraries.find(NativeLibraries.VERBS, name).orElse(MemorySegment.NULL);
    }

    /**
     * Returns whether the installed library has a function, which also reveals its version.
     *
     * @param name as exported
     * @return true if it has
     */
    public static boolean isExported(String name) {
        return NativeLibraries.find(NativeLibraries.VERBS, name).isPresent();
    }

    /** {@return whether the library has it} */
    public boolean isPresent() {
        return address.address() != 0;
    }

    /**
     * Returns the function.
     *
     * @return its address, which is the first argument of {@link #handle()}
     * @throws UnsupportedVerbException if the library has no such function
     */
    public MemorySegment address() {
        if (!isPresent()) {
            throw missing(name, version);
        }
        return address;
    }

    static UnsupportedVerbException missing(String name, int version) {
        return new UnsupportedVerbException(
                name,
                Errno.EOPNOTSUPP,
                "the installed libibverbs does not have it; it needs rdma-core %d or later".formatted(version));
    }

    /** {@return the handle to call it with: address, {@link NativeCalls#capture()}, arguments} */
    public MethodHandle handle() {
        return handle;
    }
}
