// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.device.EfaCapability;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the constants and checks. The classes named {@code …OnLibefa} test libefa itself. */
class EfaCallsTest {
    @Test
    void capabilitiesAreThoseOfTheHeader() {
        assertThat(EfaCapability.ofMask(RdmaHeaders.EFADV_DEVICE_ATTR_CAPS_RDMA_READ()))
                .containsExactly(EfaCapability.RDMA_READ);
        assertThat(EfaCapability.ofMask(RdmaHeaders.EFADV_DEVICE_ATTR_CAPS_RNR_RETRY()))
                .containsExactly(EfaCapability.RNR_RETRY);
        assertThat(EfaCapability.ofMask(RdmaHeaders.EFADV_DEVICE_ATTR_CAPS_CQ_WITH_SGID()))
                .containsExactly(EfaCapability.SENDER_GID);
        assertThat(EfaCapability.ofMask(-1))
                .containsExactlyInAnyOrderElementsOf(EnumSet.complementOf(EnumSet.of(EfaCapability.INLINE_WRITE)));
    }

    /** The library need not be there for that. */
    @ParameterizedTest
    @ValueSource(strings = {"mlx5_core", "", DeviceDriver.UNKNOWN})
    void otherDevicesAreRefused(String driver) {
        assertThatThrownBy(() -> EfaCalls.require(new DeviceDriver(driver), "efadv_query_device(rxe0)"))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("efadv_query_device(rxe0) failed: EOPNOTSUPP")
                .hasMessageContaining("the device is not an Elastic Fabric Adapter (EFA)");
    }
}
