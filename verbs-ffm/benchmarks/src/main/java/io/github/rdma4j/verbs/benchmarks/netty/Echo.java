// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks.netty;

import com.sun.management.ThreadMXBean;
import io.github.rdma4j.netty.RdmaByteBufAllocator;
import io.github.rdma4j.netty.RdmaChannelOption;
import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.netty.bootstrap.AbstractBootstrap;
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
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An echo server and its clients, in one process: each side has one event loop. Used by one thread.
 */
final class Echo implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 600;
    /** From so many connections on, the channels of RDMA share a group and have few buffers each. */
    private static final int MANY = 32;

    private static final int FEW_BUFFERS = 4;

    /** Whether channels of RDMA have buffers of registered memory: {@code scripts/bench netty --registered}. */
    private static final boolean REGISTERED = Boolean.getBoolean("rdma4j.benchmarks.registered");

    private static final long ALLOCATOR_BYTES = 64 << 20;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The groups of the server and of the client; empty without groups. */
    private final List<EndpointGroup> groups = new ArrayList<>();

    private final EventLoopGroup serverLoop;
    private final EventLoopGroup clientLoop;
    private final Channel server;
    private final List<Client> clients = new ArrayList<>();
    private final long serverThread;
    private final int size;

    /** Of the client's event loop, while something is measured. */
    private Load load;

    /**
     * Connects.
     *
     * @param spins whether event loops of RDMA may spin before they sleep
     */
    Echo(Transport transport, InetSocketAddress address, int size, int connections, boolean spins) throws Exception {
        this.size = size;
        boolean shares = transport == Transport.RDMA && connections >= MANY;
        serverLoop = loop("server", transport, spins);
        clientLoop = loop("client", transport, spins);
        serverThread =
                serverLoop.submit(() -> Thread.currentThread().threadId()).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        ServerBootstrap servers = new ServerBootstrap()
                .group(serverLoop)
                .channel(transport.server())
                .childHandler(new Answer());
        Bootstrap bootstrap = new Bootstrap()
                .group(clientLoop)
                .channel(transport.client())
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        Client client = new Client(channel, clients.size());
                        channel.pipeline().addLast(client);
                        clients.add(client);
                    }
                });
        if (transport == Transport.RDMA) {
            if (REGISTERED) {
                servers.childOption(ChannelOption.ALLOCATOR, new RdmaByteBufAllocator(ALLOCATOR_BYTES));
                bootstrap.option(ChannelOption.ALLOCATOR, new RdmaByteBufAllocator(ALLOCATOR_BYTES));
            }
            if (shares) {
                share(servers, connections);
                share(bootstrap, connections);
            }
        } else {
            servers.childOption(ChannelOption.TCP_NODELAY, true).option(ChannelOption.SO_BACKLOG, connections);
            bootstrap.option(ChannelOption.TCP_NODELAY, true);
        }
        server = servers.bind(address).sync().channel();
        for (int i = 0; i < connections; i++) {
            bootstrap.connect(server.localAddress()).sync();
        }
    }

    private void share(AbstractBootstrap<?, ?> channels, int connections) {
        EndpointGroup group = EndpointGroup.open(connections);
        groups.add(group);
        channels.option(RdmaChannelOption.GROUP, group)
                .option(RdmaChannelOption.RECEIVE_BUFFERS, FEW_BUFFERS)
                .option(RdmaChannelOption.SEND_BUFFERS, FEW_BUFFERS);
    }

    private static EventLoopGroup loop(String name, Transport transport, boolean spins) {
        return new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory(transport + "-" + name, true), transport.handlers(spins));
    }

    /** Each connection sends its next message when the echo of the last one has arrived, up to this many messages. */
    Figures closedLoop(long messages) throws Exception {
        return run(new Load.Closed(this::send, clients.size(), messages));
    }

    /** Messages are due at equal intervals, in turn on all connections, independent of the echoes. */
    Figures openLoop(double perSecond, double seconds) throws Exception {
        return run(new Load.Open(clientLoop.next(), this::send, clients.size(), perSecond, seconds));
    }

    private Figures run(Load next) throws Exception {
        long cpu = THREADS.getThreadCpuTime(serverThread);
        long user = THREADS.getThreadUserTime(serverThread);
        long bytes = THREADS.getThreadAllocatedBytes(serverThread);
        clientLoop
                .submit(() -> {
                    load = next;
                    next.begin();
                })
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        next.done().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        return next.figures(
                THREADS.getThreadCpuTime(serverThread) - cpu,
                THREADS.getThreadUserTime(serverThread) - user,
                THREADS.getThreadAllocatedBytes(serverThread) - bytes);
    }

    private void send(int client, long number) {
        clients.get(client).send(number);
    }

    @Override
    public void close() throws Exception {
        clientLoop.shutdownGracefully(0, 60, TimeUnit.SECONDS).await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        serverLoop.shutdownGracefully(0, 60, TimeUnit.SECONDS).await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        groups.forEach(EndpointGroup::close);
    }

    /** The server's only handler. */
    @Sharable
    private static final class Answer extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    /** One connection. Its echoes arrive in order, in pieces or several at once. */
    private final class Client extends ChannelInboundHandlerAdapter {
        private final Channel channel;
        private final int index;
        /** Of the echo that is coming. */
        private int read;

        private long number;

        Client(Channel channel, int index) {
            this.channel = channel;
            this.index = index;
        }

        void send(long next) {
            ByteBuf message = channel.alloc().directBuffer(size);
            message.writeLong(next).writerIndex(size);
            channel.writeAndFlush(message, channel.voidPromise());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            try {
                while (bytes.isReadable()) {
                    take(bytes);
                }
            } finally {
                bytes.release();
            }
        }

        private void take(ByteBuf bytes) {
            if (read == 0 && bytes.readableBytes() >= Long.BYTES) {
                number = bytes.readLong();
                read = Long.BYTES;
            } else if (read < Long.BYTES) {
                number = number << Byte.SIZE | bytes.readUnsignedByte();
                read++;
                return;
            }
            int count = Math.min(bytes.readableBytes(), size - read);
            bytes.skipBytes(count);
            read += count;
            if (read == size) {
                read = 0;
                load.answered(index, number);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            load.done().completeExceptionally(cause);
        }
    }
}
