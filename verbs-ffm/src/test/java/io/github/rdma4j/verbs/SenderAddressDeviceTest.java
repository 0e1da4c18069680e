// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests datagrams to one queue pair and to a group, and the address handle of their sender. */
@Tag("device")
class SenderAddressDeviceTest {
    private static final int HEADER = WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES;
    private static final int QUEUE_KEY = 0x1357;
    private static final int ALL_OF_THE_GROUP = 0xffffff;

    private final Arena arena = Arena.ofShared();
    private final WorkCompletions completions = WorkCompletions.allocate(4);
    private DeviceContext context;
    private ProtectionDomain domain;
    private CompletionQueue queue;
    private MemoryRegion buffer;
    private QueuePair queuePair;
    private GidEntry gid;

    @BeforeEach
    void open() {
        context = TestDevice.open();
        domain = context.allocateProtectionDomain();
        queue = context.createCompletionQueue(16);
        buffer = domain.registerMemory(arena.allocate(4096), AccessFlag.LOCAL_WRITE);
        queuePair = domain.prepareQueuePair(
                        QueuePairType.UD,
                        config -> config.completionQueue(queue).queueKey(QUEUE_KEY))
                .activate();
        gid = context.selectGid(1);
    }

    @AfterEach
    void close() {
        context.close();
        arena.close();
    }

    private void send(AddressHandle to, int queuePairNumber, String message) {
        buffer.segment().setString(0, message);
        assertThat(queuePair.tryPostSend(
                        1,
                        buffer.slice(0, message.length() + 1),
                        Destination.of(to, queuePairNumber, QUEUE_KEY),
                        SendFlags.SIGNALED))
                .isTrue();
    }

    /** Waits for the receive; the send's own completion is passed over. */
    private WorkCompletion received() {
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (System.nanoTime() < deadline) {
            int count = queue.poll(completions);
            for (int i = 0; i < count; i++) {
                WorkCompletion completion = completions.get(i);
                assertThat(completion.isSuccess()).as(completion.describe()).isTrue();
                if (completion.opcode() == WorkCompletionOpcode.RECEIVE) {
                    return completion;
                }
            }
        }
        throw new AssertionError("no receive within 60 s");
    }

    private MemorySegment header(long at) {
        return buffer.segment().asSlice(at, HEADER);
    }

    private String message(long at) {
        return buffer.segment().getString(at + HEADER);
    }

    @Test
    void answerFindsItsWayBack() {
        assertThat(queuePair.tryPostReceive(10, buffer.slice(1024, 256))).isTrue();
        assertThat(queuePair.tryPostReceive(11, buffer.slice(2048, 256))).isTrue();
        AddressHandle there = domain.createAddressHandle(
                AddressHandleAttributes.toGid(1, gid.index(), gid.gid()).withTrafficClass(0x10));
        send(there, queuePair.number(), "question");
        WorkCompletion question = received();
        assertThat(message(1024)).isEqualTo("question");
        assertThat(question.hasGlobalRouteHeader()).isTrue();
        assertThat(question.byteLength()).isEqualTo(HEADER + "question".length() + 1);
        int sender = question.sourceQueuePairNumber();
        assertThat(sender).isEqualTo(queuePair.number());
        AddressHandleAttributes way = AddressHandleAttributes.ofSender(context, 1, question, header(1024));
        GlobalRoute route = way.globalRoute().orElseThrow();
        assertThat(route.destinationGid()).isEqualTo(gid.gid());
        assertThat(route.sourceGidIndex()).isEqualTo(gid.index());
        assertThat(route.trafficClass()).isEqualTo(0x10);
        AddressHandle back = domain.createAddressHandle(1, question, header(1024));
        assertThat(back.attributes()).isEqualTo(way);
        send(back, sender, "answer");
        assertThat(received().workRequestId()).isEqualTo(11);
        assertThat(message(2048)).isEqualTo("answer");
    }

    @Test
    void extendedCompletionAlsoHasTheSender() {
        ExtendedCompletionQueue extended = context.createExtendedCompletionQueue(
                16,
                config -> config.fields(
                        WorkCompletionField.SOURCE_LID,
                        WorkCompletionField.SERVICE_LEVEL,
                        WorkCompletionField.DESTINATION_PATH_BITS));
        QueuePair receiver = domain.prepareQueuePair(
                        QueuePairType.UD,
                        config -> config.completionQueue(extended).queueKey(QUEUE_KEY))
                .activate();
        assertThat(receiver.tryPostReceive(12, buffer.slice(1024, 256))).isTrue();
        send(
                domain.createAddressHandle(AddressHandleAttributes.toGid(1, gid.index(), gid.gid())),
                receiver.number(),
                "hello");
        CompletionCursor cursor = extended.cursor();
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (!cursor.start()) {
            assertThat(System.nanoTime()).as("no receive within 60 s").isLessThan(deadline);
        }
        AddressHandleAttributes way = AddressHandleAttributes.ofSender(context, 1, cursor, header(1024));
        cursor.end();
        assertThat(way.globalRoute().orElseThrow().destinationGid()).isEqualTo(gid.gid());
        assertThat(way.globalRoute().orElseThrow().sourceGidIndex()).isEqualTo(gid.index());
        assertThat(message(1024)).isEqualTo("hello");
    }

    /**
     * On RoCE the kernel drops packets for a group that no socket has joined. With rdma_cm the kernel joins
     * automatically.
     */
    @Test
    void groupReceivesWhatIsSentToIt() throws Exception {
        Gid group = group(gid.gid());
        InetAddress address = InetAddress.getByAddress(
                group.isIpv4Mapped() ? Arrays.copyOfRange(group.bytes(), 12, Gid.LENGTH) : group.bytes());
        try (MulticastSocket socket = new MulticastSocket()) {
            socket.joinGroup(
                    new InetSocketAddress(address, 0), NetworkInterface.getByIndex(gid.networkInterfaceIndex()));
            queuePair.attachMulticast(group, 0);
            assertThat(queuePair.tryPostReceive(10, buffer.slice(1024, 256))).isTrue();
            AddressHandle everybody = domain.createAddressHandle(AddressHandleAttributes.toGid(1, gid.index(), group));
            send(everybody, ALL_OF_THE_GROUP, "to all");
            assertThat(received().workRequestId()).isEqualTo(10);
            assertThat(message(1024)).isEqualTo("to all");
        }
    }

    /** Of the family of this side's GID: 239.7.7.7, or ff0e::7. */
    private static Gid group(Gid own) {
        byte[] bytes = new byte[Gid.LENGTH];
        if (own.isIpv4Mapped()) {
            bytes[10] = bytes[11] = (byte) 0xff;
            bytes[12] = (byte) 239;
            bytes[13] = bytes[14] = 7;
        } else {
            bytes[0] = (byte) 0xff;
            bytes[1] = 0x0e;
        }
        bytes[15] = 7;
        return Gid.of(bytes);
    }
}
