// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said where there is no device of that name; on a machine without any, and on one that has some. */
class DeviceTest {

    @Test
    void aMachineWithoutDevicesSaysSo() {
        List<Device> devices = Device.list();
        assertThatThrownBy(() -> DeviceContext.open("nonesuch"))
                .isInstanceOf(NoSuchDeviceException.class)
                .hasMessageContaining("'nonesuch'")
                .hasMessageContaining(
                        devices.isEmpty()
                                ? "this machine has no RDMA device"
                                : "present: " + devices.getFirst().name());
    }

    @Test
    void theRemedyForNoDeviceAtAllIsNamed() {
        assertThat(Device.notFound("rxe0", List.of()))
                .hasMessageContaining("this machine has no RDMA device")
                .hasMessageContaining("rdma link add rxe0 type rxe")
                .hasMessageContaining("scripts/softroce");
    }

    @Test
    void whoAsksForAnyDeviceAndFindsNoneIsNotToldAnEmptyName() {
        assertThat(Device.notFound("", List.of()))
                .hasMessageStartingWith("looking for an RDMA device failed: ")
                .hasMessageContaining("this machine has no RDMA device");
    }
}
