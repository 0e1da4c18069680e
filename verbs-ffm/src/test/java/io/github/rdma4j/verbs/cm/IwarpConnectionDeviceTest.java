// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static io.github.rdma4j.verbs.cm.CmTestNet.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the connection calls that iWARP refuses, because only rdma_cm and the kernel connect there. */
@Tag("device")
@Tag("iwarp-only")
class IwarpConnectionDeviceTest {
    @Test
    void queuePairIsConnectedByNothingButRdmaCm() {
        try (DeviceContext context = DeviceContext.open(TestDevice.first());
                ProtectionDomain domain = context.allocateProtectionDomain();
                CompletionQueue queue = context.createCompletionQueue(16)) {
            String why = "is an iWARP device, whose queue pairs only rdma_cm connects";
            assertThatThrownBy(() -> domain.prepareQueuePair(QueuePairType.RC, config -> config.completionQueue(queue)))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining(why);
            try (QueuePair queuePair =
                    domain.createQueuePair(QueuePairType.RC, config -> config.completionQueue(queue))) {
                assertThatThrownBy(() -> queuePair.modify(config -> config.state(QueuePairState.INIT)
                                .partitionKeyIndex(0)
                                .port(1)
                                .remoteAccess(AccessFlag.REMOTE_WRITE)))
                        .isInstanceOf(UnsupportedVerbException.class)
                        .hasMessageContaining(why);
            }
        }
    }

    /** The kernel changes the states of the program's queue pairs, so the program does not modify them. */
    @Test
    void queuePairsOfTheProgramAreConnectedByTheirNumbers() {
        try (EventChannel channel = EventChannel.create();
                ConnectionId listener = channel.createId(PortSpace.TCP);
                ConnectionId client = channel.createId(PortSpace.TCP)) {
            listener.bind(CmTestNet.ipv4());
            listener.listen(1);
            client.resolveAddress(listener.localAddress().orElseThrow(), PATIENCE);
            next(channel, CmEventType.ADDR_RESOLVED);
            client.resolveRoute(PATIENCE);
            next(channel, CmEventType.ROUTE_RESOLVED);
            try (DeviceContext own =
                            DeviceContext.open(client.device().orElseThrow().device());
                    CmEnd one = withQueuePair(own);
                    CmEnd other = withQueuePair(own)) {
                client.connect(config -> config.queuePairNumber(one.queuePair.number()));
                ConnectionId server = next(channel, CmEventType.CONNECT_REQUEST).id();
                server.accept(config -> config.queuePairNumber(other.queuePair.number()));
                next(channel, CmEventType.ESTABLISHED);
                next(channel, CmEventType.ESTABLISHED);
                CmEnd.pingPong(one, other, 10);
            }
        }
    }

    private static CmEvent next(EventChannel channel, CmEventType type) {
        CmEvent event = channel.nextEvent(PATIENCE).orElseThrow();
        assertThat(event.type()).as(event.toString()).isEqualTo(type);
        return event;
    }

    private static CmEnd withQueuePair(DeviceContext device) {
        CmEnd end = new CmEnd(device);
        end.queuePair = end.domain.createQueuePair(QueuePairType.RC, config -> config.completionQueue(end.queue));
        return end;
    }

    /** SoftiWARP reports this within the call, and not by an event. */
    @Test
    void connectFailsWithoutAListener() {
        try (SynchronousId id = SynchronousId.create(PortSpace.TCP)) {
            id.resolve(CmTestNet.withPort(CmTestNet.ipv4(), 1), PATIENCE);
            try (CmEnd end = CmEnd.of(id.id())) {
                assertThat(end.queuePair.isOpen()).isTrue();
                assertThatThrownBy(() -> id.connect(config -> {}, PATIENCE))
                        .isInstanceOfSatisfying(ConnectionException.class, e -> {
                            assertThat(e.errnoName()).isEqualTo("ECONNREFUSED");
                            assertThat(e.event()).isNull();
                            assertThat(e.remedy()).isEqualTo("check that the peer listens at this address and port");
                        });
            }
        }
    }

    /** Its kernel looks the queue pair up, and finds none. */
    @ParameterizedTest
    @EnumSource(
            value = PortSpace.class,
            names = {"TCP", "UDP"})
    void idWithoutAQueuePairIsNotConnected(PortSpace portSpace) {
        try (SynchronousId listener = SynchronousId.create(PortSpace.TCP);
                SynchronousId id = SynchronousId.create(portSpace)) {
            listener.listen(CmTestNet.ipv4(), 1);
            id.resolve(listener.id().localAddress().orElseThrow(), PATIENCE);
            assertThatThrownBy(() -> id.id().connect(config -> config.queuePairNumber(CmTestNet.nextNumber())))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("EINVAL")
                    .hasMessageContaining("on iWARP, which has no datagrams, an open queue pair of the device as well");
        }
    }
}
