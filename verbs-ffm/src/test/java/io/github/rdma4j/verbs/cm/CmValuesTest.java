// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.internal.SocketAddresses;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The values of rdma_cm: codes as in the header, addresses as in the C library. */
class CmValuesTest {
    private static final byte[] NO_DATA = {};

    @ParameterizedTest
    @EnumSource(value = CmEventType.class, mode = EnumSource.Mode.EXCLUDE, names = "UNKNOWN")
    void eventTypesAreThoseOfTheHeader(CmEventType type) throws Exception {
        int code = (int) RdmaHeaders.class.getMethod("RDMA_CM_EVENT_" + type).invoke(null);
        assertThat(type.code()).isEqualTo(code);
        assertThat(CmEventType.ofCode(code)).isSameAs(type);
    }

    @ParameterizedTest
    @EnumSource(PortSpace.class)
    void portSpacesAreThoseOfTheHeader(PortSpace portSpace) throws Exception {
        assertThat(portSpace.code()).isEqualTo((int)
                RdmaHeaders.class.getMethod("RDMA_PS_" + portSpace).invoke(null));
        assertThat(portSpace.isDatagram()).isEqualTo(portSpace.queuePairType() == QueuePairType.UD);
    }

    @Test
    void newerValuesAreUnknown() {
        assertThat(CmEventType.ofCode(16)).isSameAs(CmEventType.UNKNOWN);
        assertThat(CmEventType.ofCode(-1)).isSameAs(CmEventType.UNKNOWN);
        assertThat(RejectReason.ofCode(34)).isSameAs(RejectReason.UNKNOWN);
        assertThat(RejectReason.ofCode(35)).isSameAs(RejectReason.VENDOR_OPTION_NOT_SUPPORTED);
        assertThat(DatagramParameters.UDP_QUEUE_KEY).isEqualTo(RdmaHeaders.RDMA_UDP_QKEY());
        assertThat(ConnectConfig.AS_MANY_AS_POSSIBLE)
                .isEqualTo(RdmaHeaders.RDMA_MAX_RESP_RES())
                .isEqualTo(RdmaHeaders.RDMA_MAX_INIT_DEPTH());
    }

    @Test
    void addressesAreWrittenInNetworkOrder() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ipv4 = SocketAddresses.write(arena, new InetSocketAddress("10.99.0.1", 0x1234));
            assertThat(ipv4.asSlice(0, 8).toArray(ValueLayout.JAVA_BYTE))
                    .containsExactly(2, 0, 0x12, 0x34, 10, 99, 0, 1);
            byte[] bytes = InetAddress.getByName("fe80::1").getAddress();
            InetSocketAddress scoped = new InetSocketAddress(Inet6Address.getByAddress(null, bytes, 3), 65535);
            MemorySegment ipv6 = SocketAddresses.write(arena, scoped);
            assertThat(ipv6.asSlice(0, 4).toArray(ValueLayout.JAVA_BYTE)).containsExactly(10, 0, -1, -1);
            assertThat(ipv6.get(ValueLayout.JAVA_INT, 24)).isEqualTo(3);
        }
    }

    @Test
    void writtenValuesAreReadBack() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            for (String address : new String[] {"10.99.0.1", "0.0.0.0", "2001:db8::7", "::1"}) {
                InetSocketAddress socket = new InetSocketAddress(InetAddress.getByName(address), 40000);
                assertThat(SocketAddresses.read(SocketAddresses.write(arena, socket)))
                        .contains(socket);
            }
            assertThat(SocketAddresses.read(arena.allocate(128))).isEmpty();
        }
        InetSocketAddress nowhere = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
        assertThatThrownBy(() -> SocketAddresses.write(Arena.ofAuto(), nowhere))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nowhere.invalid");
    }

    @Test
    void statusesAreExplained() {
        assertThat(CmStatus.explain(CmEventType.REJECTED, PortSpace.TCP, 8, NO_DATA))
                .contains("INVALID_SERVICE_ID (reason 8): nobody listens");
        assertThat(CmStatus.explain(CmEventType.REJECTED, PortSpace.TCP, 99, NO_DATA))
                .contains("UNKNOWN (reason 99)");
        assertThat(CmStatus.explain(CmEventType.REJECTED, PortSpace.TCP, -111, NO_DATA))
                .contains("ECONNREFUSED");
        assertThat(CmStatus.explain(CmEventType.UNREACHABLE, PortSpace.TCP, -110, NO_DATA))
                .isEqualTo("the peer did not answer");
        assertThat(CmStatus.explain(CmEventType.UNREACHABLE, PortSpace.UDP, 3, NO_DATA))
                .contains("no queue pair for it");
        assertThat(CmStatus.explain(CmEventType.ADDR_ERROR, PortSpace.TCP, -19, NO_DATA))
                .contains("ENODEV");
        assertThat(CmStatus.explain(CmEventType.ADDR_ERROR, PortSpace.TCP, -1, NO_DATA))
                .contains("ENODEV");
        assertThat(CmStatus.explain(CmEventType.ADDR_ERROR, PortSpace.TCP, -110, NO_DATA))
                .contains("not resolved in time");
        assertThat(CmStatus.explain(CmEventType.ROUTE_ERROR, PortSpace.TCP, -110, NO_DATA))
                .isEqualTo("the subnet administrator did not answer");
        assertThat(CmStatus.explain(CmEventType.MULTICAST_ERROR, PortSpace.UDP, -110, NO_DATA))
                .isEqualTo("the subnet administrator did not answer");
        assertThat(CmStatus.explain(CmEventType.ROUTE_ERROR, PortSpace.TCP, -22, NO_DATA))
                .contains("knows no path");
        assertThat(CmStatus.explain(CmEventType.ESTABLISHED, PortSpace.TCP, 0, NO_DATA))
                .isEmpty();
    }

    @Test
    void machineWithoutDevicesGetsARemedy() {
        VerbsException failure = CreationFailure.withAccess("rdma_create_event_channel()", 19, List.of());
        assertThat(failure).hasMessageContaining("ENODEV (No such device): this machine has no RDMA device");
        assertThat(failure.remedy()).startsWith("load the adapter's driver").contains("scripts/softroce");
        // Endpoint.rdmaFailure also has this text, in programs that already use RDMA_OR_TCP.
        assertThat(failure.remedy()).contains("that have the transport RDMA_OR_TCP take TCP");
    }
}
