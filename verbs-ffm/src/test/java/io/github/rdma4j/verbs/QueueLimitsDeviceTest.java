// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Queues with extended posting that are full, too small, or not ready; sizes that no device has. */
@Tag("device")
class QueueLimitsDeviceTest {
    private final PostingPair pair = new PostingPair(QueuePairType.UD, SendOperation.SEND);

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void fullReceiveQueueIsReported() {
        int accepted = 0;
        while (pair.peer.tryPostReceive(accepted, pair.peerBuffer.slice(0, 64))) {
            accepted++;
            assertThat(accepted).isLessThan(10_000);
        }
        assertThat(accepted).isGreaterThanOrEqualTo(128);
    }

    @Test
    void receiveWithMoreSlicesThanTheQueueAllowsIsRefused() {
        MemorySlice slice = pair.peerBuffer.slice(0, 64);
        SliceList list = SliceList.of(slice, slice, slice, slice);
        assertThatThrownBy(() -> pair.peer.tryPostReceive(1, list))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("4 slices: a request of this queue takes at most 3");
    }

    @Test
    void queuePairInResetRefusesAReceiveWithTheReason() {
        pair.peer.modify(attributes -> attributes.state(QueuePairState.RESET));
        for (Runnable post : List.<Runnable>of(
                () -> pair.peer.tryPostReceive(1, pair.peerBuffer.slice(0, 64)),
                () -> pair.peer
                        .startReceiveBatch()
                        .receive(1, pair.peerBuffer.slice(0, 64))
                        .tryPost())) {
            assertThatThrownBy(post::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("its state is RESET, and receives can be posted from INIT on")
                    .hasMessageContaining("Connect it first");
        }
    }

    @Test
    void unconnectedQueuePairRefusesASendWithTheReason() {
        for (QueuePairState state : List.of(QueuePairState.RESET, QueuePairState.INIT)) {
            pair.pair.modify(attributes -> {
                attributes.state(state);
                if (state == QueuePairState.INIT) {
                    attributes.port(1).partitionKeyIndex(0).queueKey(0x11111111);
                }
            });
            for (Runnable post : List.<Runnable>of(
                    () -> pair.pair.tryPostSend(1, pair.buffer.slice(0, 8), pair.toPeer, SIGNALED),
                    () -> pair.startBatch()
                            .send(1, pair.buffer.slice(0, 8), SIGNALED)
                            .tryPost())) {
                assertThatThrownBy(post::run)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("its state is " + state + ", and sends can be posted from RTS on")
                        .hasMessageContaining("Connect it first");
            }
        }
    }

    @Test
    void sizesBeyondTheDevicesAreRefusedWithBothNumbers() {
        int depth = pair.device.attributes().maxQueuePairWorkRequests();
        int entries = pair.device.attributes().maxScatterGather();
        assertRefused(config -> config.maxSendWorkRequests(Integer.MAX_VALUE), "maxSendWorkRequests", depth);
        assertRefused(config -> config.maxReceiveWorkRequests(Integer.MAX_VALUE), "maxReceiveWorkRequests", depth);
        assertRefused(config -> config.maxSendScatterGather(0xffff), "maxSendScatterGather", entries);
        assertRefused(config -> config.maxReceiveScatterGather(0xffff), "maxReceiveScatterGather", entries);
    }

    private void assertRefused(Consumer<QueuePairConfig> size, String name, int limit) {
        assertThatThrownBy(() -> pair.domain.createQueuePair(QueuePairType.RAW_PACKET, config -> {
                    config.completionQueue(pair.queue).sendOperations(SendOperation.SEND);
                    size.accept(config);
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name)
                .hasMessageContaining("allows 1.." + limit);
    }

    @Test
    void receiveOnlyQueuePairNeedsAnXrcDomainOrAWorkQueueTable() {
        assertThatThrownBy(() -> pair.domain.createQueuePair(QueuePairType.XRC_RECV, config -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an XRC domain is for queue pairs of type XRC_RECV, which need one: xrcDomain(...)");
        assertThatThrownBy(() -> pair.domain.createQueuePair(
                        QueuePairType.RC, config -> config.receiveHash(null, ReceiveHashConfig.toeplitz(new byte[40]))))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("receive work queue table");
    }

    @Test
    void rawPacketsAreNotForSoftRoce() {
        int children = pair.domain.childCount();
        assertThatThrownBy(() -> pair.domain.createQueuePair(
                        QueuePairType.RAW_PACKET, config -> config.completionQueue(pair.queue)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_create_qp(RAW_PACKET");
        assertThatThrownBy(() -> pair.domain.createQueuePair(
                        QueuePairType.RAW_PACKET,
                        config -> config.completionQueue(pair.queue).sendOperations(SendOperation.SEND)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_qp_ex(RAW_PACKET");
        assertThat(pair.domain.childCount()).isEqualTo(children);
    }
}
