// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many channels of a server's event loop and of a client's, each side with one {@link EndpointGroup}. */
@Tag("device")
@Timeout(600)
class RdmaGroupDeviceTest {
    private static final int ROUNDS = 3;

    @Test
    @Tag("iwarp")
    void channelsOfAGroupShareDescriptorsAndEchoEachTheirOwn() throws Exception {
        echo(40);
    }

    @Test
    @Tag("full")
    void thousandChannelsOnOneLoop() throws Exception {
        echo(1000);
    }

    private static void echo(int channels) throws Exception {
        long before = descriptors();
        EventLoopGroup serverLoop = loop();
        EventLoopGroup clientLoop = loop();
        EndpointGroup servers = EndpointGroup.open(channels);
        EndpointGroup clients = EndpointGroup.open(channels);
        try {
            Channel server = new ServerBootstrap()
                    .group(serverLoop)
                    .channel(RdmaServerSocketChannel.class)
                    .option(RdmaChannelOption.GROUP, servers)
                    .option(RdmaChannelOption.RECEIVE_BUFFERS, 4)
                    .option(RdmaChannelOption.SEND_BUFFERS, 4)
                    .option(RdmaChannelOption.MESSAGE_SIZE, 1024)
                    .childHandler(new Echo())
                    .bind(RdmaTestNet.address())
                    .sync()
                    .channel();
            Echoes echoes = new Echoes(channels);
            Bootstrap bootstrap = new Bootstrap()
                    .group(clientLoop)
                    .channel(RdmaSocketChannel.class)
                    .option(RdmaChannelOption.GROUP, clients)
                    .option(RdmaChannelOption.RECEIVE_BUFFERS, 4)
                    .option(RdmaChannelOption.SEND_BUFFERS, 4)
                    .option(RdmaChannelOption.MESSAGE_SIZE, 1024)
                    .handler(echoes);
            List<Channel> connected = new ArrayList<>();
            for (int i = 0; i < channels; i++) {
                connected.add(bootstrap.connect(server.localAddress()).sync().channel());
            }
            assertThat(clients.size()).isEqualTo(channels);
            assertThat(descriptors() - before)
                    .as("descriptors of two loops, two groups and a server")
                    .isLessThan(40);
            for (int i = 0; i < channels; i++) {
                Channel client = connected.get(i);
                client.writeAndFlush(client.alloc().buffer().writeInt(i).writeInt(ROUNDS));
            }
            assertThat(echoes.done.await(240, TimeUnit.SECONDS)).isTrue();
            assertThat(echoes.failure.get()).isNull();
            for (ChannelFuture closing : connected.stream().map(Channel::close).toList()) {
                closing.sync();
            }
            servers.close();
            assertThatThrownBy(() -> bootstrap.connect(server.localAddress()).sync())
                    .isInstanceOf(ConnectException.class);
        } finally {
            clientLoop.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
            serverLoop.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
            clients.close();
            servers.close();
        }
        assertThat(clients.size()).isZero();
        assertThat(servers.size()).isZero();
    }

    /** Else what cannot be had, as descriptors, would be asked for in each turn of the event loop. */
    @Test
    void whenAcceptingHasFailedItIsNotTriedAgainBeforeAProgramReads() throws Exception {
        EventLoopGroup loop = loop();
        EndpointGroup closed = EndpointGroup.open();
        AtomicInteger failures = new AtomicInteger();
        Channel server = new ServerBootstrap()
                .group(loop)
                .channel(RdmaServerSocketChannel.class)
                .option(RdmaChannelOption.GROUP, closed)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                        failures.incrementAndGet();
                        context.channel().config().setAutoRead(false);
                    }
                })
                .childHandler(new Echo())
                .bind(RdmaTestNet.address())
                .sync()
                .channel();
        closed.close();
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .channel(RdmaSocketChannel.class)
                // With a short timeout, the second client could give up before it is refused.
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 600_000)
                .handler(new Echo());
        try {
            assertThatThrownBy(() -> bootstrap.connect(server.localAddress()).sync())
                    .isInstanceOf(ConnectException.class);
            ChannelFuture second = bootstrap.connect(server.localAddress());
            assertThat(second.await(100)).isFalse();
            assertThat(failures).hasValue(1);
            server.config().setAutoRead(true);
            assertThatThrownBy(second::sync).isInstanceOf(ConnectException.class);
            assertThat(failures).hasValue(2);
        } finally {
            loop.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
        }
    }

    private static EventLoopGroup loop() {
        return new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("rdma", true), RdmaIoHandler.newFactory());
    }

    private static long descriptors() throws Exception {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    /** Sends each echo again, with one round less to go. */
    @Sharable
    private static final class Echoes extends ChannelInboundHandlerAdapter {
        final CountDownLatch done;
        final AtomicReference<Throwable> failure = new AtomicReference<>();

        Echoes(int channels) {
            done = new CountDownLatch(channels);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf echo = (ByteBuf) message;
            int rounds = echo.getInt(Integer.BYTES);
            if (rounds == 0) {
                echo.release();
                done.countDown();
            } else {
                context.writeAndFlush(echo.setInt(Integer.BYTES, rounds - 1));
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failure.compareAndSet(null, cause);
        }
    }
}
