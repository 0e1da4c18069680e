// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.github.rdma4j.verbs.WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidType;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.PortAttributes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Addresses of InfiniBand, by libibverbs and libmlx5 on a port that has a LID: within a subnet nobody needs a GID. With
 * a thread that plays the adapter.
 */
@Timeout(120)
class InfiniBandOnLibmlx5 {
    private static final int LID = 1;
    private static final int NOBODY = 9;
    /** Of the subnet prefix and the port's GUID: fe80::200:ff:fe00:1. */
    private static final Gid HERE = Gid.of(HexFormat.of().parseHex("fe80000000000000020000fffe000001"));

    private static final int QUEUE_KEY = 0x1234;
    private static final int SIZE = 24;
    private static final int RECEIVE_OFFSET = 1024;
    private static final int MORE_THAN_REGISTERS = 40;
    private static final Duration LONG = Duration.ofSeconds(30);

    private final DeviceContext device = DeviceContext.open(Mlx5StandIn.DEVICE);
    private final ProtectionDomain domain = device.allocateProtectionDomain();
    private final CompletionQueue queue = device.createCompletionQueue(2 * MORE_THAN_REGISTERS);
    private final CompletionQueue peerQueue = device.createCompletionQueue(2 * MORE_THAN_REGISTERS);
    private final MemoryRegion buffer = domain.allocateMemory(4096, LOCAL_WRITE, REMOTE_WRITE);
    private final WorkCompletions completions = WorkCompletions.allocate(4);

    @AfterEach
    void close() {
        device.close();
        assertThat(Mlx5StandIn.objects()).as("objects that the kernel has left").isZero();
    }

    private WorkCompletion await(CompletionQueue from) {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (from.poll(completions) == 0) {
            assertThat(System.nanoTime() - deadline)
                    .as("no completion within 30 s")
                    .isNegative();
            Thread.onSpinWait();
        }
        return completions.get(0);
    }

    private PreparedQueuePair prepare(CompletionQueue completions, int partition) {
        return domain.prepareQueuePair(
                QueuePairType.RC,
                config -> config.completionQueue(completions)
                        .maxSendWorkRequests(1)
                        .maxReceiveWorkRequests(1)
                        .partitionKeyIndex(partition)
                        .remoteAccess(REMOTE_WRITE));
    }

    /** Few and short retries: 4.096 us x 2^12, twice. */
    private static QueuePair connect(PreparedQueuePair mine, QueuePairEndpoint theirs) {
        return mine.connect(theirs, config -> config.timeout(12).retryCount(1));
    }

    private WorkCompletion write(QueuePair from) {
        MemorySlice target = buffer.slice(RECEIVE_OFFSET, SIZE);
        assertThat(from.tryPostWrite(1, buffer.slice(0, SIZE), target.remoteMemory(), SendFlags.SIGNALED))
                .isTrue();
        return await(queue);
    }

    @Test
    void portIsSeenAsItIs() {
        PortAttributes port = device.port(1);
        assertThat(port.linkLayer()).isEqualTo(LinkLayer.INFINIBAND);
        assertThat(port.lid()).isEqualTo(LID);
        assertThat(port.partitionTableLength()).isEqualTo(2);
        assertThat(device.partitionKey(1, 1)).isEqualTo(0x8005);
        assertThat(device.partitionKeyIndex(1, 0x8005)).isEqualTo(1);
        assertThat(device.gidTable()).singleElement().satisfies(entry -> {
            assertThat(entry.type()).isEqualTo(GidType.INFINIBAND);
            assertThat(entry.gid()).isEqualTo(HERE);
        });
    }

    @Test
    void queuePairsConnectByTheirLids() {
        PreparedQueuePair mine = prepare(queue, 0);
        PreparedQueuePair theirs = prepare(peerQueue, 0);
        assertThat(mine.gidIndex()).isEmpty();
        assertThat(mine.endpoint().lid()).isEqualTo(LID);
        assertThat(mine.endpoint().gid().isZero()).isTrue();
        QueuePair pair =
                connect(mine, QueuePairEndpoint.fromBytes(theirs.endpoint().toBytes()));
        connect(theirs, mine.endpoint());
        AddressHandleAttributes path = pair.query().path();
        assertThat(path.destinationLid()).isEqualTo(LID);
        assertThat(path.globalRoute()).isEmpty();
        buffer.segment().asSlice(0, SIZE).fill((byte) 7);
        assertThat(write(pair).isSuccess()).as(completions.get(0).describe()).isTrue();
        assertThat(buffer.segment().get(ValueLayout.JAVA_BYTE, RECEIVE_OFFSET + SIZE - 1))
                .isEqualTo((byte) 7);
    }

    /** libmlx5 then gives a register to several of them. */
    @Test
    void moreQueuePairsThanRegistersAreServed() {
        for (int i = 0; i < MORE_THAN_REGISTERS; i++) {
            PreparedQueuePair mine = prepare(queue, 0);
            PreparedQueuePair theirs = prepare(peerQueue, 0);
            connect(theirs, mine.endpoint());
            assertThat(write(connect(mine, theirs.endpoint())).isSuccess()).isTrue();
        }
    }

    @Test
    void globalRouteIsUsedIfOneIsAskedFor() {
        PreparedQueuePair mine = domain.prepareQueuePair(
                QueuePairType.RC, config -> config.completionQueue(queue).gidIndex(0));
        assertThat(mine.endpoint().gid()).isEqualTo(HERE);
        AddressHandleAttributes path = connect(mine, mine.endpoint()).query().path();
        assertThat(path.destinationLid()).isEqualTo(LID);
        assertThat(path.globalRoute())
                .hasValueSatisfying(route -> assertThat(route.destinationGid())
                        .isEqualTo(mine.endpoint().gid()));
    }

