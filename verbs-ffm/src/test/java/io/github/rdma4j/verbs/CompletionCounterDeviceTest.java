// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** SoftRoCE has no completion counters, whichever library is installed; an old library has not even the functions. */
@Tag("device")
class CompletionCounterDeviceTest {
    private DeviceContext device;

    @BeforeEach
    void open() {
        device = TestDevice.open();
    }

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void missingCountersAndOlderLibraryAreDistinguished() {
        assertThatThrownBy(() -> device.completionCounterCapabilities())
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("comp_cntr")
                .hasMessageContaining("EOPNOTSUPP");
    }

    @Test
    void creatingOneIsRefused() {
        assertThatThrownBy(() -> device.createCompletionCounter(CompletionCounter.Type.BYTES))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_comp_cntr");
    }
}
