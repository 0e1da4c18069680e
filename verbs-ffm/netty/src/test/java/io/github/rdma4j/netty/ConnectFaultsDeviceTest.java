// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Ends of the other side in the middle of a handshake. When a process is killed, the kernel closes its ids; here the
 * same is done by a program of rdma_cm. {@code scripts/campaign} kills processes and cuts wires.
 */
@Tag("device")
class ConnectFaultsDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /**
     * Far above the time that a failure takes, and far below the connect timeout, so a failure within it was reported
     * without waiting.
     */
    private static final long SOON_MILLIS = 120_000;

    private static final int CONNECT_MILLIS = 600_000;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("rdma-connect-faults", true), RdmaIoHandler.newFactory());

    @AfterEach
    void close() {
        assertThat(group.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly(PATIENCE.toMillis()))
                .isTrue();
    }

    private ChannelFuture connect(InetSocketAddress server, ChannelInboundHandlerAdapter handler) {
        return new Bootstrap()
                .group(group)
                .channel(RdmaSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .handler(handler)
                .connect(server);
    }

    /** A listener of rdma_cm that is no endpoint server. */
    private static SynchronousId listener() {
        SynchronousId listener = SynchronousId.create(PortSpace.TCP);
        listener.listen(RdmaTestNet.address(), 4);
        return listener;
    }

    private static void requireRefusedSoon(ChannelFuture connecting) {
        assertThat(connecting.awaitUninterruptibly(SOON_MILLIS)).isTrue();
        assertThat(connecting.cause())
                .isInstanceOf(ConnectException.class)
                .hasMessageStartingWith("Connection refused")
                .hasMessageMatching("(?s).*\\. \\p{Lu}.*");
        assertThat(connecting.channel().closeFuture().awaitUninterruptibly(SOON_MILLIS))
                .isTrue();
    }

    @Test
    void serverThatDiesBeforeItAnswers() {
        ChannelFuture connecting;
        try (SynchronousId listener = listener()) {
            connecting = connect(listener.id().localAddress().orElseThrow(), new ChannelInboundHandlerAdapter());
            SynchronousId request = listener.getRequest(PATIENCE).orElseThrow();
            assertThat(connecting.isDone()).isFalse();
            request.close();
        }
        requireRefusedSoon(connecting);
    }

    @Test
    void serverThatDiesBeforeItHasSeenTheClient() {
        ChannelFuture connecting;
        try (SynchronousId listener = listener()) {
            connecting = connect(listener.id().localAddress().orElseThrow(), new ChannelInboundHandlerAdapter());
            // It has come, and nobody has read it.
            try (EventPoller poller = EventPoller.open()) {
                poller.add(listener.id().channel());
                assertThat(poller.select(PATIENCE, source -> {})).isOne();
            }
        }
        requireRefusedSoon(connecting);
    }

    /** Clients that ask and are gone, or never answer, cost the server nothing: the next one is served. */
    @Test
    void clientsThatDieInTheHandshake() throws Exception {
        BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
        BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
        Channel server = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                        failures.add(cause);
                    }
                })
                .childHandler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public boolean isSharable() {
                        return true;
                    }

                    @Override
                    public void channelActive(ChannelHandlerContext context) {
                        accepted.add(context.channel());
                    }
                })
                .bind(RdmaTestNet.address())
                .syncUninterruptibly()
                .channel();
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        byte[] greeting = greeting();
        try (Asking silent = new Asking(address, greeting)) {
            for (int i = 0; i < 3; i++) {
                new Asking(address, greeting).close();
            }
            ChannelFuture client = connect(address, new ChannelInboundHandlerAdapter());
            assertThat(client.awaitUninterruptibly(SOON_MILLIS)).isTrue();
            assertThat(client.cause()).isNull();
            Channel peer = accepted.poll(SOON_MILLIS, TimeUnit.MILLISECONDS);
            assertThat(peer).isNotNull();
            assertThat(peer.remoteAddress()).isEqualTo(client.channel().localAddress());
            client.channel().close().syncUninterruptibly();
        }
        assertThat(accepted).isEmpty();
        assertThat(failures).isEmpty();
        assertThat(server.isActive()).isTrue();
    }

    /** Returns the private data of a client's connection request. */
    private byte[] greeting() {
        try (SynchronousId listener = listener()) {
            ChannelFuture client =
                    connect(listener.id().localAddress().orElseThrow(), new ChannelInboundHandlerAdapter());
            try (SynchronousId request = listener.getRequest(PATIENCE).orElseThrow()) {
                return request.request().orElseThrow().privateData();
            } finally {
                client.channel().close().syncUninterruptibly();
            }
        }
    }

    @Test
    void closeDuringConnectDoesNotWait() {
        try (SynchronousId listener = listener()) {
            ChannelFuture connecting =
                    connect(listener.id().localAddress().orElseThrow(), new ChannelInboundHandlerAdapter());
            try (SynchronousId request = listener.getRequest(PATIENCE).orElseThrow()) {
                assertThat(request.isOpen()).isTrue();
                assertThat(connecting.channel().close().awaitUninterruptibly(SOON_MILLIS))
                        .isTrue();
                assertThat(connecting.awaitUninterruptibly(SOON_MILLIS)).isTrue();
                assertThat(connecting.cause()).isInstanceOf(ClosedChannelException.class);
            }
        }
    }

    /** As with sockets. */
    @Test
    void writeBeforeConnectFailsAtOnce() {
        ChannelFuture connecting;
        try (SynchronousId listener = listener()) {
            connecting = connect(listener.id().localAddress().orElseThrow(), new ChannelInboundHandlerAdapter());
            SynchronousId request = listener.getRequest(PATIENCE).orElseThrow();
            ChannelFuture written = connecting
                    .channel()
                    .writeAndFlush(connecting.channel().alloc().directBuffer().writeInt(1));
            assertThat(written.awaitUninterruptibly(SOON_MILLIS)).isTrue();
            assertThat(written.cause()).isInstanceOf(NotYetConnectedException.class);
            assertThat(connecting.isDone()).isFalse();
            request.close();
        }
        requireRefusedSoon(connecting);
    }

    /** Asks as an endpoint does, and never reads the answer. */
    private static final class Asking implements AutoCloseable {
        private final SynchronousId id = SynchronousId.create(PortSpace.TCP);
        private final ProtectionDomain domain;
        private final CompletionQueue queue;

        Asking(InetSocketAddress address, byte[] greeting) {
            id.resolve(address, PATIENCE);
            DeviceContext device = id.id().device().orElseThrow();
            domain = device.allocateProtectionDomain();
            queue = device.createCompletionQueue(8);
            id.id()
                    .createQueuePair(
                            domain,
                            config -> config.completionQueue(queue)
                                    .maxSendWorkRequests(1)
                                    .maxReceiveWorkRequests(1));
            id.id().connect(config -> config.privateData(greeting));
        }

        @Override
        public void close() {
            id.close();
            queue.close();
            domain.close();
        }
    }
}
