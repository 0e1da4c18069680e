// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_wc;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.LinkLayer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Address handles: made from attributes and from received datagrams, and closed in any order. */
@Tag("device")
class AddressHandleDeviceTest {
    private static final int IPV4_HEADER = 20;

    private DeviceContext context;
    private ProtectionDomain domain;
    private GidEntry gid;

    @BeforeEach
    void open() {
        context = TestDevice.open();
        domain = context.allocateProtectionDomain();
        gid = context.selectGid(1);
    }

    @AfterEach
    void close() {
        context.close();
    }

    private AddressHandleAttributes toSelf() {
        return AddressHandleAttributes.toGid(1, gid.index(), gid.gid())
                .withDestinationLid(context.port(1).lid());
    }

    @Test
    void addressHandleIsMadeFromAttributes() {
        try (AddressHandle handle = domain.createAddressHandle(toSelf().withTrafficClass(4))) {
            assertThat(handle.handle()).isNotZero();
            assertThat(handle.attributes()).isEqualTo(toSelf().withTrafficClass(4));
            assertThat(handle.protectionDomain()).isSameAs(domain);
            assertThat(handle).asString().startsWith("address handle to GID ").contains("traffic class 4");
            assertThat(domain.childCount()).isEqualTo(1);
        }
        assertThat(domain.childCount()).isZero();
    }

    @Test
    void onEthernetItNeedsAGlobalRoute() {
        assertThat(context.port(1).linkLayer()).isEqualTo(LinkLayer.ETHERNET);
        assertThatThrownBy(() -> domain.createAddressHandle(AddressHandleAttributes.toLid(1, 0)))
                .isInstanceOf(VerbsException.class)
                .hasMessage(
                        "ibv_create_ah(to LID 0 from port 1) failed: EINVAL (Invalid argument): the path has no global"
                                + " route, and port 1 is Ethernet. Use"
                                + " AddressHandleAttributes.toGid: RoCE needs GIDs");
        assertThat(domain.childCount()).isZero();
    }

    @Test
    void invalidAttributesAreNamed() {
        assertThatThrownBy(() -> domain.createAddressHandle(AddressHandleAttributes.toGid(9, 0, gid.gid())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no port 9");
        assertThatThrownBy(() -> domain.createAddressHandle(AddressHandleAttributes.toGid(1, 200, gid.gid())))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("port 1 has no GID at index 200; in use: [0, 1");
    }

    @Test
    void closingTwiceAndByTheParentDoesNoHarm() {
        AddressHandle handle = domain.createAddressHandle(toSelf());
        AddressHandle other = domain.createAddressHandle(toSelf());
        handle.close();
        handle.close();
        assertThat(handle.isOpen()).isFalse();
        assertThatThrownBy(handle::handle).isInstanceOf(IllegalStateException.class);
        assertThat(other.isOpen()).isTrue();
        domain.close();
        assertThat(other.isOpen()).isFalse();
        assertThatThrownBy(() -> domain.createAddressHandle(toSelf())).isInstanceOf(IllegalStateException.class);
    }

    /** A datagram from this device to itself, as the adapter would have left it. */
    private MemorySegment headerOf(Gid source, Gid destination, Arena arena) {
        MemorySegment header = arena.allocate(WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES);
        ByteBuffer bytes = header.asByteBuffer();
        if (source.isIpv4Mapped()) {
            bytes.position(WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES - IPV4_HEADER);
            ByteBuffer ip = bytes.slice();
            ip.put((byte) 0x45)
                    .put((byte) 0x20)
                    .putShort((short) 100)
                    .putInt(0)
                    .put((byte) 63)
                    .put((byte) 17);
            ip.putShort((short) 0).put(source.bytes(), 12, 4).put(destination.bytes(), 12, 4);
            int sum = 0;
            for (int i = 0; i < IPV4_HEADER; i += 2) {
                sum += Short.toUnsignedInt(ip.getShort(i));
            }
            ip.putShort(10, (short) ~((sum & 0xffff) + (sum >>> 16)));
        } else {
            bytes.putInt(6 << 28 | 0x20 << 20)
                    .putShort((short) 60)
                    .put((byte) 17)
                    .put((byte) 63);
            bytes.put(source.bytes()).put(destination.bytes());
        }
        return header;
    }

    private static WorkCompletion completion(int flags, Arena arena) {
        MemorySegment memory = ibv_wc.allocate(arena);
        ibv_wc.wc_flags(memory, flags);
        ibv_wc.slid(memory, (short) 3);
        ibv_wc.sl(memory, (byte) 2);
        return new WorkCompletion(memory);
    }

    @Test
    void receivedDatagramLeadsBackToItsSender() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment header = headerOf(gid.gid(), gid.gid(), arena);
            WorkCompletion completion = completion(RdmaHeaders.IBV_WC_GRH(), arena);
            AddressHandleAttributes sender = AddressHandleAttributes.ofSender(context, 1, completion, header);
            assertThat(sender.port()).isEqualTo(1);
            assertThat(sender.destinationLid()).isEqualTo(3);
            assertThat(sender.serviceLevel()).isEqualTo(2);
            GlobalRoute route = sender.globalRoute().orElseThrow();
            assertThat(route.destinationGid()).isEqualTo(gid.gid());
            assertThat(route.sourceGidIndex()).isEqualTo(gid.index());
            assertThat(route.hopLimit()).isEqualTo(63);
            assertThat(route.trafficClass()).isEqualTo(0x20);
            try (AddressHandle handle = domain.createAddressHandle(1, completion, header)) {
                assertThat(handle.attributes()).isEqualTo(sender);
                assertThat(handle.handle()).isNotZero();
            }
        }
    }

