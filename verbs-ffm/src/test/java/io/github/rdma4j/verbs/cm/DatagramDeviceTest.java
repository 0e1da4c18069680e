// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static io.github.rdma4j.verbs.cm.CmTestNet.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Datagrams: to a peer that was looked up, and to multicast groups. */
@Tag("device")
class DatagramDeviceTest {
    private static final InetSocketAddress HERE = CmTestNet.ipv4();
    private static final InetSocketAddress GROUP = new InetSocketAddress("239.7.4.71", 0);
    private static final int HEADER = WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES;

    private final EventChannel channel = EventChannel.create();
    private final ConnectionId one = channel.createId(PortSpace.UDP);
    private final ConnectionId two = channel.createId(PortSpace.UDP);

    @AfterEach
    void close() {
        channel.close();
    }

    private CmEvent next(CmEventType type) {
        CmEvent event = channel.nextEvent(PATIENCE).orElseThrow();
        assertThat(event.type()).as(event.toString()).isEqualTo(type);
        return event;
    }

    @Test
    void datagramsGoToAndFroAfterALookUp() {
        two.bind(HERE);
        two.listen(4);
        one.resolveAddress(two.localAddress().orElseThrow(), PATIENCE);
        next(CmEventType.ADDR_RESOLVED);
        one.resolveRoute(PATIENCE);
        next(CmEventType.ROUTE_RESOLVED);
        try (CmEnd client = CmEnd.of(one)) {
            assertThat(client.queuePair.state()).isEqualTo(QueuePairState.RTS);
            byte[] greeting = new byte[PortSpace.UDP.maxConnectData()];
            greeting[greeting.length - 1] = 42;
            one.connect(config -> config.privateData(greeting));
            CmEvent request = next(CmEventType.CONNECT_REQUEST);
            assertThat(request.privateData()).isEqualTo(greeting);
            assertThat(request.datagramParameters()).isEmpty();
            assertThat(request.connectionParameters()).isEmpty();
            try (CmEnd server = CmEnd.of(request.id())) {
                request.id().accept(config -> config.privateData(new byte[] {7}));
                CmEvent established = next(CmEventType.ESTABLISHED);
                assertThat(established.id()).isSameAs(one);
                assertThat(established.privateData()).startsWith(7);
                DatagramParameters parameters = established.datagramParameters().orElseThrow();
                assertThat(parameters.queuePairNumber()).isEqualTo(server.queuePair.number());
                assertThat(parameters.queueKey()).isEqualTo(DatagramParameters.UDP_QUEUE_KEY);
                Destination there = parameters.destination(client.domain);
                for (int i = 0; i < 10; i++) {
                    client.fill('c');
                    server.receive();
                    client.send(there);
                    client.awaitSuccess();
                    WorkCompletion received = server.await();
                    assertThat(received.isSuccess()).isTrue();
                    assertThat(received.sourceQueuePairNumber()).isEqualTo(client.queuePair.number());
                    assertThat(server.isFilled('c', HEADER)).isTrue();
                    Destination back = Destination.of(
                            server.domain.createAddressHandle(1, received, server.memory.segment()),
                            received.sourceQueuePairNumber(),
                            DatagramParameters.UDP_QUEUE_KEY);
                    server.fill('s');
                    client.receive();
                    server.send(back);
                    server.awaitSuccess();
                    client.awaitSuccess();
                    assertThat(client.isFilled('s', HEADER)).isTrue();
                    back.addressHandle().close();
                }
            }
        }
    }

    @Test
    void requestForDatagramsIsRejectedWithPrivateData() {
        two.bind(HERE);
        two.listen(4);
        one.resolveAddress(two.localAddress().orElseThrow(), PATIENCE);
        next(CmEventType.ADDR_RESOLVED);
        one.resolveRoute(PATIENCE);
        next(CmEventType.ROUTE_RESOLVED);
        one.connect(config -> config.queuePairNumber(CmTestNet.nextNumber()));
        next(CmEventType.CONNECT_REQUEST).id().reject((byte) 9, (byte) 8);
        CmEvent refused = next(CmEventType.UNREACHABLE);
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.explanation()).contains("the peer's program refused it");
    }

    private CmEnd member(ConnectionId id, MulticastMembership membership) {
        id.bind(HERE);
        CmEnd end = CmEnd.of(id);
        id.joinMulticast(GROUP, membership);
        return end;
    }

    private Destination joined(CmEnd end) {
        DatagramParameters group =
                next(CmEventType.MULTICAST_JOIN).datagramParameters().orElseThrow();
        assertThat(group.queuePairNumber()).isEqualTo(DatagramParameters.MULTICAST_QUEUE_PAIR);
        return group.destination(end.domain);
    }

    private static void send(CmEnd sender, Destination group, CmEnd receiver) {
        sender.fill('m');
        receiver.receive();
        sender.send(group);
        sender.awaitSuccess();
        receiver.awaitSuccess();
        assertThat(receiver.isFilled('m', HEADER)).isTrue();
    }

    @Test
    void fullMemberReceivesWhatASendOnlyMemberSends() throws Exception {
        try (CmEnd receiver = member(one, MulticastMembership.FULL_MEMBER)) {
            joined(receiver);
            try (CmEnd sender = member(two, MulticastMembership.SEND_ONLY_FULL_MEMBER)) {
                Destination group = joined(sender);
                sender.receive();
                for (int i = 0; i < 10; i++) {
                    send(sender, group, receiver);
                }
                assertThat(sender.isSilent()).isTrue();
            }
        }
    }

    @Test
    void membersByTheBasicCallReceiveEachOther() {
        one.bind(HERE);
        two.bind(HERE);
        try (CmEnd receiver = CmEnd.of(one);
                CmEnd sender = CmEnd.of(two)) {
            one.joinMulticast(GROUP);
            joined(receiver);
            two.joinMulticast(GROUP);
            Destination group = joined(sender);
            for (int i = 0; i < 10; i++) {
                sender.receive();
                send(sender, group, receiver);
                sender.awaitSuccess();
            }
        }
    }

    @Test
    void groupThatWasLeftIsSilent() throws Exception {
        try (CmEnd receiver = member(one, MulticastMembership.FULL_MEMBER)) {
            joined(receiver);
            try (CmEnd sender = member(two, MulticastMembership.SEND_ONLY_FULL_MEMBER)) {
                Destination group = joined(sender);
                send(sender, group, receiver);
                one.leaveMulticast(GROUP);
                receiver.receive();
                sender.send(group);
                sender.awaitSuccess();
                assertThat(receiver.isSilent()).isTrue();
            }
            assertThatThrownBy(() -> one.leaveMulticast(GROUP))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("this id has not joined that group")
                    .hasMessageContaining("239.7.4.71");
        }
    }

    @Test
    void joinIsWaitedFor() {
        try (SynchronousId id = SynchronousId.create(PortSpace.UDP)) {
            assertThatThrownBy(() -> id.id().joinMulticast(GROUP))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("a datagram id that is bound to a device");
            id.id().bind(HERE);
            assertThatThrownBy(() -> id.id().options().ackTimeout(19))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("ACK_TIMEOUT=19")
                    .hasMessageContaining("an id that this option is meant for");
            DatagramParameters group = id.joinMulticast(GROUP, MulticastMembership.FULL_MEMBER, PATIENCE);
            assertThat(group.queueKey()).isEqualTo(DatagramParameters.UDP_QUEUE_KEY);
            assertThat(group.path().globalRoute().orElseThrow().destinationGid().bytes())
                    .endsWith(239, 7, 4, 71);
        }
    }
}
