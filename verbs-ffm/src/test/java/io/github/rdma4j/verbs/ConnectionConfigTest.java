// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.bindings.ibv_device_attr;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.internal.device.DeviceAttributesReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** QEMU's pvrdma reports that it serves no reads; its queue pairs connect and send all the same. */
class ConnectionConfigTest {
    private final ConnectionConfig config = new ConnectionConfig();

    @ParameterizedTest
    @CsvSource({"0, 16, 0, 1", "16, 0, 1, 0", "128, 128, 1, 1"})
    void defaultIsOneReadUnlessTheDeviceHasNone(
            int outstanding, int served, int expectedOutstanding, int expectedServed) {
        config.settleReads(limits(outstanding, served));

        assertThat(config.maxReadAtomic()).isEqualTo(expectedOutstanding);
        assertThat(config.maxDestinationReadAtomic()).isEqualTo(expectedServed);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "3, 5"})
    void givenNumbersStay(int outstanding, int served) {
        config.maxReadAtomic(outstanding).maxDestinationReadAtomic(served).settleReads(limits(1, 1));

        assertThat(config.maxReadAtomic()).isEqualTo(outstanding);
        assertThat(config.maxDestinationReadAtomic()).isEqualTo(served);
    }

    private static DeviceAttributes limits(int outstanding, int served) {
        MemorySegment attributes = ibv_device_attr.allocate(Arena.ofAuto());
        ibv_device_attr.max_qp_init_rd_atom(attributes, outstanding);
        ibv_device_attr.max_qp_rd_atom(attributes, served);
        return DeviceAttributesReader.basic(attributes);
    }
}
