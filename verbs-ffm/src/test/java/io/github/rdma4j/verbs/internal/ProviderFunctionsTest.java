// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_context_ops;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class ProviderFunctionsTest {
    @Test
    void contextsOfAProviderShareOneObject() {
        try (Arena arena = Arena.ofConfined()) {
            ProviderFunctions first = ProviderFunctions.of(context(arena, 0x1000));

            assertThat(ProviderFunctions.of(context(arena, 0x1000))).isSameAs(first);
            assertThat(ProviderFunctions.of(context(arena, 0x2000)))
                    .isNotEqualTo(first)
                    .isSameAs(ProviderFunctions.of(context(arena, 0x2000)));
        }
    }

    @Test
    void eachFunctionIsItsOwnField() {
        try (Arena arena = Arena.ofConfined()) {
            ProviderFunctions functions = ProviderFunctions.of(context(arena, 0x3000));

            assertThat(functions.pollCompletions().address()).isEqualTo(0x3001);
            assertThat(functions.postSend().address()).isEqualTo(0x3002);
            assertThat(functions.postReceive().address()).isEqualTo(0x3003);
            assertThat(functions.postSharedReceive().address()).isEqualTo(0x3004);
        }
    }

    private static MemorySegment context(Arena arena, long provider) {
        MemorySegment context = ibv_context.allocate(arena);
        MemorySegment ops = ibv_context.ops(context);
        ibv_context_ops.poll_cq(ops, MemorySegment.ofAddress(provider + 1));
        ibv_context_ops.post_send(ops, MemorySegment.ofAddress(provider + 2));
        ibv_context_ops.post_recv(ops, MemorySegment.ofAddress(provider + 3));
        ibv_context_ops.post_srq_recv(ops, MemorySegment.ofAddress(provider + 4));
        return context;
    }
}
