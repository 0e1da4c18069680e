// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.bindings.verbs_context;
import java.lang.foreign.MemorySegment;

/** The inline verbs that create queue pairs, through {@code struct verbs_context}. */
public final class QueuePairCalls {
    private QueuePairCalls() {}

    /**
     * ibv_create_qp_ex(3), except the case of ibv_create_qp, which the caller handles.
     *
     * @param context the device's context
     * @param attributes a {@code struct ibv_qp_init_attr_ex}
     * @return the queue pair, or NULL
     * @throws UnsupportedVerbException if the device's library has no such function
     */
    public static MemorySegment createQpEx(MemorySegment context, MemorySegment attributes) {
        return call("ibv_create_qp_ex", verbs_context.create_qp_ex$offset(), context, attributes);
    }

    /**
     * ibv_open_qp(3).
     *
     * @param context the device's context
     * @param attributes a {@code struct ibv_qp_open_attr}
     * @return the queue pair, or NULL
     * @throws UnsupportedVerbException if the device's library has no such function
     */
    public static MemorySegment openQp(MemorySegment context, MemorySegment attributes) {
        return call("ibv_open_qp", verbs_context.open_qp$offset(), context, attributes);
    }

    private static MemorySegment call(String verb, long offset, MemorySegment context, MemorySegment attributes) {
        MemorySegment entry = NativeCalls.extendedEntry(context, offset);
        if (entry.address() == 0) {
            throw new UnsupportedVerbException(
                    verb, Errno.EOPNOTSUPP, "the device's library does not have this function");
        }
        return ColdCalls.pointer(entry, context, attributes);
    }
}
