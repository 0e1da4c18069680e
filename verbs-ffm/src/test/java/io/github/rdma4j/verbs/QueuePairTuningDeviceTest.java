// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.device.Gid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests multicast groups, provider extensions, pacing and the order of data, as far as SoftRoCE supports them, and its
 * refusals.
 */
@Tag("device")
class QueuePairTuningDeviceTest {
    private static final Gid GROUP = group(1);

    private DeviceContext context;
    private ProtectionDomain domain;
    private CompletionQueue queue;
    private QueuePair datagrams;

    private static Gid group(int number) {
        byte[] gid = new byte[Gid.LENGTH];
        gid[0] = (byte) 0xff;
        gid[1] = 0x0e;
        gid[15] = (byte) number;
        return Gid.of(gid);
    }

    @BeforeEach
    void open() {
        context = TestDevice.open();
        domain = context.allocateProtectionDomain();
        queue = context.createCompletionQueue(16);
        datagrams = domain.prepareQueuePair(QueuePairType.UD, config -> config.completionQueue(queue))
                .activate();
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void groupIsJoinedOnceAndLeft() {
        datagrams.attachMulticast(GROUP, 0);
        datagrams.attachMulticast(group(2), 0);
        assertThatIllegalStateException()
                .isThrownBy(() -> datagrams.attachMulticast(GROUP, 0))
                .withMessageContaining("is attached to the group already: GID ff0e:");
        datagrams.detachMulticast(GROUP, 0);
        assertThatIllegalStateException()
                .isThrownBy(() -> datagrams.detachMulticast(GROUP, 0))
                .withMessageContaining("is not attached to the group: GID ff0e:");
        datagrams.attachMulticast(GROUP, 0);
    }

    /** The kernel refuses to destroy a queue pair in a multicast group, with EBUSY. */
    @Test
    void queuePairInAGroupClosesLikeAnyOther() {
        datagrams.attachMulticast(GROUP, 0);
        datagrams.attachMulticast(group(2), 0);
        datagrams.close();
        assertThat(datagrams.isOpen()).isFalse();
        assertThatIllegalStateException().isThrownBy(() -> datagrams.attachMulticast(GROUP, 0));
    }

    @Test
    void queuePairOutsideAGroupIsRefused() {
        QueuePair connected = domain.createQueuePair(QueuePairType.RC, config -> config.completionQueue(queue));
        assertThatIllegalStateException()
                .isThrownBy(() -> connected.attachMulticast(GROUP, 0))
                .withMessageContaining("multicast groups are for UD queue pairs")
                .withMessageContaining("RC");
        Gid one = context.selectGid(1).gid();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> datagrams.attachMulticast(one, 0))
                .withMessageContaining("names no multicast group");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> datagrams.attachMulticast(GROUP, 0x10000))
                .withMessageContaining("0x10000 has more than 16 bits");
    }

    @Test
    void providerExtensionsAreUnsupported() {
        assertThatThrownBy(datagrams::queryEce)
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_query_ece(0x");
        assertThatThrownBy(() -> datagrams.setEce(new EnhancedConnectionEstablishment(0x15b3, 1, 0)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_set_ece(0x")
                .hasMessageContaining("vendor_id=0x0015b3, options=0x00000001");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> datagrams.setEce(new EnhancedConnectionEstablishment(0, 1, 0)))
                .withMessageContaining("vendor id 0 is none");
    }

    @Test
    void pacingIsUnsupported() {
        assertThatThrownBy(() -> datagrams.modifyRateLimit(new QueuePairRateLimit(1000, 2000, 500)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("1000 kbit/s, burst 2000, packet 500");
        assertThatIllegalArgumentException().isThrownBy(() -> new QueuePairRateLimit(-1, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new QueuePairRateLimit(0, 1L << 32, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new QueuePairRateLimit(0, 0, 65_536))
                .withMessage("packet size 65536 is not in 0..65535");
    }

    @Test
    void softwareGuaranteesNoOrderOfData() {
        for (IncomingOperation operation : IncomingOperation.values()) {
            assertThat(datagrams.dataInOrder(operation)).isEqualTo(DataInOrder.NONE);
        }
    }

    @Test
    void orderOfDataFollowsFromBothWaysOfAsking() {
        assertThat(QueuePairTuning.dataInOrder(0, 0)).isEqualTo(DataInOrder.NONE);
        assertThat(QueuePairTuning.dataInOrder(0, 1)).isEqualTo(DataInOrder.WHOLE_MESSAGE);
        assertThat(QueuePairTuning.dataInOrder(3, 1)).isEqualTo(DataInOrder.WHOLE_MESSAGE);
        assertThat(QueuePairTuning.dataInOrder(2, 0)).isEqualTo(DataInOrder.ALIGNED_128_BYTES);
    }

    @Test
    void useAfterCloseIsAnException() {
        datagrams.close();
        assertThatIllegalStateException().isThrownBy(datagrams::queryEce);
        assertThatIllegalStateException().isThrownBy(() -> datagrams.dataInOrder(IncomingOperation.SEND));
        assertThatIllegalStateException().isThrownBy(() -> datagrams.modifyRateLimit(new QueuePairRateLimit(0, 0, 0)));
    }
}
