// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests a context that another library owns. Here the owner is a second context object of ours. */
@Tag("device")
class NativeContextDeviceTest {

    @Test
    void foreignContextIsUsedAndLeftOpen() {
        try (DeviceContext owner = TestDevice.open()) {
            DeviceContext guest = DeviceContext.ofNative(owner.handle());
            assertThat(guest.device()).isEqualTo(owner.device());
            assertThat(guest.handle()).isEqualTo(owner.handle());
            ProtectionDomain domain = guest.allocateProtectionDomain();
            CompletionQueue queue = guest.createCompletionQueue(16);

            guest.close();

            assertThat(domain.isOpen()).isFalse();
            assertThat(queue.isOpen()).isFalse();
            assertThatThrownBy(guest::attributes).isInstanceOf(IllegalStateException.class);
            assertThat(owner.attributes().physicalPortCount()).isPositive();
            owner.allocateProtectionDomain().close();
        }
    }

    @Test
    void addressNullIsRefused() {
        assertThatThrownBy(() -> DeviceContext.ofNative(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("address of the ibv_context is 0");
    }
}
