// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.device.GidEntry;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The completions of datagrams: by events, through a cursor, and from a shared receive queue. */
@Tag("device")
@Timeout(600)
class DatagramCompletionDeviceTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int MESSAGES = 100;
    private static final int QUEUE_KEY = 0x11111111;
    private static final int SIZE = 64;

    private final DeviceContext device = TestDevice.open();
    private final ProtectionDomain domain = device.allocateProtectionDomain();
    private final CompletionChannel channel = device.createCompletionChannel();
    private final MemoryRegion buffer = domain.allocateMemory(4096, LOCAL_WRITE);
    private final MemorySlice message = buffer.slice(0, SIZE);
    private final MemorySlice room = buffer.slice(1024, GLOBAL_ROUTE_HEADER_BYTES + SIZE);
    private final WorkCompletions completions = WorkCompletions.allocate(4);

    @AfterEach
    void close() {
        device.close();
    }

    private QueuePair open(CompletionQueue queue, SharedReceiveQueue shared) {
        return domain.prepareQueuePair(QueuePairType.UD, config -> {
                    config.completionQueue(queue).queueKey(QUEUE_KEY);
                    if (shared != null) {
                        config.sharedReceiveQueue(shared);
                    }
                })
                .activate();
    }

    private Destination to(QueuePair peer) {
        GidEntry gid = device.selectGid(1);
        AddressHandle handle = domain.createAddressHandle(AddressHandleAttributes.toGid(1, gid.index(), gid.gid()));
        return Destination.of(handle, peer.number(), QUEUE_KEY);
    }

    @Test
    void datagramsAreWaitedFor() {
        CompletionQueue queue = device.createCompletionQueue(16, config -> config.channel(channel));
        CompletionQueue peerQueue = device.createCompletionQueue(16, config -> config.channel(channel));
        QueuePair sender = open(queue, null);
        QueuePair receiver = open(peerQueue, null);
        Destination destination = to(receiver);
        for (int i = 0; i < MESSAGES; i++) {
            assertThat(receiver.tryPostReceive(i, room)).isTrue();
            assertThat(sender.tryPostSend(i, message, destination, SendFlags.SIGNALED))
                    .isTrue();
            assertThat(queue.awaitCompletions(completions, LONG)).isEqualTo(1);
            assertThat(peerQueue.awaitCompletions(completions, LONG)).isEqualTo(1);
            assertThat(completions.get(0).workRequestId()).isEqualTo(i);
            assertThat(completions.get(0).isSuccess()).isTrue();
        }
    }

    @Test
    void datagramsAreReadThroughTheCursor() {
        ExtendedCompletionQueue queue = device.createExtendedCompletionQueue(16, config -> config.channel(channel));
        ExtendedCompletionQueue peerQueue = device.createExtendedCompletionQueue(16, config -> config.channel(channel));
        QueuePair sender = open(queue, null);
        QueuePair receiver = open(peerQueue, null);
        Destination destination = to(receiver);
        for (int i = 0; i < MESSAGES; i++) {
            assertThat(receiver.tryPostReceive(i, room)).isTrue();
            assertThat(sender.tryPostSendWithImmediate(i, message, 7 * i, destination, SendFlags.SIGNALED))
                    .isTrue();
            assertThat(queue.awaitCursor(LONG)).isTrue();
            assertThat(queue.cursor().isSuccess()).isTrue();
            queue.cursor().end();
            assertThat(peerQueue.awaitCursor(LONG)).isTrue();
            CompletionCursor cursor = peerQueue.cursor();
            assertThat(cursor.workRequestId()).isEqualTo(i);
            assertThat(cursor.opcode()).isEqualTo(WorkCompletionOpcode.RECEIVE);
            assertThat(cursor.byteLength()).isEqualTo(room.length());
            assertThat(cursor.hasGlobalRouteHeader()).isTrue();
            assertThat(cursor.immediateData()).isEqualTo(7 * i);
            assertThat(cursor.sourceQueuePairNumber()).isEqualTo(sender.number());
            assertThat(cursor.queuePairNumber()).isEqualTo(receiver.number());
            cursor.end();
        }
    }

    @Test
    void datagramsTakeSharedReceives() {
        CompletionQueue queue = device.createCompletionQueue(16, config -> config.channel(channel));
        SharedReceiveQueue shared = domain.createSharedReceiveQueue(config -> config.maxWorkRequests(4));
        QueuePair sender = open(queue, null);
        QueuePair receiver = open(queue, shared);
        assertThat(shared.tryPostReceive(77, room)).isTrue();
        assertThat(sender.tryPostSend(1, message, to(receiver), SendFlags.NONE)).isTrue();
        assertThat(queue.awaitCompletions(completions, LONG)).isEqualTo(1);
        assertThat(completions.get(0).workRequestId()).isEqualTo(77);
        assertThat(completions.get(0).isSuccess()).isTrue();
    }
}
