// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.LinkLayer;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the limits of queue pairs and completion queues. A refusal names the requested number and the limit. */
@Tag("device")
class QueuePairConfigDeviceTest {
    private DeviceContext context;
    private ProtectionDomain domain;
    private CompletionQueue queue;

    @BeforeEach
    void open() {
        context = TestDevice.open();
        domain = context.allocateProtectionDomain();
        queue = context.createCompletionQueue(10);
    }

    @AfterEach
    void close() {
        context.close();
    }

    private void assertRefused(Consumer<QueuePairConfig> configuration, String... parts) {
        assertThatThrownBy(() -> domain.prepareQueuePair(
                        QueuePairType.RC, config -> configuration.accept(config.completionQueue(queue))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(parts);
    }

    @Test
    void sizesOutsideTheDeviceAreRefused() {
        int limit = context.attributes().maxQueuePairWorkRequests();
        assertRefused(config -> config.maxSendWorkRequests(0), "maxSendWorkRequests 0", "1.." + limit);
        assertRefused(
                config -> config.maxSendWorkRequests(limit + 1), "maxSendWorkRequests " + (limit + 1), "1.." + limit);
        assertRefused(config -> config.maxReceiveWorkRequests(-1), "maxReceiveWorkRequests -1");
        assertRefused(config -> config.maxInlineData(-1), "maxInlineData -1: 0..65535 are possible");
        assertRefused(config -> config.maxInlineData(Integer.MAX_VALUE), "maxInlineData 2147483647: 0..65535");
        assertRefused(config -> config.packetSequenceNumber(1 << 24), "packetSequenceNumber 16777216", "0..16777215");
        assertRefused(config -> config.port(9), "no port 9");
        assertRefused(config -> config.gidIndex(254), "no GID at index 254");
        assertRefused(config -> config.gidIndex(256), "GID index 256", "0..255");
        assertRefused(
                config -> config.remoteAccess(AccessFlag.LOCAL_WRITE),
                "REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, FLUSH_GLOBAL and FLUSH_PERSISTENT");
        int keys = context.port(1).partitionTableLength();
        assertRefused(config -> config.partitionKeyIndex(keys), "partitionKeyIndex " + keys, " has " + keys + " entr");
        int entries = context.attributes().maxCompletionQueueEntries();
        assertThatThrownBy(() -> context.createCompletionQueue(entries + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1.." + entries);
        assertThatThrownBy(() -> context.createCompletionQueue(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void missingCompletionQueueIsNamed() {
        assertThatThrownBy(() -> domain.prepareQueuePair(QueuePairType.RC, config -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("completionQueue(...) was not called");
    }

    @Test
    void refusedQueuePairLeavesNothingBehind() {
        assertRefused(config -> config.gidIndex(254), "no GID");
        assertThat(domain.childCount()).isZero();
        assertThat(queue.childCount()).isZero();
        assertThat(context.childCount()).isEqualTo(2);
    }

    @Test
    void endpointHasTheAddressForThePeer() {
        try (PreparedQueuePair prepared = domain.prepareQueuePair(
                QueuePairType.RC, config -> config.completionQueue(queue).packetSequenceNumber(0x123456))) {
            QueuePairEndpoint endpoint = prepared.endpoint();
            assertThat(endpoint.packetSequenceNumber()).isEqualTo(0x123456);
            assertThat(endpoint.queuePairNumber()).isPositive();
            assertThat(endpoint.mtu()).isEqualTo(context.port(1).activeMtu());
            if (context.port(1).linkLayer() == LinkLayer.ETHERNET) {
                assertThat(endpoint.gid()).isEqualTo(context.selectGid(1).gid());
                assertThat(prepared.gidIndex()).hasValue(context.selectGid(1).index());
            }
        }
    }

    @Test
    void queuePairConnectsOnceAndReportsAnImpossiblePeer() {
        PreparedQueuePair prepared = domain.prepareQueuePair(QueuePairType.RC, config -> config.completionQueue(queue));
        QueuePairEndpoint mine = prepared.endpoint();
        QueuePairEndpoint withoutGid = new QueuePairEndpoint(
                mine.queuePairNumber(), mine.packetSequenceNumber(), mine.lid(), Gid.ZERO, mine.mtu());
        if (context.port(1).linkLayer() == LinkLayer.ETHERNET) {
            assertThatThrownBy(() -> prepared.connect(withoutGid))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("the peer's endpoint has none");
        }
        assertThatThrownBy(() -> prepared.connect(mine, config -> config.timeout(32)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("timeout 32 is not in 0..31");
        int served = context.attributes().maxQueuePairReadAtomic();
        assertThatThrownBy(() -> prepared.connect(mine, config -> config.maxDestinationReadAtomic(served + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxDestinationReadAtomic " + (served + 1))
                .hasMessageContaining("0.." + served);
        int outstanding = context.attributes().maxQueuePairInitiatorReadAtomic();
        assertThatThrownBy(() -> prepared.connect(mine, config -> config.maxReadAtomic(outstanding + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxReadAtomic " + (outstanding + 1));
        assertThatThrownBy(() -> prepared.connect(mine, config -> config.flowLabel(0x100000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("flow label 1048576 is not in 0..1048575");
        assertThat(prepared.connect(mine).state()).isEqualTo(QueuePairState.RTS);
        assertThatThrownBy(() -> prepared.connect(mine))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("connected already");
        prepared.close();
        prepared.close();
    }

    @Test
    void flowLabelIsThatOfTheRoute() {
        try (PreparedQueuePair prepared =
                domain.prepareQueuePair(QueuePairType.RC, config -> config.completionQueue(queue))) {
            QueuePair connected = prepared.connect(prepared.endpoint(), config -> config.flowLabel(0xabcde));
            if (context.port(1).linkLayer() == LinkLayer.ETHERNET) {
                assertThat(connected.query().path().globalRoute().orElseThrow().flowLabel())
                        .isEqualTo(0xabcde);
            }
        }
    }
}
