// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.GidType;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.NodeType;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.device.PortState;
import io.github.rdma4j.verbs.device.TransportType;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests devices and their queries. */
@Tag("device")
class DeviceDeviceTest {
    private DeviceContext context;

    @BeforeEach
    void open() {
        context = TestDevice.open();
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void listNamesDevicesOfSysfs() {
        assertThat(Device.list()).isNotEmpty().allSatisfy(device -> {
            assertThat(Files.isDirectory(device.sysfsPath())).isTrue();
            assertThat(device.sysfsPath().getFileName()).hasToString(device.name());
            assertThat(device.uverbsName()).startsWith("uverbs");
            assertThat(device.nodeType()).isNotEqualTo(NodeType.UNKNOWN);
            assertThat(device.transportType()).isNotEqualTo(TransportType.UNKNOWN);
        });
    }

    @Test
    void guidIsTheOneInSysfs() throws Exception {
        Device device = context.device();
        String sysfs = Files.readString(device.sysfsPath().resolve("node_guid")).strip();
        assertThat(device.toString()).contains(sysfs);
        assertThat(context.attributes().nodeGuid()).isEqualTo(device.guid());
    }

    @Test
    void unknownNameListsThosePresent() {
        assertThatThrownBy(() -> DeviceContext.open("nonesuch"))
                .isInstanceOf(NoSuchDeviceException.class)
                .hasMessageContaining("'nonesuch'")
                .hasMessageContaining("present: ")
                .hasMessageContaining(TestDevice.name());
    }

    @Test
    void attributesArePlausible() {
        DeviceAttributes attributes = context.attributes();
        assertThat(attributes.physicalPortCount()).isPositive();
        assertThat(attributes.maxQueuePairs()).isPositive();
        assertThat(attributes.maxQueuePairWorkRequests()).isPositive();
        assertThat(attributes.maxCompletionQueueEntries()).isPositive();
        assertThat(attributes.maxMemoryRegionSize()).isNotZero();
    }

    @Test
    void firstPortIsActiveAndAgreesWithSysfs() throws Exception {
        PortAttributes port = context.port(1);
        assertThat(port.state()).isEqualTo(PortState.ACTIVE);
        assertThat(port.activeMtu()).isLessThanOrEqualTo(port.maxMtu());
        assertThat(port.maxMessageSize()).isGreaterThanOrEqualTo(1 << 20);
        String linkLayer = Files.readString(context.device().sysfsPath().resolve("ports/1/link_layer"))
                .strip();
        assertThat(port.linkLayer().name()).isEqualToIgnoringCase(linkLayer);
    }

    @Test
    void portThatIsNotThereIsRefusedWithTheRange() {
        for (int port : new int[] {0, -1, context.attributes().physicalPortCount() + 1}) {
            assertThatThrownBy(() -> context.port(port))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no port " + port)
                    .hasMessageContaining("1..");
        }
    }

    @Test
    void gidTableAgreesWithSysfs() throws Exception {
        List<GidEntry> table = context.gidTable(1);
        assertThat(table).isNotEmpty();
        for (GidEntry entry : table) {
            String sysfs = Files.readString(context.device().sysfsPath().resolve("ports/1/gids/" + entry.index()))
                    .strip();
            assertThat(entry.gid()).hasToString(sysfs);
        }
    }

    @Test
    void chosenGidIsRoutableAndAnUnusedIndexIsRefused() {
        GidEntry chosen = context.selectGid(1);
        assertThat(context.gid(1, chosen.index())).isEqualTo(chosen);
        if (context.port(1).linkLayer() == LinkLayer.ETHERNET) {
            assertThat(chosen.type()).isEqualTo(GidType.ROCE_V2);
        }
        int unused = context.port(1).gidTableLength() - 1;
        assertThatThrownBy(() -> context.gid(1, unused))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no GID at index " + unused)
                .hasMessageContaining("in use: [");
    }
}
