// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static io.github.rdma4j.verbs.cm.CmTestNet.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairAttribute;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reliable connections: made, used and ended, by events and by waiting calls. */
@Tag("device")
class ConnectionDeviceTest {
    private static final InetSocketAddress HERE = CmTestNet.ipv4();
    private static final byte[] GREETING = {1, 2, 3};
    private static final byte[] ANSWER = {4, 5, 6};

    private final EventChannel channel = EventChannel.create();
    private final ConnectionId listener = channel.createId(PortSpace.TCP);
    private final ConnectionId client = channel.createId(PortSpace.TCP);
    private ConnectionId server;

    @AfterEach
    void close() {
        channel.close();
    }

    private CmEvent next(CmEventType type) {
        CmEvent event = channel.nextEvent(PATIENCE).orElseThrow();
        assertThat(event.type()).as(event.toString()).isEqualTo(type);
        return event;
    }

    private void resolve(InetSocketAddress address) {
        listener.bind(address);
        listener.listen(4);
        client.resolveAddress(listener.localAddress().orElseThrow(), PATIENCE);
        assertThat(next(CmEventType.ADDR_RESOLVED).id()).isSameAs(client);
        client.resolveRoute(PATIENCE);
        next(CmEventType.ROUTE_RESOLVED);
    }

    private CmEvent request() {
        CmEvent request = next(CmEventType.CONNECT_REQUEST);
        server = request.id();
        assertThat(request.listener()).containsSame(listener);
        return request;
    }

    private void establish() {
        client.connect(config -> {});
        request();
    }

    @Test
    void messagesGoToAndFroOverAConnectionMadeByEvents() {
        resolve(HERE);
        try (CmEnd one = CmEnd.of(client)) {
            client.connect(config -> config.privateData(GREETING));
            CmEvent request = request();
            assertThat(request.privateData())
                    .hasSize(PortSpace.TCP.maxConnectData())
                    .startsWith(GREETING);
            assertThat(request.connectionParameters().orElseThrow().queuePairNumber())
                    .isEqualTo(one.queuePair.number());
            assertThat(server.peerAddress()).isEqualTo(client.localAddress());
            assertThat(server.peerGid()).isEqualTo(client.localGid());
            try (CmEnd other = CmEnd.of(server)) {
                server.accept(config -> config.privateData(ANSWER));
                CmEvent established = next(CmEventType.ESTABLISHED);
                assertThat(established.id()).isSameAs(client);
                assertThat(established.privateData()).startsWith(ANSWER);
                assertThat(established.connectionParameters().orElseThrow().queuePairNumber())
                        .isEqualTo(other.queuePair.number());
                assertThat(next(CmEventType.ESTABLISHED).id()).isSameAs(server);
                assertThat(one.queuePair.state()).isEqualTo(QueuePairState.RTS);

                CmEnd.pingPong(one, other, 10);

                client.disconnect();
                assertThat(one.queuePair.state()).isEqualTo(QueuePairState.ERR);
                assertThat(next(CmEventType.DISCONNECTED).id()).isSameAs(server);
                server.disconnect();
                assertThat(next(CmEventType.DISCONNECTED).id()).isSameAs(client);
                assertThat(other.queuePair.state()).isEqualTo(QueuePairState.ERR);
            }
        }
    }

    @Test
    @Tag("iwarp")
    void memoryIsReadAndWrittenOverAConnection() {
        resolve(HERE);
        try (CmEnd one = CmEnd.of(client)) {
            establish();
            try (CmEnd other = CmEnd.of(server)) {
                accept();
                one.fill('w');
                assertThat(one.queuePair.tryPostWrite(
                                1, one.message(), other.memory.remoteMemory(), SendFlags.SIGNALED))
                        .isTrue();
                one.awaitSuccess();
                assertThat(other.isFilled('w', 0)).isTrue();
                other.fill('r');
                assertThat(one.queuePair.tryPostRead(2, one.message(), other.memory.remoteMemory(), SendFlags.SIGNALED))
                        .isTrue();
                one.awaitSuccess();
                assertThat(one.isFilled('r', 0)).isTrue();
            }
        }
    }

    private void accept() {
        server.accept(config -> {});
        next(CmEventType.ESTABLISHED);
        next(CmEventType.ESTABLISHED);
    }