    @Test
    void lidThatNobodyHasIsFoundOutByRetries() {
        PreparedQueuePair mine = prepare(queue, 0);
        QueuePairEndpoint here = mine.endpoint();
        QueuePairEndpoint nobody = new QueuePairEndpoint(here.queuePairNumber(), 0, NOBODY, Gid.ZERO, here.mtu());
        WorkCompletion completion = write(connect(mine, nobody));
        assertThat(completion.status()).isEqualTo(WorkCompletionStatus.RETRY_EXC_ERR);
    }

    @Test
    void peerWithoutALidIsRefused() {
        PreparedQueuePair mine = prepare(queue, 0);
        QueuePairEndpoint roce = new QueuePairEndpoint(
                4711,
                0,
                0,
                Gid.of(HexFormat.of().parseHex("00000000000000000000ffff0a000001")),
                mine.endpoint().mtu());
        assertThatThrownBy(() -> connect(mine, roce))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("LID 0, and port 1 is InfiniBand")
                .hasMessageContaining("no subnet manager");
        connect(mine, mine.endpoint());
        assertThatThrownBy(() -> domain.createAddressHandle(AddressHandleAttributes.toGid(1, 0, roce.gid())))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("withDestinationLid");
    }

    @Test
    void partitionsAreIsolated() {
        PreparedQueuePair mine = prepare(queue, 1);
        PreparedQueuePair theirs = prepare(peerQueue, 0);
        QueuePair pair = connect(mine, theirs.endpoint());
        connect(theirs, mine.endpoint());
        assertThat(write(pair).status()).isEqualTo(WorkCompletionStatus.RETRY_EXC_ERR);

        PreparedQueuePair same = prepare(queue, 1);
        assertThat(write(connect(same, same.endpoint())).isSuccess()).isTrue();
        assertThatThrownBy(() -> prepare(queue, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "partitionKeyIndex 2: the partition key table of port 1 of mlx5_0 has 2 entries, 0..1");
    }

    private QueuePair datagrams(CompletionQueue completions) {
        return domain.prepareQueuePair(
                        QueuePairType.UD,
                        config -> config.completionQueue(completions).queueKey(QUEUE_KEY))
                .activate();
    }

    private MemorySlice room() {
        return buffer.slice(RECEIVE_OFFSET, GLOBAL_ROUTE_HEADER_BYTES + SIZE);
    }

    private MemorySegment received() {
        return buffer.segment().asSlice(RECEIVE_OFFSET, GLOBAL_ROUTE_HEADER_BYTES + SIZE);
    }

    /** Sends, and returns the way back to the sender. */
    private AddressHandleAttributes send(QueuePair sender, AddressHandleAttributes path, QueuePair receiver) {
        buffer.segment().setString(0, "by its LID");
        assertThat(receiver.tryPostReceive(2, room())).isTrue();
        try (AddressHandle handle = domain.createAddressHandle(path)) {
            Destination destination = Destination.of(handle, receiver.number(), QUEUE_KEY);
            assertThat(sender.tryPostSend(1, buffer.slice(0, SIZE), destination, SendFlags.SIGNALED))
                    .isTrue();
            assertThat(await(queue).isSuccess()).isTrue();
            WorkCompletion completion = await(peerQueue);
            assertThat(completion.isSuccess()).as(completion.describe()).isTrue();
            assertThat(completion.byteLength()).isEqualTo(GLOBAL_ROUTE_HEADER_BYTES + SIZE);
            assertThat(completion.sourceLid()).isEqualTo(LID);
            assertThat(completion.sourceQueuePairNumber()).isEqualTo(sender.number());
            assertThat(completion.serviceLevel()).isEqualTo(path.serviceLevel());
            assertThat(completion.hasGlobalRouteHeader())
                    .isEqualTo(path.globalRoute().isPresent());
            assertThat(received().getString(GLOBAL_ROUTE_HEADER_BYTES)).isEqualTo("by its LID");
            return AddressHandleAttributes.ofSender(device, 1, completion, received());
        }
    }

    @Test
    void datagramGoesToALidAndItsAnswerBack() {
        QueuePair sender = datagrams(queue);
        QueuePair receiver = datagrams(peerQueue);
        AddressHandleAttributes back =
                send(sender, AddressHandleAttributes.toLid(1, LID).withServiceLevel(3), receiver);
        assertThat(back.destinationLid()).isEqualTo(LID);
        assertThat(back.serviceLevel()).isEqualTo(3);
        assertThat(back.globalRoute()).isEmpty();
        send(sender, back, receiver);
    }

    @Test
    void datagramWithAGlobalRouteHasItsSource() {
        Gid here = device.gidTable().getFirst().gid();
        AddressHandleAttributes path = AddressHandleAttributes.toGid(1, 0, here).withDestinationLid(LID);
        AddressHandleAttributes back = send(datagrams(queue), path, datagrams(peerQueue));
        assertThat(back.globalRoute())
                .hasValueSatisfying(route -> assertThat(route.destinationGid()).isEqualTo(here));
    }

    @Test
    void datagramWithAnotherQueueKeyIsLost() {
        QueuePair sender = datagrams(queue);
        QueuePair receiver = datagrams(peerQueue);
        assertThat(receiver.tryPostReceive(2, room())).isTrue();
        try (AddressHandle handle = domain.createAddressHandle(AddressHandleAttributes.toLid(1, LID))) {
            Destination destination = Destination.of(handle, receiver.number(), QUEUE_KEY + 1);
            assertThat(sender.tryPostSend(1, buffer.slice(0, SIZE), destination, SendFlags.SIGNALED))
                    .isTrue();
            assertThat(await(queue).isSuccess()).isTrue();
        }
        assertThat(peerQueue.poll(completions)).isZero();
    }
}
