// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.internal.LockedMemoryLimit;
import io.github.rdma4j.verbs.internal.endpoint.rdma.ReceiveBuffers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests receive buffers that cannot be posted. */
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

    /** A program may close the domain that it has given an endpoint, and give back what it holds afterwards. */
    @Test
    void buffersThatGoBackToAClosedQueueSaySo() {
        try (DeviceContext context = DeviceContext.open(TestDevice.first());
                ProtectionDomain domain = context.allocateProtectionDomain();
                CompletionQueue queue = context.createCompletionQueue(64);
                QueuePair queuePair = domain.createQueuePair(
                        QueuePairType.RC,
                        config -> config.completionQueue(queue).maxReceiveWorkRequests(64))) {
            queuePair.modify(a ->
                    a.state(QueuePairState.INIT).partitionKeyIndex(0).port(1).remoteAccess(AccessFlag.REMOTE_WRITE));
            ReceiveBuffers buffers = new ReceiveBuffers(domain, queuePair, 40, 64, 0);
            queuePair.close();
            for (int i = 0; i < 40; i++) {
                assertThat(buffers.giveBack(i)).isZero();
                assertThatThrownBy(buffers::postReturned)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("closed");
            }
            buffers.close();
        }
    }
}
