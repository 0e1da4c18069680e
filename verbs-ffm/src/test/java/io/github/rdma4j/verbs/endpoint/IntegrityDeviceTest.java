// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.internal.endpoint.failover.FailoverTransport;
import io.github.rdma4j.verbs.internal.endpoint.failover.RdmaConnection;
import io.github.rdma4j.verbs.internal.endpoint.group.Member;
import io.github.rdma4j.verbs.internal.endpoint.group.MemberTransport;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Wire;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link IntegrityContract} on a device, and bytes of registered memory that change before the message is polled. */
@Tag("device")
class IntegrityDeviceTest extends IntegrityContract {
    @Override
    Ends pair() {
        return new EndpointPair(SUMS);
    }

    /** Over which and how two endpoints are connected by their addresses. */
    private enum Way {
        RDMA,
        GROUP,
        RDMA_WITH_FAILOVER
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void byteThatChangesInTheReceiversMemoryIsFound(Way way) throws Exception {
        try (EndpointGroup group = EndpointGroup.open(4)) {
            Consumer<EndpointConfig> settings = SUMS.andThen(config -> {
                config.ackTimeout(19);
                if (way == Way.GROUP) {
                    config.group(group);
                } else {
                    config.transport(Transport.valueOf(way.name()));
                }
            });
            try (EndpointServer server = EndpointServer.bind(CmTestNet.ipv4(), settings)) {
                CompletableFuture<Endpoint> accepted = CompletableFuture.supplyAsync(
                        () -> server.accept(PATIENCE).orElseThrow());
                try (Endpoint client = Endpoint.connect(server.address(), settings, PATIENCE);
                        Endpoint atServer = accepted.join()) {
                    EndpointPair.awaitRdma(client, atServer);
                    client.send(new byte[] {1}, PATIENCE);
                    assertThat(atServer.receive(PATIENCE)).hasValue(new byte[] {1});
                    // The send's completion means that the message is in the peer's memory, but the peer has not polled
                    // it yet.
                    client.sendAsync(MemorySegment.ofArray(new byte[200])).get();
                    flipABitOfEachBufferOfTheAdapter(atServer);
                    assertThatThrownBy(() -> atServer.receive(PATIENCE))
                            .isInstanceOfSatisfying(CorruptMessageException.class, e -> {
                                assertThat(e.number()).isEqualTo(2);
                                assertThat(e.length()).isEqualTo(200);
                            })
                            .hasMessageContaining("message 2 of endpoint ");
                    assertThat(atServer.integrity().orElseThrow().corrupt()).isOne();
                    // The abort makes the client notice at once that this queue pair no longer answers, and not after
                    // silenceTimeout.
                    atServer.abort();
                    assertThatThrownBy(() -> client.receive(PATIENCE)).isInstanceOf(ConnectionLostException.class);
                }
            }
        }
    }

    /** One of them has the message, and the others are overwritten before anybody looks there. */
    private static void flipABitOfEachBufferOfTheAdapter(Endpoint endpoint) throws Exception {
        Object wire = endpoint.engine().transport();
        if (wire instanceof FailoverTransport) {
            wire = ((RdmaConnection) field(wire, "rdma")).wire();
        }
        for (int i = 0; i < 4 + Credits.RESERVE; i++) {
            ByteBuffer buffer = wire instanceof MemberTransport
                    ? ((Member) field(wire, "member")).share().message(i).whole()
                    : ((Wire) wire).arrived(i);
            buffer.put(100, (byte) (buffer.get(100) ^ 1));
        }
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void differenceIsRefusedWithARemedy(boolean atServer) {
        try (EndpointServer server = EndpointServer.bind(CmTestNet.ipv4(), config -> config.integrity(atServer))) {
            CompletableFuture<Boolean> accepted = CompletableFuture.supplyAsync(() -> acceptsSomebody(server));
            assertThatThrownBy(
                            () -> Endpoint.connect(server.address(), config -> config.integrity(!atServer), PATIENCE))
                    .isInstanceOf(IncompatiblePeerException.class)
                    .hasMessageContaining(
                            atServer ? "the server puts a sum behind each message" : "this side puts a sum behind")
                    .hasMessageContaining("integrity(true) on both sides, or on neither");
            assertThat(accepted.join()).isFalse();
            assertThat(server.counters()).isEqualTo(new ServerCounters(0, 0, 1, 0));
        }
    }
}
