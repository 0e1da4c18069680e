// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.internal.LockedMemoryLimit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of the buffers when they cannot be posted. */
@Tag("device")
class ReceiveBuffersDeviceTest {
    @Test
    void buffersThatCannotBePostedAreGivenBack() {
        try (DeviceContext context = DeviceContext.open(TestDevice.first());
                ProtectionDomain domain = context.allocateProtectionDomain();
                CompletionQueue queue = context.createCompletionQueue(16)) {
            QueuePair queuePair = domain.createQueuePair(
                    QueuePairType.RC, config -> config.completionQueue(queue).maxReceiveWorkRequests(1));
            long before = LockedMemoryLimit.current().pinned();
            assertThatThrownBy(() -> new ReceiveBuffers(domain, queuePair, 1000, 4096, 0))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("RESET");
            queuePair.close();
            assertThatThrownBy(() -> new ReceiveBuffers(domain, queuePair, 1000, 4096, 0))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(LockedMemoryLimit.current().pinned()).isEqualTo(before);
        }
    }
}
