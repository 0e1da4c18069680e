// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A device without work queues and their tables refuses every request with an exception and leaves nothing behind. */
@Tag("device")
class WorkQueueDeviceTest {
    private DeviceContext context;
    private ProtectionDomain domain;
    private CompletionQueue queue;

    @BeforeEach
    void open() {
        context = TestDevice.open();
        domain = context.allocateProtectionDomain();
        queue = context.createCompletionQueue(16);
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void workQueuesAreRefused() {
        assertThatThrownBy(() -> domain.createWorkQueue(
                        queue, config -> config.maxWorkRequests(12).flags(WorkQueueFlag.SCATTER_FCS)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_wq(")
                .hasMessageContaining("max_wr=12, max_sge=1, flags=[SCATTER_FCS]");
        assertThat(domain.childCount()).isZero();
        int limit = context.attributes().maxQueuePairWorkRequests();
        assertThatThrownBy(() -> domain.createWorkQueue(queue, config -> config.maxWorkRequests(limit + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxWorkRequests %d: device".formatted(limit + 1))
                .hasMessageContaining("allows 1.." + limit);
        assertThatThrownBy(() -> domain.createWorkQueue(queue, config -> config.maxScatterGather(0)))
                .hasMessageContaining("maxScatterGather 0");
        try (DeviceContext other = TestDevice.open()) {
            CompletionQueue foreign = other.createCompletionQueue(16);
            assertThatThrownBy(() -> domain.createWorkQueue(foreign, config -> {}))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not of the same device context");
        }
    }

    @Test
    void tablesNeedAPowerOfTwo() {
        assertThatThrownBy(() -> context.createReceiveWorkQueueTable(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a table of 0 queues: their number must be a power of two");
    }
}
