// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.HeldMessage;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the inbound data of a channel when its delivery fails, over TCP. */
@Timeout(120)
class InboundTest {
    private static final InetSocketAddress HERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;

    /**
     * Messages after one that could not be kept, because memory ran out, must not be delivered: there is a gap before
     * them.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingIsReadBehindWhatCouldNotBeKept(boolean broughtByTheLoop) {
        try (EndpointServer server = EndpointServer.bind(HERE, config -> config.transport(Transport.TCP))) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            try (Endpoint peer =
                            Endpoint.connect(server.address(), config -> config.transport(Transport.TCP), PATIENCE);
                    Endpoint endpoint = accepted.join()) {
                Inbound inbound = new Inbound(8);
                send(peer, 1);
                take(endpoint, message -> inbound.came(message, ALLOCATOR));
                assertThat(inbound.takeIn(endpoint, ALLOCATOR)).isTrue();
                // A message that is held already cannot be held: as if there were no memory.
                send(peer, 2);
                HeldMessage[] held = new HeldMessage[1];
                take(endpoint, message -> {
                    held[0] = message.hold();
                    if (broughtByTheLoop) {
                        inbound.came(message, ALLOCATOR);
                    } else {
                        inbound.onMessage(message);
                    }
                });
                held[0].close();
                send(peer, 3);
                assertThat(inbound.takeIn(endpoint, ALLOCATOR)).isFalse();
                assertThat(inbound.isPeerGone()).isTrue();

                RecvByteBufAllocator.Handle handle = new FixedRecvByteBufAllocator(64).newHandle();
                ByteBuf bytes = inbound.next(handle, ALLOCATOR);
                assertThat(bytes.readByte()).isEqualTo((byte) 1);
                bytes.release();
                assertThat(inbound.isAtEnd()).isTrue();
                assertThat(inbound.takeLost()).isInstanceOf(IllegalStateException.class);
                assertThat(inbound.takeLost()).isNull();
            }
        }
    }

    private static void send(Endpoint peer, int number) {
        assertThat(peer.send(new byte[] {(byte) number}, PATIENCE)).isTrue();
    }

    private static void take(Endpoint endpoint, MessageHandler handler) {
        assertThat(endpoint.receive(handler, PATIENCE)).isTrue();
    }
}
