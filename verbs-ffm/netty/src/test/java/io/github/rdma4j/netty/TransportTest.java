// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FileRegion;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.resolver.NoopAddressResolverGroup;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels where there is no RDMA: on this machine, at its loopback address. */
class TransportTest {
    private static final InetSocketAddress HERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, new DefaultThreadFactory("loops", true), RdmaIoHandler.newFactory());

    private final List<String> log = new ArrayList<>();

    @AfterEach
    void end() {
        loops.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private Channel server(Transport transport) {
        return new ServerBootstrap()
                .group(loops)
                .channel(RdmaServerSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, transport)
                .childHandler(new Echo())
                .bind(HERE)
                .syncUninterruptibly()
                .channel();
    }

    private Bootstrap client(Transport transport) {
        return new Bootstrap()
                .group(loops)
                .channel(RdmaSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, transport)
                .handler(new ChannelInboundHandlerAdapter());
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_OR_TCP"})
    void programRunsWhereThereIsNoRdma(Transport transport) throws Exception {
        RdmaServerSocketChannel server = (RdmaServerSocketChannel) server(transport);
        CompletableFuture<String> answer = new CompletableFuture<>();
        RdmaSocketChannel client = (RdmaSocketChannel) client(transport)
                .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                        answer.complete(bytes.toString(StandardCharsets.UTF_8));
                    }
                })
                .connect(server.localAddress())
                .sync()
                .channel();
        client.writeAndFlush(Unpooled.copiedBuffer("over TCP", StandardCharsets.UTF_8));
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo("over TCP");
        assertThat(client.transport()).contains(Transport.TCP);
        boolean tried = transport == Transport.RDMA_OR_TCP;
        assertThat(client.rdmaFailure().isPresent()).isEqualTo(tried);
        assertThat(server.rdmaFailure().isPresent()).isEqualTo(tried);
        assertThat(client.remoteAddress()).isEqualTo(server.localAddress());
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_OR_TCP", "RDMA_WITH_FAILOVER"})
    void bindingToAPortTakesEveryLoopbackAddress(Transport transport) throws Exception {
        try (ServerSocketChannel sockets = ServerSocketChannel.open().bind(new InetSocketAddress(0))) {
            InetSocketAddress server = (InetSocketAddress) new ServerBootstrap()
                    .group(loops)
                    .channel(RdmaServerSocketChannel.class)
                    .option(RdmaChannelOption.TRANSPORT, transport)
                    .childHandler(new Echo())
                    .bind(0)
                    .sync()
                    .channel()
                    .localAddress();
            assertThat(server.getAddress()).isEqualTo(((InetSocketAddress) sockets.getLocalAddress()).getAddress());
            for (InetAddress loopback : NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(InetAddress::isLoopbackAddress)
                    .toList()) {
                Channel client = client(transport)
                        .connect(loopback.getHostAddress(), server.getPort())
                        .sync()
                        .channel();
                assertThat(((InetSocketAddress) client.remoteAddress()).getAddress())
                        .isEqualTo(loopback);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void nameThatNobodyResolvedIsRefusedAsByNio(Transport transport) {
        InetSocketAddress name = InetSocketAddress.createUnresolved("srv", 7471);
        ChannelFuture connected = client(transport)
                .resolver(NoopAddressResolverGroup.INSTANCE)
                .connect(name)
                .awaitUninterruptibly();
        assertThat(connected.cause()).isInstanceOf(UnresolvedAddressException.class);
    }

    /** The page shows pieces of it. */
    @Test
    void programGetsTheReasonForTcp() throws Exception {
        ServerBootstrap server = new ServerBootstrap()
                .group(loops)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(new Echo());
        Bootstrap client = client(Transport.RDMA);
        server.option(RdmaChannelOption.TRANSPORT, Transport.RDMA_OR_TCP);
        client.option(RdmaChannelOption.TRANSPORT, Transport.RDMA_OR_TCP);
        InetSocketAddress address =
                (InetSocketAddress) server.bind(HERE).sync().channel().localAddress();
        RdmaSocketChannel channel =
                (RdmaSocketChannel) client.connect(address).sync().channel();
        log("connected over " + channel.transport().orElseThrow());
        channel.rdmaFailure().ifPresent(why -> log(why.getMessage())); // cause and remedy
        assertThat(log).hasSize(2).startsWith("connected over TCP");
        assertThat(log.getLast()).containsPattern("\\. \\p{Lu}");
    }

    private void log(String line) {
        log.add(line);
    }

    @Test
    void eventLoopThatIsInterruptedGoesOnAndForgetsIt() throws Exception {
        EventLoop loop = loops.next();
        loop.execute(() -> Thread.currentThread().interrupt());
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        // Not in the same turn.
        while (loop.submit(() -> Thread.currentThread().isInterrupted()).get(60, TimeUnit.SECONDS)) {
            assertThat(System.nanoTime() - end).isNegative();
        }
    }

    /** If one of its own tasks shuts the loop down, it ends without calling its handler's prepareToDestroy. */
    @Test
    void channelsAreNotifiedWhenALoopEndsAtOnce() throws Exception {
        List<String> ends = Collections.synchronizedList(new ArrayList<>());
        EventLoopGroup loop =
                new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("loop", true), RdmaIoHandler.newFactory());
        Channel client = new Bootstrap()
                .group(loop)
                .channel(RdmaSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, Transport.TCP)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelInactive(ChannelHandlerContext context) {
                        ends.add("inactive");
                    }

                    @Override
                    public void channelUnregistered(ChannelHandlerContext context) {
                        ends.add("unregistered");
                    }
                })
                .connect(server(Transport.TCP).localAddress())
                .sync()
                .channel();
        loop.execute(() -> loop.shutdownGracefully(0, 30, TimeUnit.SECONDS));
        assertThat(loop.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(client.closeFuture().isDone()).isTrue();
        assertThat(ends).containsExactly("inactive", "unregistered");
    }

    @Test
    void channelThatIsNotConnectedHasNoTransport() {
        RdmaSocketChannel client = new RdmaSocketChannel();
        assertThat(client.transport()).isEmpty();
        assertThat(client.rdmaFailure()).isEmpty();
        assertThat(new RdmaServerSocketChannel().rdmaFailure()).isEmpty();
        assertThat(client.config().getOption(RdmaChannelOption.TRANSPORT)).isEqualTo(Transport.RDMA);
    }

    @Test
    void channelThatMayMoveStaysWithTcpWhereThereIsNoRdma() throws Exception {
        byte[] data = new byte[300_000];
        new Random(1).nextBytes(data);
        ByteBuf answer = Unpooled.buffer(data.length);
        CompletableFuture<Void> all = new CompletableFuture<>();
        RdmaSocketChannel client = (RdmaSocketChannel) client(Transport.RDMA_WITH_FAILOVER)
                .option(ChannelOption.ALLOCATOR, new RdmaByteBufAllocator(1 << 20))
                .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                        answer.writeBytes(bytes);
                        if (answer.readableBytes() == data.length) {
                            all.complete(null);
                        }
                    }
                })
                .connect(server(Transport.RDMA_WITH_FAILOVER).localAddress())
                .sync()
                .channel();
        client.writeAndFlush(client.alloc().directBuffer(data.length).writeBytes(data));
        all.get(60, TimeUnit.SECONDS);
        assertThat(answer).isEqualTo(Unpooled.wrappedBuffer(data));
        assertThat(client.transport()).contains(Transport.TCP);
        assertThat(client.lentMessages()).isZero();
    }

    @Test
    void unmovableChannelIsRefused() {
        assertThatThrownBy(() -> client(Transport.RDMA_WITH_FAILOVER)
                        .option(RdmaChannelOption.SILENCE_TIMEOUT_MILLIS, 0)
                        .connect(server(Transport.RDMA_WITH_FAILOVER).localAddress())
                        .sync())
                .hasMessageContaining("silenceTimeout");
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_OR_TCP", "RDMA_WITH_FAILOVER"})
    void connectFailsWithoutAListener(Transport transport) throws Exception {
        InetSocketAddress closed;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = (InetSocketAddress) socket.getLocalSocketAddress();
        }
        assertThatThrownBy(() -> client(transport).connect(closed).sync())
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("Connection refused");
    }

    @Test
    void silentServerTimesOut() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> client(Transport.TCP)
                            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 200)
                            .connect(socket.getLocalSocketAddress())
                            .sync())
                    .isInstanceOf(ConnectTimeoutException.class)
                    .hasMessageContaining("no answer within");
        }
    }

    @Test
    void peerMayBeAnEndpoint() {
        Channel server = server(Transport.TCP);
        try (Endpoint peer = Endpoint.connect(
                (InetSocketAddress) server.localAddress(),
                config -> config.transport(Transport.TCP),
                Duration.ofSeconds(60))) {
            assertThat(peer.send(new byte[] {1, 2, 3}, Duration.ofSeconds(60))).isTrue();
            assertThat(peer.receive(Duration.ofSeconds(60))).hasValue(new byte[] {1, 2, 3});
        }
    }

    @Test
    void bindingTwiceIsRefusedAndChangesNothing() throws Exception {
        Channel server = server(Transport.TCP);
        assertThatThrownBy(() -> server.bind(HERE).sync()).isInstanceOf(AlreadyBoundException.class);
        Channel client =
                client(Transport.TCP).connect(server.localAddress()).sync().channel();
        assertThatThrownBy(() -> client.bind(HERE).sync()).isInstanceOf(AlreadyBoundException.class);
        Channel other = client(Transport.TCP).register().sync().channel();
        other.bind(HERE).sync();
        assertThatThrownBy(() -> other.bind(HERE).sync()).isInstanceOf(AlreadyBoundException.class);
        other.close().sync();
        client.close().sync();
    }

    /** A channel may leave its event loop while it connects, and have another one sooner or later than a connection. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void channelThatConnectsChangesItsEventLoop(boolean soon) throws Exception {
        CompletableFuture<Integer> read = new CompletableFuture<>();
        try (EndpointServer server = EndpointServer.bind(HERE, config -> config.transport(Transport.TCP))) {
            ChannelFuture connecting = client(Transport.TCP)
                    .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                        @Override
                        protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                            read.complete(bytes.readInt());
                        }
                    })
                    .connect(server.address());
            Channel channel = connecting.channel();
            channel.deregister().sync();
            EventLoop other = loops.next() == channel.eventLoop()
                    ? loops.next()
                    : loops.next().next();
            if (soon) {
                other.register(channel).sync();
            }
            Endpoint peer = server.accept(Duration.ofSeconds(60)).orElseThrow();
            connecting.sync();
            if (!soon) {
                other.register(channel).sync();
            }
            assertThat(peer.send(new byte[] {0, 0, 1, 2}, Duration.ofSeconds(60)))
                    .isTrue();
            assertThat(read.get(60, TimeUnit.SECONDS)).isEqualTo(0x102);
            channel.close().sync();
            peer.close();
        }
    }

    /**
     * If the channel changes its event loop, the new loop must finish a pending write. Otherwise two loops would do it
     * at once.
     */
    @Test
    void writeGoesOnInTheEventLoopThatTheChannelHas() throws Exception {
        Channel client = client(Transport.TCP)
                .option(ChannelOption.WRITE_SPIN_COUNT, 1)
                .connect(server(Transport.TCP).localAddress())
                .sync()
                .channel();
        EventLoop first = client.eventLoop();
        EventLoop second = loops.next() == first ? loops.next() : loops.next().next();
        Turns turns = new Turns(client);
        ChannelPromise written = client.newPromise();
        first.submit(() -> {
                    client.deregister().addListener(done -> second.register(client));
                    client.writeAndFlush(turns, written);
                })
                .sync();
        assertThat(written.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(turns.atHome).containsExactly(true, true, true);
        client.close().sync();
    }

    /** A file of three bytes, of which each turn takes one. */
    private static final class Turns extends AbstractReferenceCounted implements FileRegion {
        final List<Boolean> atHome = new ArrayList<>();
        private final Channel channel;

        Turns(Channel channel) {
            this.channel = channel;
        }

        @Override
        public long transferTo(WritableByteChannel target, long position) throws IOException {
            atHome.add(channel.eventLoop().inEventLoop());
            return target.write(ByteBuffer.allocate(1));
        }

        @Override
        public long position() {
            return 0;
        }

        @Override
        public long transfered() {
            return transferred();
        }

        @Override
        public long transferred() {
            return atHome.size();
        }

        @Override
        public long count() {
            return 3;
        }

        @Override
        public FileRegion retain() {
            super.retain();
            return this;
        }

        @Override
        public FileRegion retain(int increment) {
            super.retain(increment);
            return this;
        }

        @Override
        public FileRegion touch() {
            return this;
        }

        @Override
        public FileRegion touch(Object hint) {
            return this;
        }

        @Override
        protected void deallocate() {}
    }

    /** The endpoint is then the closing thread's. */
    @Test
    void channelThatAListenerClosesWritesNoMore() throws Exception {
        Channel client = client(Transport.TCP)
                .connect(server(Transport.TCP).localAddress())
                .sync()
                .channel();
        ChannelPromise next = client.newPromise();
        // Each is a message.
        byte[] bytes = new byte[client.config().getOption(RdmaChannelOption.MESSAGE_SIZE)];
        client.eventLoop().execute(() -> {
            client.write(Unpooled.wrappedBuffer(bytes)).addListener(done -> client.close());
            client.write(Unpooled.wrappedBuffer(bytes), next);
            client.flush();
        });
        assertThat(next.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(next.cause()).isInstanceOf(ClosedChannelException.class);
    }

    /** A channel of files passes on what it has read until it is given back something. */
    @Test
    void partsOfAFileAreReadOnce(@TempDir Path folder) throws Exception {
        int length = 1_000_000;
        byte[] content = new byte[length];
        new Random(3).nextBytes(content);
        Path file = Files.write(folder.resolve("file"), content);
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        Channel client = client(Transport.TCP)
                .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                    private final ByteBuf all = Unpooled.buffer(length);

                    @Override
                    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                        all.writeBytes(bytes);
                        if (all.readableBytes() == length) {
                            answer.complete(all.array());
                        }
                    }
                })
                .connect(server(Transport.TCP).localAddress())
                .sync()
                .channel();
        LongAdder offered = new LongAdder();
        client.writeAndFlush(new DefaultFileRegion(FileChannel.open(file), 0, length) {
            @Override
            public long transferTo(WritableByteChannel target, long position) throws IOException {
                return super.transferTo(new Counting(target, offered), position);
            }
        });
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(content);
        assertThat(offered.sum()).isBetween((long) length, length + length / 100L);
    }

    private record Counting(WritableByteChannel target, LongAdder offered) implements WritableByteChannel {
        @Override
        public int write(ByteBuffer source) throws IOException {
            offered.add(source.remaining());
            return target.write(source);
        }

        @Override
        public boolean isOpen() {
            return target.isOpen();
        }

        @Override
        public void close() {}
    }

    @Test
    void optionsThatComeTooLateAreRefused() throws Exception {
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        Channel server = new ServerBootstrap()
                .group(loops)
                .channel(RdmaServerSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, Transport.TCP)
                .option(RdmaChannelOption.MESSAGE_SIZE, 1000)
                .childHandler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelActive(ChannelHandlerContext context) {
                        accepted.complete(context.channel());
                    }
                })
                .bind(HERE)
                .sync()
                .channel();
        Channel client =
                client(Transport.TCP).connect(server.localAddress()).sync().channel();
        Channel peer = accepted.get(60, TimeUnit.SECONDS);
        assertThat(peer.config().getOption(RdmaChannelOption.TRANSPORT)).isEqualTo(Transport.TCP);
        for (Channel channel : List.of(server, client, peer)) {
            assertThatThrownBy(() -> channel.config().setOption(RdmaChannelOption.MESSAGE_SIZE, 64))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("MESSAGE_SIZE is set too late")
                    .hasMessageContaining("not on childOption");
            assertThat(channel.config().getOption(RdmaChannelOption.MESSAGE_SIZE))
                    .isEqualTo(channel == client ? 8192 : 1000);
        }
    }

    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }
}
