// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The verb of shared receive queues that leaves the cause of its failure in errno. */
public final class SharedReceiveCalls {
    private static final MethodHandle CREATE_SRQ =
            NativeCalls.errnoHandle(LibIbVerbs.ibv_create_srq$address(), LibIbVerbs.ibv_create_srq$descriptor());

    private SharedReceiveCalls() {}

    /**
     * ibv_create_srq(3).
     *
     * @param domain the protection domain
     * @param attributes a {@code struct ibv_srq_init_attr}; what is in it is updated to what was given
     * @return the shared receive queue, or NULL
     */
    public static MemorySegment create(MemorySegment domain, MemorySegment attributes) {
        try {
            return (MemorySegment) CREATE_SRQ.invokeExact(NativeCalls.capture(), domain, attributes);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }
}
