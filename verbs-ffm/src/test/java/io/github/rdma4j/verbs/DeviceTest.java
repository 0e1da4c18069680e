// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.device.NodeType;
import io.github.rdma4j.verbs.device.TransportType;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the exception for an unknown device name, on a machine without devices and on one that has some. */
class DeviceTest {

    @Test
    void machineWithoutDevicesIsReported() {
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
    void remedyForNoDeviceAtAllIsNamed() {
        assertThat(Device.notFound("rxe0", List.of(), List.of()))
                .hasMessageContaining("this machine has no RDMA device")
                .hasMessageContaining("rdma link add rxe0 type rxe")
                .hasMessageContaining("scripts/softroce");
    }

    @Test
    void missingDeviceIsNotReportedWithAnEmptyName() {
        assertThat(Device.notFound("", List.of(), List.of()))
                .hasMessageStartingWith("looking for an RDMA device failed: ")
                .hasMessageContaining("this machine has no RDMA device");
    }

    @Test
    void deviceThatOnlyTheKernelHasIsNoMissingDevice() {
        for (String name : List.of("", "rxe0", "rxe1")) {
            assertThat(Device.notFound(name, List.of(), List.of("rxe0", "rxe1")))
                    .hasMessageContaining("the kernel has rxe0, rxe1, and ")
                    .hasMessageMatching("(?s).*\\. \\p{Lu}.*");
        }
        Device other = new Device("mlx5_0", "uverbs0", Path.of("/sys"), 0, NodeType.UNKNOWN, TransportType.UNKNOWN, 0);
        assertThat(Device.notFound("rxe1", List.of(other), List.of("mlx5_0", "rxe1")))
                .hasMessageContaining("the kernel has rxe1, and ");
        assertThat(Device.notFound("rxe2", List.of(other), List.of("mlx5_0", "rxe1")))
                .hasMessageContaining("there is no such device; present: mlx5_0");
    }

    @Test
    void openingAnEmptyNameThrowsWithTheExpectedValue() {
        assertThatThrownBy(() -> DeviceContext.open((String) null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("Device.list() has them");
        assertThatThrownBy(() -> DeviceContext.open((Device) null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("Device.list() has them");
    }
}
