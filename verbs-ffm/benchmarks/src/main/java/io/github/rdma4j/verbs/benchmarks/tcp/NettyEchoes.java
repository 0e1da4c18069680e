// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks.tcp;

import io.github.rdma4j.netty.RdmaChannelOption;
import io.github.rdma4j.netty.RdmaIoHandler;
import io.github.rdma4j.netty.RdmaServerSocketChannel;
import io.github.rdma4j.netty.RdmaSocketChannel;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** An echo through Netty with one message in flight on each connection; each side has one event loop. */
final class NettyEchoes extends Contestant {
    private static final int PATIENCE_SECONDS = 10;

    private final EventLoopGroup serverLoop;
    private final EventLoopGroup clientLoop;

    /**
     * Connects.
     *
     * @param ours whether over our channel, and not over NIO
     */
    NettyEchoes(TcpCase what, boolean ours) throws InterruptedException {
        super(what);
        serverLoop = loop(ours);
        clientLoop = loop(ours);
        ServerBootstrap servers = new ServerBootstrap()
                .group(serverLoop)
                .channel(ours ? RdmaServerSocketChannel.class : NioServerSocketChannel.class)
                .childHandler(new Answer());
        AtomicLong counter = counter();
        Bootstrap clients = new Bootstrap()
                .group(clientLoop)
                .channel(ours ? RdmaSocketChannel.class : NioSocketChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Client(counter));
                    }
                });
        if (ours) {
            servers.option(RdmaChannelOption.TRANSPORT, Transport.TCP);
            clients.option(RdmaChannelOption.TRANSPORT, Transport.TCP);
        } else {
            servers.option(ChannelOption.SO_BACKLOG, what.connections()).childOption(ChannelOption.TCP_NODELAY, true);
            clients.option(ChannelOption.TCP_NODELAY, true);
        }
        Channel server =
                servers.bind(new InetSocketAddress("127.0.0.1", 0)).sync().channel();
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < what.connections(); i++) {
            channels.add(clients.connect(server.localAddress()).sync().channel());
        }
        channels.forEach(channel -> channel.writeAndFlush(message(channel)));
    }

    private static EventLoopGroup loop(boolean ours) {
        return new MultiThreadIoEventLoopGroup(
                1,
                new DefaultThreadFactory("echo", true),
                ours ? RdmaIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    private ByteBuf message(Channel channel) {
        return channel.alloc().directBuffer(what.size()).writerIndex(what.size());
    }

    @Override
    void end() {
        for (EventLoopGroup loop : new EventLoopGroup[] {clientLoop, serverLoop}) {
            loop.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .awaitUninterruptibly(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** The server's only handler. */
    @Sharable
    private final class Answer extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fail(cause);
        }
    }

    /** One connection. */
    private final class Client extends ChannelInboundHandlerAdapter {
        private final AtomicLong counter;
        private int read;

        Client(AtomicLong counter) {
            this.counter = counter;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            read += bytes.readableBytes();
            bytes.release();
            if (read >= what.size()) {
                read -= what.size();
                count(counter);
                context.writeAndFlush(message(context.channel()), context.voidPromise());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fail(cause);
        }
    }
}
