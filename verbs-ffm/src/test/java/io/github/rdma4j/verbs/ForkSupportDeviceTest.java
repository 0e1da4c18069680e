// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Fork support in a process that has registered memory. */
@Tag("device")
class ForkSupportDeviceTest {

    @Test
    void afterARegistrationItIsUnneededOrTooLate() {
        try (Arena arena = Arena.ofShared();
                DeviceContext context = TestDevice.open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                MemoryRegion region = domain.registerMemory(arena.allocate(4096), AccessFlag.LOCAL_WRITE)) {
            assertThat(region.isOpen()).isTrue();
            if (ForkSupport.status() == ForkStatus.DISABLED) {
                assertThatThrownBy(ForkSupport::enable).hasMessageContaining("registered in this process already");
                assertThat(ForkSupport.status()).isEqualTo(ForkStatus.DISABLED);
            } else {
                ForkSupport.enable();
                assertThat(ForkSupport.status()).isIn(ForkStatus.ENABLED, ForkStatus.UNNEEDED);
            }
        }
    }
}
