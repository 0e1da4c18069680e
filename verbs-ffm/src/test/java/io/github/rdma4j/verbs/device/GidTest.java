// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** GIDs, and the choice among them. */
class GidTest {
    private static final Gid IPV4 = gid("0:0:0:0:0:ffff:a63:1");
    private static final Gid GLOBAL = gid("2001:db8:0:0:0:0:0:1");
    private static final Gid LINK_LOCAL = gid("fe80:0:0:0:5054:ff:fe12:3456");

    private static Gid gid(String ipv6) {
        byte[] bytes = new byte[Gid.LENGTH];
        String[] groups = ipv6.split(":");
        for (int i = 0; i < groups.length; i++) {
            int group = Integer.parseInt(groups[i], 16);
            bytes[2 * i] = (byte) (group >> 8);
            bytes[2 * i + 1] = (byte) group;
        }
        return Gid.of(bytes);
    }

    private static GidEntry entry(int index, Gid gid, GidType type) {
        return new GidEntry(gid, index, 1, type, 2);
    }

    @Test
    void kindsAreDistinguished() {
        assertThat(IPV4.isIpv4Mapped()).isTrue();
        assertThat(IPV4.isLinkLocal()).isFalse();
        assertThat(LINK_LOCAL.isLinkLocal()).isTrue();
        assertThat(LINK_LOCAL.isIpv4Mapped()).isFalse();
        assertThat(GLOBAL.isLinkLocal()).isFalse();
        assertThat(GLOBAL.isIpv4Mapped()).isFalse();
        assertThat(gid("febf:0:0:0:0:0:0:1").isLinkLocal()).isTrue();
        assertThat(gid("fec0:0:0:0:0:0:0:1").isLinkLocal()).isFalse();
        assertThat(Gid.ZERO.isZero()).isTrue();
        assertThat(IPV4.isZero()).isFalse();
    }

    @Test
    void ipv4AddressIsMappedOnlyBelowItsPrefix() {
        assertThat(gid("0:0:0:0:0:ff00:a63:1").isIpv4Mapped()).isFalse();
        assertThat(gid("0:0:0:0:0:00ff:a63:1").isIpv4Mapped()).isFalse();
        assertThat(gid("0:0:0:0:1:ffff:a63:1").isIpv4Mapped()).isFalse();
    }

    @Test
    void groupsAreThoseOfIpv6AndOfMappedIpv4() {
        assertThat(gid("ff02:0:0:0:0:0:0:1").isMulticast()).isTrue();
        assertThat(gid("0:0:0:0:0:ffff:e000:1").isMulticast()).isTrue();
        assertThat(gid("0:0:0:0:0:ffff:efff:1").isMulticast()).isTrue();
        assertThat(gid("0:0:0:0:0:ffff:f000:1").isMulticast()).isFalse();
        assertThat(gid("0:0:0:0:0:0:e000:1").isMulticast()).isFalse();
        assertThat(IPV4.isMulticast()).isFalse();
    }

    @Test
    void textIsIpv6AndEqualityIsByBytes() throws Exception {
        assertThat(IPV4).hasToString("0000:0000:0000:0000:0000:ffff:0a63:0001");
        assertThat(Gid.of(InetAddress.getByName(GLOBAL.toString()).getAddress()))
                .isEqualTo(GLOBAL)
                .hasSameHashCodeAs(GLOBAL);
        assertThat(GLOBAL).isNotEqualTo(LINK_LOCAL);
    }

    @Test
    void bytesAreCopies() {
        byte[] bytes = GLOBAL.bytes();
        Gid copy = Gid.of(bytes);
        bytes[0] = 0;
        copy.bytes()[1] = 0;
        assertThat(copy).isEqualTo(GLOBAL);
        assertThatThrownBy(() -> Gid.of(new byte[15])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void roceVersion2ComesFirstThenIpv4ThenGlobalThenLinkLocal() {
        List<GidEntry> table = List.of(
                entry(0, LINK_LOCAL, GidType.ROCE_V1),
                entry(1, LINK_LOCAL, GidType.ROCE_V2),
                entry(2, IPV4, GidType.ROCE_V1),
                entry(3, GLOBAL, GidType.ROCE_V2),
                entry(4, IPV4, GidType.ROCE_V2),
                entry(5, IPV4, GidType.ROCE_V2));
        assertThat(GidEntry.preferred(table)).map(GidEntry::index).hasValue(4);
        assertThat(GidEntry.preferred(table.subList(0, 4))).map(GidEntry::index).hasValue(3);
        assertThat(GidEntry.preferred(table.subList(0, 3))).map(GidEntry::index).hasValue(1);
        assertThat(GidEntry.preferred(table.subList(2, 3))).map(GidEntry::index).hasValue(2);
        assertThat(GidEntry.preferred(List.of())).isEmpty();
        assertThat(GidEntry.preferred(List.of(entry(256, IPV4, GidType.ROCE_V2), entry(3, IPV4, GidType.UNKNOWN))))
                .isEmpty();
    }

    /** As perftest chooses since 57927ab: 169.254.0.0/16 is as local as fe80::/10. */
    @Test
    void linkLocalIpv4ComesBehindOtherIpv4AndBeforeIpv6() {
        Gid local = gid("0:0:0:0:0:ffff:a9fe:7");
        assertThat(local.isLinkLocal()).isTrue();
        assertThat(gid("0:0:0:0:0:ffff:a9ff:7").isLinkLocal()).isFalse();
        List<GidEntry> table = List.of(
                entry(0, LINK_LOCAL, GidType.ROCE_V2),
                entry(1, local, GidType.ROCE_V2),
                entry(2, GLOBAL, GidType.ROCE_V2),
                entry(3, IPV4, GidType.ROCE_V2));
        assertThat(GidEntry.preferred(table)).map(GidEntry::index).hasValue(3);
        assertThat(GidEntry.preferred(table.subList(0, 3))).map(GidEntry::index).hasValue(1);
    }

    @Test
    void onInfiniBandThePortsOwnGidIsTaken() {
        List<GidEntry> table = List.of(entry(0, LINK_LOCAL, GidType.INFINIBAND), entry(1, GLOBAL, GidType.INFINIBAND));
        assertThat(GidEntry.preferred(table)).map(GidEntry::index).hasValue(0);
    }
}