    @Test
    void countsAreThoseThatBothSidesAgreedUpon() {
        resolve(HERE);
        try (CmEnd one = CmEnd.of(client)) {
            client.connect(config ->
                    config.initiatorDepth(8).responderResources(2).retryCount(6).rnrRetryCount(2));
            ConnectionParameters wanted = request().connectionParameters().orElseThrow();
            assertThat(wanted.responderResources()).isEqualTo(8);
            assertThat(wanted.initiatorDepth()).isEqualTo(2);
            assertThat(wanted.retryCount()).isEqualTo(6);
            assertThat(wanted.rnrRetryCount()).isEqualTo(2);
            try (CmEnd other = CmEnd.of(server)) {
                server.accept(config -> config.responderResources(4));
                next(CmEventType.ESTABLISHED);
                next(CmEventType.ESTABLISHED);
                assertThat(one.queuePair.query().maxReadAtomic()).isEqualTo(4);
                assertThat(other.queuePair.query().maxReadAtomic()).isEqualTo(2);
                assertThat(one.queuePair.query().retryCount()).isEqualTo(6);
                assertThat(one.queuePair.query(QueuePairAttribute.TIMEOUT).timeout())
                        .isEqualTo(CmEnd.PATIENT_ACK_TIMEOUT);
                // The kernel's value is 0: a peer that finds no receive would wait 655 ms.
                for (CmEnd end : List.of(one, other)) {
                    assertThat(end.queuePair
                                    .query(QueuePairAttribute.MIN_RNR_TIMER)
                                    .minRnrTimer())
                            .isEqualTo(12);
                }
            }
        }
    }

    @Test
    void queuePairOfAnotherContextOfTheDeviceIsMovedByTheProgram() {
        resolve(HERE);
        try (DeviceContext own =
                        DeviceContext.open(client.device().orElseThrow().device());
                CmEnd one = new CmEnd(own);
                CmEnd other = new CmEnd(own)) {
            one.queuePair = create(one);
            client.options().ackTimeout(CmEnd.PATIENT_ACK_TIMEOUT);
            client.connect(config -> config.queuePairNumber(one.queuePair.number()));
            request();
            server.options().ackTimeout(CmEnd.PATIENT_ACK_TIMEOUT);
            other.queuePair = create(other);
            move(other.queuePair, server);
            server.accept(config -> config.queuePairNumber(other.queuePair.number()));
            assertThat(next(CmEventType.CONNECT_RESPONSE).id()).isSameAs(client);
            move(one.queuePair, client);
            client.establish();
            assertThat(next(CmEventType.ESTABLISHED).id()).isSameAs(server);
            CmEnd.pingPong(one, other, 10);
        }
    }

    private static QueuePair create(CmEnd end) {
        return end.domain.createQueuePair(QueuePairType.RC, config -> config.completionQueue(end.queue));
    }

    private static void move(QueuePair queuePair, ConnectionId id) {
        for (QueuePairState state :
                new QueuePairState[] {QueuePairState.INIT, QueuePairState.RTR, QueuePairState.RTS}) {
            queuePair.modify(id.queuePairAttributes(state));
        }
    }

    @Test
    @Tag("iwarp")
    void queuePairOfTheProgramIsMovedByTheIdAndOutlivesIt() {
        resolve(HERE);
        try (DeviceContext own =
                        DeviceContext.open(client.device().orElseThrow().device());
                CmEnd one = new CmEnd(own)) {
            one.queuePair = create(one);
            client.useQueuePair(one.queuePair);
            assertThat(client.queuePair()).containsSame(one.queuePair);
            assertThatThrownBy(() -> client.useQueuePair(one.queuePair))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has a queue pair");
            establish();
            try (CmEnd other = CmEnd.of(server)) {
                accept();
                client.close();
                assertThat(one.queuePair.isOpen()).isTrue();
                assertThat(next(CmEventType.DISCONNECTED).id()).isSameAs(server);
                server.close();
                assertThat(other.queuePair.isOpen()).isFalse();
            }
        }
    }

