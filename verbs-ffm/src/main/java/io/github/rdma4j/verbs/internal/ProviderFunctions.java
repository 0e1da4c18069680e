// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_context_ops;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * The functions of a context that {@link HotCalls} calls, as set by the provider in {@code struct ibv_context_ops}.
 *
 * <p>All contexts of a provider share one object. So {@link HotCalls} can check by one comparison that the function is
 * its constant.
 *
 * @param pollCompletions ibv_poll_cq(3)
 * @param postSend ibv_post_send(3)
 * @param postReceive ibv_post_recv(3)
 * @param postSharedReceive ibv_post_srq_recv(3)
 */
public record ProviderFunctions(
        MemorySegment pollCompletions,
        MemorySegment postSend,
        MemorySegment postReceive,
        MemorySegment postSharedReceive) {
    private static final Map<ProviderFunctions, ProviderFunctions> KNOWN = new HashMap<>();
    private static ProviderFunctions first;

    /**
     * Reads the functions of a context.
     *
     * @param context the {@code struct ibv_context}
     * @return its functions
     */
    public static ProviderFunctions of(MemorySegment context) {
        MemorySegment ops = ibv_context.ops(context);
        return shared(new ProviderFunctions(
                NativeMemory.pointer(ops, ibv_context_ops.poll_cq$offset()),
                NativeMemory.pointer(ops, ibv_context_ops.post_send$offset()),
                NativeMemory.pointer(ops, ibv_context_ops.post_recv$offset()),
                NativeMemory.pointer(ops, ibv_context_ops.post_srq_recv$offset())));
    }

    /**
     * Written by hand: the code that the JVM generates for a record at its first use takes longer than opening a
     * device.
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof ProviderFunctions functions
                && pollCompletions.equals(functions.pollCompletions)
                && postSend.equals(functions.postSend)
                && postReceive.equals(functions.postReceive)
                && postSharedReceive.equals(functions.postSharedReceive);
    }

    @Override
    public int hashCode() {
        return pollCompletions.hashCode();
    }

    private static synchronized ProviderFunctions shared(ProviderFunctions functions) {
        if (first == null) {
            first = functions;
        }
        ProviderFunctions known = KNOWN.putIfAbsent(functions, functions);
        return known == null ? functions : known;
    }

    /** {@return the functions that were read first, before the first queue was created} */
    static synchronized ProviderFunctions first() {
        if (first == null) {
            throw new IllegalStateException("the functions of a context are read before they are called");
        }
        return first;
    }
}
