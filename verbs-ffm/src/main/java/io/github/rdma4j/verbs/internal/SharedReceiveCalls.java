// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.MemorySegment;

/** The verb of shared receive queues that reports the cause of a failure in errno. */
public final class SharedReceiveCalls {
    private SharedReceiveCalls() {}

    /**
     * ibv_create_srq(3).
     *
     * @param domain the protection domain
     * @param attributes a {@code struct ibv_srq_init_attr}; its values are updated to the granted values
     * @return the shared receive queue, or NULL
     */
    public static MemorySegment create(MemorySegment domain, MemorySegment attributes) {
        return ExportedVerb.CREATE_SRQ.pointer(domain, attributes);
    }
}