    @Test
    void withoutAHeaderTheLidIsTheSender() {
        try (Arena arena = Arena.ofConfined()) {
            AddressHandleAttributes sender =
                    AddressHandleAttributes.ofSender(context, 1, completion(0, arena), MemorySegment.NULL);
            assertThat(sender).isEqualTo(AddressHandleAttributes.toLid(1, 3).withServiceLevel(2));
        }
    }

    @Test
    void headerThatLeadsNowhereIsRefused() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            WorkCompletion completion = completion(RdmaHeaders.IBV_WC_GRH(), arena);
            assertThatThrownBy(() -> AddressHandleAttributes.ofSender(context, 1, completion, arena.allocate(40)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("ibv_init_ah_from_wc(")
                    .hasMessageContaining("EPROTONOSUPPORT")
                    .hasMessageContaining("the header names no sender")
                    .hasMessageContaining("the first 40 bytes");
            byte[] foreign = gid.gid().bytes();
            foreign[15] ^= 0x55;
            assertThatThrownBy(() ->
                            domain.createAddressHandle(1, completion, headerOf(gid.gid(), Gid.of(foreign), arena)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("an address that is no GID of this port");
            assertThatThrownBy(() -> AddressHandleAttributes.ofSender(context, 1, completion, arena.allocate(39)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("40 bytes, not 39");
            assertThatThrownBy(() -> AddressHandleAttributes.ofSender(context, 9, completion, arena.allocate(40)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no port 9");
            ibv_wc.status(completion.segment(), RdmaHeaders.IBV_WC_WR_FLUSH_ERR());
            assertThatThrownBy(() -> AddressHandleAttributes.ofSender(context, 1, completion, arena.allocate(40)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the receive failed, and names no sender");
        }
        assertThat(domain.childCount()).isZero();
    }

    @Test
    void ethernetAddressIsResolved() {
        EthernetAddress address = toSelf().resolveEthernetAddress(context);
        assertThat(address.mac()).matches("([0-9a-f]{2}:){5}[0-9a-f]{2}");
        assertThat(address.vlan()).isEmpty();
    }

    @Test
    void ethernetAddressThatNobodyHasIsNotResolved() {
        byte[] silent = gid.gid().bytes();
        silent[15] = (byte) 0xc9;
        assertThatThrownBy(() -> AddressHandleAttributes.toGid(1, gid.index(), Gid.of(silent))
                        .resolveEthernetAddress(context))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_resolve_eth_l2_from_gid(to GID ")
                .hasMessageContaining("EHOSTUNREACH")
                .hasMessageContaining("did not resolve");
        assertThatThrownBy(() -> AddressHandleAttributes.toGid(9, 0, gid.gid()).resolveEthernetAddress(context))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no port 9");
    }

    /** The tables in Java agree with the library's. */
    @Test
    void ratesAreThoseOfTheLibrary() {
        for (StaticRate rate : StaticRate.values()) {
            // The kernel's rate of 1600 Gbit/s came to no library before the one whose headers have it.
            boolean known = rate != StaticRate.GBPS_1600 || LibIbVerbs.ibv_rate_to_mbps(rate.code()) != -1;
            if (rate != StaticRate.UNKNOWN && known) {
                assertThat(rate.megabitsPerSecond())
                        .as(rate.name())
                        .isEqualTo(LibIbVerbs.ibv_rate_to_mbps(rate.code()));
                assertThat(rate.multiple()).as(rate.name()).isEqualTo(LibIbVerbs.ibv_rate_to_mult(rate.code()));
                assertThat(StaticRate.ofMegabitsPerSecond(rate.megabitsPerSecond())
                                .code())
                        .isEqualTo(LibIbVerbs.mbps_to_ibv_rate(rate.megabitsPerSecond()));
                assertThat(StaticRate.ofMultiple(rate.multiple()).code())
                        .isEqualTo(LibIbVerbs.mult_to_ibv_rate(rate.multiple()));
            }
        }
    }
}
