// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.bindings.ibv_qp_cap;
import io.github.rdma4j.verbs.bindings.ibv_qp_init_attr_ex;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class QueuePairCreationTest {
    private final MemorySegment attributes = ibv_qp_init_attr_ex.allocate(Arena.ofAuto());
    private final QueuePairConfig config = new QueuePairConfig(QueuePairType.RC).maxInlineData(64);

    @Test
    void lessInlineDataThanAskedForIsRefused() {
        granted(32);
        assertThatThrownBy(() -> QueuePairCreation.requireInlineData("ibv_create_qp", attributes, config))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EINVAL")
                .hasMessageContaining("the device carries no more than 32 bytes inline")
                .hasMessageContaining("Set maxInlineData to 32 or less");
    }

    @Test
    void moreInlineDataThanAskedForIsAccepted() {
        for (int size : new int[] {64, 236}) {
            granted(size);
            assertThatCode(() -> QueuePairCreation.requireInlineData("ibv_create_qp", attributes, config))
                    .doesNotThrowAnyException();
        }
    }

    private void granted(int bytes) {
        ibv_qp_cap.max_inline_data(ibv_qp_init_attr_ex.cap(attributes), bytes);
    }
}
