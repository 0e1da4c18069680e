// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.github.rdma4j.netty.RdmaByteBufAllocator;
import io.github.rdma4j.netty.RdmaChannelOption;
import io.github.rdma4j.netty.RdmaIoHandler;
import io.github.rdma4j.netty.RdmaServerSocketChannel;
import io.github.rdma4j.netty.RdmaSocketChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * One end of a run over Netty's channels, with its own event loop and allocator. At the end, the loop must end, each
 * buffer must have been released, and Netty's leak detector must find nothing.
 */
final class NettyEnd {
    private static final long CONNECT_MINUTES = 1;
    private static final long LOOP_SECONDS = 20;

    /** Before anything of Netty. */
    private final Leaks leaks = Leaks.begin();

    private final Peer.Orders orders;
    private final RdmaByteBufAllocator allocator = new RdmaByteBufAllocator(16 << 20);
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final NettyTalk talk;

    private NettyEnd(int side, Peer.Orders orders) {
        this.orders = orders;
        this.talk = orders.load() == Load.HTTP
                ? new NettyHttp(side, orders.seed(), orders.lengthMillis())
                : new NettyStream(side, orders.seed(), orders.lengthMillis(), orders.load() == Load.NETTY);
    }

    /** @param begin called when the clock of the report has started */
    static EndReport client(InetSocketAddress server, Peer.Orders orders, Runnable begin) throws Exception {
        NettyEnd end = new NettyEnd(1, orders);
        return end.finish(() -> {
            Bootstrap client = new Bootstrap()
                    .group(end.group)
                    .channel(RdmaSocketChannel.class)
                    .option(ChannelOption.ALLOCATOR, end.allocator);
            if (orders.load() == Load.NETTY_CONNECTING) {
                client.option(RdmaChannelOption.SILENCE_TIMEOUT_MILLIS, NettyConnects.SILENCE_MILLIS)
                        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, NettyConnects.CONNECT_MILLIS);
                begin.run();
                return new NettyConnects(orders.lengthMillis()).client(client, server);
            }
            client.option(RdmaChannelOption.SILENCE_TIMEOUT_MILLIS, (int) orders.silenceMillis())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) TimeUnit.MINUTES.toMillis(CONNECT_MINUTES))
                    .handler(end.handlers(new CompletableFuture<>()));
            client.connect(server).sync();
            begin.run();
            return end.talk.report(orders.limitMillis());
        });
    }

    /** @param port gets the server's port */
    static EndReport server(InetSocketAddress address, Peer.Orders orders, IntConsumer port) throws Exception {
        NettyEnd end = new NettyEnd(2, orders);
        return end.finish(() -> {
            boolean connecting = orders.load() == Load.NETTY_CONNECTING;
            long silence = connecting ? NettyConnects.SILENCE_MILLIS : orders.silenceMillis();
            NettyConnects.Repeat repeat = new NettyConnects.Repeat();
            CompletableFuture<Channel> accepted = new CompletableFuture<>();
            ServerSocketChannel server = (ServerSocketChannel) new ServerBootstrap()
                    .group(end.group)
                    .channel(RdmaServerSocketChannel.class)
                    .option(RdmaChannelOption.SILENCE_TIMEOUT_MILLIS, (int) silence)
                    .childOption(ChannelOption.ALLOCATOR, end.allocator)
                    .childHandler(connecting ? repeat : end.handlers(accepted))
                    .bind(address)
                    .sync()
                    .channel();
            port.accept(server.localAddress().getPort());
            if (connecting) {
                return repeat.report(server, orders.limitMillis());
            }
            accepted.get(2 * CONNECT_MINUTES, TimeUnit.MINUTES);
            return end.talk.report(orders.limitMillis());
        });
    }

    private ChannelInitializer<Channel> handlers(CompletableFuture<Channel> made) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                talk.addTo(channel.pipeline());
                made.complete(channel);
            }
        };
    }

    /** What an end does. */
    private interface Work {
        EndReport run() throws Exception;
    }

    private EndReport finish(Work work) throws Exception {
        EndReport report;
        boolean ended;
        try {
            report = work.run();
        } finally {
            ended = group.shutdownGracefully(0, LOOP_SECONDS, TimeUnit.SECONDS)
                    .awaitUninterruptibly(LOOP_SECONDS, TimeUnit.SECONDS);
        }
        if (!ended) {
            return report.withHung("an event loop");
        }
        if (allocator.usedBytes() > 0) {
            return report.withWrong(allocator.usedBytes() + " bytes of the allocator were not given back");
        }
        String leaked = leaks.found();
        return leaked.isEmpty() ? report : report.withWrong(leaked);
    }
}
