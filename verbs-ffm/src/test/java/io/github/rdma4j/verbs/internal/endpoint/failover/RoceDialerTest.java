// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.GidType;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The GID of a connection that moves back to RDMA. */
class RoceDialerTest {
    private static final GidEntry KNOWN = entry(3, 1, GidType.ROCE_V2, 5);

    private static GidEntry entry(int index, int address, GidType type, int networkInterface) {
        byte[] bytes = new byte[Gid.LENGTH];
        bytes[Gid.LENGTH - 1] = (byte) address;
        return new GidEntry(Gid.of(bytes), index, 1, type, networkInterface);
    }

    @Test
    void gidIsFoundAtItsNewIndex() {
        List<GidEntry> table = List.of(
                entry(3, 2, GidType.ROCE_V2, 5),
                entry(4, 1, GidType.ROCE_V1, 5),
                entry(5, 1, GidType.ROCE_V2, 6),
                entry(6, 1, GidType.ROCE_V2, 5),
                entry(256, 1, GidType.ROCE_V2, 5));
        assertThat(RoceDialer.now(KNOWN, table)).isEqualTo(table.get(3));
        // An interface that was made again, such as a VLAN.
        assertThat(RoceDialer.now(KNOWN, table.subList(0, 3))).isEqualTo(table.get(2));
    }

    @Test
    void gidThatIsGoneIsReported() {
        assertThatThrownBy(() -> RoceDialer.now(KNOWN, List.of(entry(3, 2, GidType.ROCE_V2, 5))))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("no longer in the GID table")
                .hasMessageContaining("ip link set dev INTERFACE up");
    }
}