    @Test
    void connectionNeedsAQueuePair() {
        resolve(HERE);
        assertThatThrownBy(() -> client.connect(config -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no queue pair: first comes createQueuePair");
    }

    @Test
    void queuePairMustSuitTheId() {
        assertThatThrownBy(() -> client.createQueuePair(null, config -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is not bound to a device");
        resolve(HERE);
        try (CmEnd end = new CmEnd(client.device().orElseThrow())) {
            QueuePair datagram =
                    end.domain.createQueuePair(QueuePairType.UD, config -> config.completionQueue(end.queue));
            assertThatThrownBy(() -> client.useQueuePair(datagram))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is UD: the port space TCP is for RC");
        }
        DeviceContext other = CmDevices.list().get(1);
        try (CmEnd end = new CmEnd(other)) {
            assertThatThrownBy(() -> client.createQueuePair(end.domain, config -> config.completionQueue(end.queue)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is bound to device rxe0");
        }
    }

    @Test
    void queuePairThatIsClosedMeanwhileIsAConnectErrorOnBothSides() {
        resolve(HERE);
        try (CmEnd one = CmEnd.of(client)) {
            establish();
            try (CmEnd other = CmEnd.of(server)) {
                one.queuePair.close();
                server.accept(config -> {});
                CmEvent failed = next(CmEventType.CONNECT_ERROR);
                assertThat(failed.id()).isSameAs(client);
                assertThat(failed.explanation())
                        .contains("completing connection id")
                        .contains("is closed");
                assertThat(next(CmEventType.REJECTED).id()).isSameAs(server);
                assertThat(other.queuePair.state()).isEqualTo(QueuePairState.ERR);
                assertThatThrownBy(() -> server.accept(config -> {}))
                        .hasMessageContaining("a request that was not answered yet");
            }
        }
    }

    @Test
    @Tag("iwarp")
    void rejectFlushesWhatWasPosted() {
        resolve(HERE);
        try (CmEnd one = CmEnd.of(client)) {
            one.receive();
            establish();
            server.reject(ANSWER);
            assertThat(next(CmEventType.REJECTED).privateData()).startsWith(ANSWER);
            assertThat(one.await().status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
        }
    }

    @Test
    @Tag("iwarp")
    void closingTheContextClosesTheQueuePairsAndTheIdLivesOn() {
        resolve(HERE);
        DeviceContext context = client.device().orElseThrow();
        assertThat(client.device()).containsSame(context);
        CmEnd one = CmEnd.of(client);
        context.close();
        assertThat(one.queuePair.isOpen()).isFalse();
        assertThat(client.queuePair()).isEmpty();
        assertThatThrownBy(() -> client.connect(config -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        DeviceContext fresh = client.device().orElseThrow();
        assertThat(fresh.isOpen()).isTrue();
        try (CmEnd again = CmEnd.of(client)) {
            establish();
            try (CmEnd other = CmEnd.of(server)) {
                accept();
                CmEnd.pingPong(again, other, 1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("iwarp")
    void messagesGoToAndFroOverAConnectionMadeByWaitingCalls(boolean virtual) throws Exception {
        try (SynchronousId listening = SynchronousId.create(PortSpace.TCP);
                SynchronousId mine = SynchronousId.create(PortSpace.TCP)) {
            listening.listen(HERE, 4);
            FutureTask<SynchronousId> accepting = start(virtual, () -> {
                SynchronousId theirs = listening.getRequest(PATIENCE).orElseThrow();
                CmEnd end = CmEnd.of(theirs.id());
                theirs.id().attach(end);
                theirs.accept(config -> config.privateData(ANSWER), PATIENCE);
                return theirs;
            });
            mine.resolve(listening.id().localAddress().orElseThrow(), PATIENCE);
            try (CmEnd one = CmEnd.of(mine.id())) {
                FutureTask<CmEvent> connecting =
                        start(virtual, () -> mine.connect(config -> config.privateData(GREETING), PATIENCE));
                assertThat(connecting.get(60, TimeUnit.SECONDS).privateData()).startsWith(ANSWER);
                try (SynchronousId theirs = accepting.get(60, TimeUnit.SECONDS);
                        CmEnd other = (CmEnd) theirs.id().attachment()) {
                    assertThat(theirs.request().orElseThrow().privateData()).startsWith(GREETING);
                    CmEnd.pingPong(one, other, 10);
                    FutureTask<Void> leaving = start(virtual, () -> {
                        theirs.await(CmEventType.DISCONNECTED, PATIENCE);
                        theirs.disconnect(PATIENCE);
                        return null;
                    });
                    mine.disconnect(PATIENCE);
                    leaving.get(60, TimeUnit.SECONDS);
                }
            }
        }
    }

    private static <T> FutureTask<T> start(boolean virtual, Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
        builder.start(task);
        return task;
    }
}
