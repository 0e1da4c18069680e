// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Event loops that end while they have channels, over each transport. */
@Timeout(600)
abstract class ShutdownContract {
    private static final int CHANNELS = 4;
    private static final int WRITERS = 3;
    private static final int BYTES = 1024;
    /** Messages of which the buffers of two sockets hold only some. */
    private static final int LONG_MESSAGE = 512 << 10;

    private static final int MESSAGES = 60;
    /** Long enough that a wait for the peer's own limit does not pass the test. */
    private static final int LINGER_SECONDS = 300;

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Transport transport;
    private final InetSocketAddress address;
    private final EventLoopGroup servers = loops("servers");
    private final EventLoopGroup clients = loops("clients");

    ShutdownContract(Transport transport, InetSocketAddress address) {
        this.transport = transport;
        this.address = address;
    }

    private static EventLoopGroup loops(String name) {
        return new MultiThreadIoEventLoopGroup(2, new DefaultThreadFactory(name, true), RdmaIoHandler.newFactory());
    }

    @AfterEach
    void end() {
        clients.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly();
        servers.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private Channel server(AtomicLong received) throws InterruptedException {
        return new ServerBootstrap()
                .group(servers)
                .channel(RdmaServerSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, transport)
                .childHandler(new Counting(received))
                .bind(address)
                .sync()
                .channel();
    }

    private Channel connect(Object server) throws InterruptedException {
        return new Bootstrap()
                .group(clients)
                .channel(RdmaSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, transport)
                .option(ChannelOption.SO_LINGER, LINGER_SECONDS)
                .option(RdmaChannelOption.MESSAGE_SIZE, LONG_MESSAGE)
                .handler(new ChannelInboundHandlerAdapter())
                .connect((InetSocketAddress) server)
                .sync()
                .channel();
    }

    @Sharable
    private static final class Counting extends SimpleChannelInboundHandler<ByteBuf> {
        private final AtomicLong received;

        Counting(AtomicLong received) {
            this.received = received;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
            received.addAndGet(bytes.readableBytes());
        }
    }

    /** Threads that write, whatever becomes of the channel, until the event loop refuses the task. */
    @Test
    void loopEndsBesideWriters() throws Exception {
        AtomicLong received = new AtomicLong();
        Channel server = server(received);
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < CHANNELS; i++) {
            channels.add(connect(server.localAddress()));
        }
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            int first = i;
            writers.add(Thread.ofPlatform().daemon().start(() -> {
                Throwable failure = null;
                for (int next = first; !(failure instanceof RejectedExecutionException); next++) {
                    failure = channels.get(next % CHANNELS)
                            .writeAndFlush(Unpooled.wrappedBuffer(new byte[BYTES]))
                            .awaitUninterruptibly()
                            .cause();
                }
            }));
        }
        while (received.get() < 100 * BYTES) {
            Thread.sleep(1);
        }
        Future<?> ended = clients.shutdownGracefully(0, 30, TimeUnit.SECONDS);
        assertThat(ended.await(PATIENCE.toMillis())).as("the loops have ended").isTrue();
        assertThat(channels).noneMatch(Channel::isOpen);
        for (Thread writer : writers) {
            assertThat(writer.join(PATIENCE)).isTrue();
        }
    }

    /** As with sockets: the close of a channel is reported at once, and what was written still arrives. */
    @Test
    void closeIsReportedBeforeThePeerHasAnswered() throws Exception {
        try (EndpointServer server = EndpointServer.bind(
                address,
                config ->
                        config.transport(transport).maxMessageSize(LONG_MESSAGE).receiveBuffers(MESSAGES))) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            Channel channel = connect(server.address());
            try (Endpoint peer = accepted.get()) {
                for (int i = 0; i < MESSAGES; i++) {
                    channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[LONG_MESSAGE / 2]));
                }
                channel.eventLoop().submit(() -> {}).sync();
                clients.shutdownGracefully(0, 30, TimeUnit.SECONDS);
                assertThat(channel.closeFuture().await(PATIENCE.toMillis())).isTrue();
                assertThat(peer.receive(PATIENCE)).isPresent();
                // The loops end when the peer has taken all, or is gone.
                peer.abort();
                assertThat(clients.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
            }
        }
    }
}
