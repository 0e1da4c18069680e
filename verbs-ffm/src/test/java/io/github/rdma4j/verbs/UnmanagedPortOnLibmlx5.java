// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.device.PortState;
import org.junit.jupiter.api.Test;

/** A port of InfiniBand that is cabled, and that no subnet manager has configured. */
class UnmanagedPortOnLibmlx5 {
    @Test
    void queuePairIsRefusedWithTheSubnetManagersName() {
        try (DeviceContext device = DeviceContext.open(Mlx5StandIn.DEVICE)) {
            assertThat(device.port(1).state()).isEqualTo(PortState.INIT);
            assertThat(device.port(1).lid()).isZero();
            ProtectionDomain domain = device.allocateProtectionDomain();
            CompletionQueue queue = device.createCompletionQueue(16);
            assertThatThrownBy(() -> domain.prepareQueuePair(QueuePairType.RC, config -> config.completionQueue(queue)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("the port is INIT, not ACTIVE")
                    .hasMessageContaining("a subnet manager must run");
        }
        assertThat(Mlx5StandIn.objects()).as("objects that the kernel has left").isZero();
    }
}
