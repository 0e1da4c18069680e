// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.device.AtomicCapability;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.device.DeviceCapability;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.device.PortCapability;
import io.github.rdma4j.verbs.internal.LaterVerbs;
import io.github.rdma4j.verbs.internal.device.DeviceQueries;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares every query of a device, its ports and their tables with the kernel's sysfs. */
@Tag("device")
class DeviceQueriesDeviceTest {
    private static final int PAGE = 4096;
    private static final int FULL_MEMBER_OF_DEFAULT_PARTITION = 0xffff;

    private DeviceContext context;

    @BeforeEach
    void open() {
        context = TestDevice.open();
    }

    @AfterEach
    void close() {
        context.close();
    }

    private String sysfs(String file) throws Exception {
        return Files.readString(context.device().sysfsPath().resolve(file)).strip();
    }

    @Test
    void everyListedDeviceOpens() {
        for (Device device : Device.list()) {
            try (DeviceContext opened = DeviceContext.open(device)) {
                assertThat(opened.device()).isEqualTo(device);
                assertThat(opened.isOpen()).isTrue();
            }
        }
    }

    @Test
    void deviceIndexIsThere() {
        Set<Integer> indices = new HashSet<>();
        for (Device device : Device.list()) {
            assertThat(device.index()).isNotNegative();
            assertThat(indices.add(device.index())).isTrue();
        }
    }

    @Test
    void attributesAreThoseOfAWorkingDevice() throws Exception {
        DeviceAttributes attributes = context.attributes();
        assertThat(attributes.nodeGuid()).isNotZero();
        assertThat(attributes.systemImageGuid()).isNotZero();
        assertThat(attributes.maxMemoryRegionSize()).isGreaterThan(PAGE);
        assertThat(attributes.pageSizeCapabilities() & PAGE).isNotZero();
        assertThat(attributes.vendorId()).isNotZero();
        assertThat(attributes.maxQueuePairs()).isPositive();
        assertThat(attributes.maxQueuePairWorkRequests()).isPositive();
        assertThat(attributes.maxScatterGather()).isPositive();
        assertThat(attributes.maxScatterGatherRead()).isNotNegative();
        assertThat(attributes.maxCompletionQueues()).isPositive();
        assertThat(attributes.maxCompletionQueueEntries()).isPositive();
        assertThat(attributes.maxMemoryRegions()).isPositive();
        assertThat(attributes.maxProtectionDomains()).isPositive();
        assertThat(attributes.maxPartitionKeys()).isPositive();
        assertThat(attributes.atomicCapability()).isEqualTo(AtomicCapability.DEVICE);
        assertThat(attributes.capabilities())
                .contains(DeviceCapability.SRQ_RESIZE, DeviceCapability.MEM_WINDOW_TYPE_2B)
                .doesNotContain(DeviceCapability.XRC, DeviceCapability.MANAGED_FLOW_STEERING);
    }

    @Test
    void extendedAttributesHoldTheBasicOnes() {
        ExtendedDeviceAttributes extended = context.extendedAttributes();
        assertThat(extended.attributes()).isEqualTo(context.attributes());
        assertThat(extended.capabilities()).containsAll(extended.attributes().capabilities());
        // SoftRoCE does not have these.
        assertThat(extended.completionTimestampMask()).isZero();
        assertThat(extended.maxReceiveWorkQueues()).isZero();
        assertThat(extended.maxAdapterMemorySize()).isZero();
        assertThat(extended.segmentationOffload().queuePairTypes()).isEmpty();
        assertThat(extended.receiveHashing().toeplitz()).isFalse();
        assertThat(extended.tagMatching().maxTags()).isZero();
        assertThat(extended.packetPacing().maxRateKilobits()).isZero();
    }

    @Test
    void bothPortCountsAgree() {
        int basic = context.attributes().physicalPortCount();
        int extended = context.extendedAttributes().physicalPortCount();
        assertThat(basic).isEqualTo(Math.min(extended, 255));
    }

    @Test
    void portAgreesWithSysfs() throws Exception {
        PortAttributes port = context.port(1);
        assertThat(sysfs("ports/1/state"))
                .isEqualTo("%d: %s".formatted(port.state().ordinal(), port.state()));
        assertThat(sysfs("ports/1/phys_state").replace(" ", "").toUpperCase(Locale.ROOT))
                .isEqualTo("%d:%s"
                        .formatted(
                                port.physicalState().ordinal(),
                                port.physicalState().name().replace("_", "")));
        assertThat(sysfs("ports/1/rate"))
                .startsWith("%s Gb/sec (%dX"
                        .formatted(
                                number(port.rateGigabitsPerSecond()),
                                port.activeWidth().lanes()));
        assertThat(Integer.decode(sysfs("ports/1/lid"))).isEqualTo(port.lid());
        assertThat(Integer.decode(sysfs("ports/1/sm_lid"))).isEqualTo(port.subnetManagerLid());
        assertThat(port.maxMtu().bytes())
                .isGreaterThanOrEqualTo(port.activeMtu().bytes());
        assertThat(port.maxMessageSize()).isGreaterThan(0x1000);
        assertThat(port.virtualLaneCount()).isPositive();
        assertThat(port.capabilities()).contains(PortCapability.CM_SUP);
        assertThat(port.partitionTableLength()).isEqualTo(entries("ports/1/pkeys"));
        assertThat(port.gidTableLength()).isEqualTo(entries("ports/1/gids"));
    }

