// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.bindings.ibv_recv_wr;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One native {@code struct ibv_recv_wr} with one scatter-gather entry, filled in place. */
final class ReceiveRequest {
    private static final long WR_ID = ibv_recv_wr.wr_id$offset();
    private static final long SGE_ADDRESS = ibv_sge.addr$offset();
    private static final long SGE_LENGTH = ibv_sge.length$offset();
    private static final long SGE_KEY = ibv_sge.lkey$offset();

    private final MemorySegment request;
    private final MemorySegment entry;
    private final MemorySegment badRequest;

    ReceiveRequest(Arena arena) {
        request = ibv_recv_wr.allocate(arena);
        entry = ibv_sge.allocate(arena);
        badRequest = arena.allocate(JAVA_LONG);
        ibv_recv_wr.sg_list(request, entry);
        ibv_recv_wr.num_sge(request, 1);
    }

    long address() {
        return request.address();
    }

    long badRequestAddress() {
        return badRequest.address();
    }

    void fill(long workRequestId, MemorySlice local) {
        request.set(JAVA_LONG, WR_ID, workRequestId);
        entry.set(JAVA_LONG, SGE_ADDRESS, local.address());
        entry.set(JAVA_INT, SGE_LENGTH, (int) local.length());
        entry.set(JAVA_INT, SGE_KEY, local.region().localKey());
    }
}