    private int entries(String folder) throws Exception {
        try (var files = Files.list(context.device().sysfsPath().resolve(folder))) {
            return (int) files.count();
        }
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    @Test
    void portThatIsNotThereIsRefusedByEveryQuery() {
        int bad = context.attributes().physicalPortCount() + 1;
        String message = "no port %d; its ports are 1..%d".formatted(bad, bad - 1);
        assertThatThrownBy(() -> context.port(bad)).hasMessageContaining(message);
        assertThatThrownBy(() -> context.partitionKey(bad, 0)).hasMessageContaining(message);
        assertThatThrownBy(() -> context.partitionKeyIndex(bad, 0xffff)).hasMessageContaining(message);
        assertThatThrownBy(() -> context.gid(bad, 0)).hasMessageContaining(message);
        assertThatThrownBy(() -> context.gidAddress(bad, 0)).hasMessageContaining(message);
        assertThatThrownBy(() -> context.gidTable(bad)).hasMessageContaining(message);
        assertThatThrownBy(() -> context.portSpeedMegabits(bad)).hasMessageContaining(message);
    }

    @Test
    void partitionKeysAreInHostOrderAndFoundAgain() throws Exception {
        int length = context.port(1).partitionTableLength();
        for (int index = 0; index < length; index++) {
            assertThat(context.partitionKey(1, index)).isEqualTo(Integer.decode(sysfs("ports/1/pkeys/" + index)));
        }
        assertThat(context.partitionKeyIndex(1, FULL_MEMBER_OF_DEFAULT_PARTITION))
                .isZero();
        assertThatThrownBy(() -> context.partitionKey(1, length))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "no partition key at index %d; its table has %d entries".formatted(length, length));
        assertThatThrownBy(() -> context.partitionKey(1, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> context.partitionKeyIndex(1, 0x1234))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no partition key 0x1234");
        assertThatThrownBy(() -> context.partitionKeyIndex(1, 0x10000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16 bits");
    }

    @Test
    void everyEntryOfTheGidTableIsFoundAlone() {
        assertThat(context.gidTable()).isNotEmpty().allSatisfy(entry -> {
            assertThat(context.gid(entry.port(), entry.index())).isEqualTo(entry);
            assertThat(context.gidAddress(entry.port(), entry.index())).isEqualTo(entry.gid());
        });
    }

    @Test
    void tableThatIsTooShortIsRefused() {
        MemorySegment nativeContext = MemorySegment.ofAddress(context.handle()).reinterpret(ibv_context.sizeof());
        DeviceQueries queries = new DeviceQueries(context.device().name(), nativeContext);
        assertThatThrownBy(() -> queries.gidTable(0))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_query_gid_table")
                .hasMessageContaining("EINVAL");
    }

    @Test
    void emptyGidEntryIsZeroAndHasNoType() {
        int unused = context.port(1).gidTableLength() - 1;
        assertThat(context.gidAddress(1, unused)).isEqualTo(Gid.ZERO);
        assertThatThrownBy(() -> context.gid(1, unused))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no GID at index %d; in use: [".formatted(unused));
    }

    @Test
    void indexBeyondTheGidTableIsRefusedWithItsLength() {
        int length = context.port(1).gidTableLength();
        for (int index : new int[] {-1, length}) {
            assertThatThrownBy(() -> context.gid(1, index))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no GID at index %d; its table has %d entries".formatted(index, length));
            assertThatThrownBy(() -> context.gidAddress(1, index)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void interfaceOfAGidIsTheOneInSysfs() throws Exception {
        GidEntry entry = context.selectGid(1);
        String netdev = sysfs("ports/1/gid_attrs/ndevs/" + entry.index());
        assertThat(Files.readString(Path.of("/sys/class/net", netdev, "ifindex"))
                        .strip())
                .isEqualTo(Integer.toString(entry.networkInterfaceIndex()));
    }

    @Test
    void softRoceHasNoRawClock() {
        assertThatThrownBy(() -> context.queryRawClock())
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_query_rt_values_ex");
    }

    @Test
    void portSpeedOrTheNeededVersionIsReported() {
        boolean known = LaterVerbs.isExported("ibv_query_port_speed");
        Throwable refusal =
                catchThrowable(() -> assertThat(context.portSpeedMegabits(1)).isNotNegative());
        if (!known || refusal != null) {
            assertThat(refusal)
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("ibv_query_port_speed")
                    .hasMessageContaining(known ? "the device or its driver" : "rdma-core 62");
        }
    }
}
