// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.endpoint.ConnectionLostException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests behaviour that Netty's own tests do not cover, because it exists only with RDMA or because their peer is a JDK
 * socket.
 */
@Tag("device")
class RdmaSocketChannelDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private EventLoopGroup group;

    @BeforeEach
    void open() {
        group = group(2);
    }

    private static EventLoopGroup group(int threads) {
        return new MultiThreadIoEventLoopGroup(
                threads, new DefaultThreadFactory("rdma-channels", true), RdmaIoHandler.newFactory());
    }

    @AfterEach
    void close() {
        assertThat(group.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly(PATIENCE.toMillis()))
                .isTrue();
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as("the time when it should have happened")
                    .isLessThan(end);
            Thread.onSpinWait();
            sleep(1);
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private ServerBootstrap server() {
        return server(group);
    }

    private static ServerBootstrap server(EventLoopGroup loops) {
        return new ServerBootstrap()
                .group(loops)
                .channel(RdmaServerSocketChannel.class)
                .localAddress(RdmaTestNet.address());
    }

    private Bootstrap client() {
        return client(group);
    }

    private static Bootstrap client(EventLoopGroup loops) {
        return new Bootstrap()
                .group(loops)
                .channel(RdmaSocketChannel.class)
                // By default a connection that takes 30 s fails.
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 120_000)
                .handler(new ChannelInboundHandlerAdapter());
    }

    private Channel accepted() throws InterruptedException {
        Channel channel = accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(channel).as("the channel that the server has accepted").isNotNull();
        return channel;
    }

    /** Keeps what it reads, the buffers themselves included, and the exceptions. */
    private final class Keeper extends ChannelInboundHandlerAdapter {
        final List<ByteBuf> buffers = new ArrayList<>();
        final List<Throwable> failures = new ArrayList<>();
        final AtomicInteger bytes = new AtomicInteger();
        volatile boolean inactive;

        /** One handler keeps the data of several channels. */
        @Override
        public boolean isSharable() {
            return true;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            accepted.add(context.channel());
            context.fireChannelActive();
        }

        @Override
        public synchronized void channelRead(ChannelHandlerContext context, Object message) {
            buffers.add((ByteBuf) message);
            bytes.addAndGet(((ByteBuf) message).readableBytes());
        }

        @Override
        public synchronized void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failures.add(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            inactive = true;
        }

        synchronized byte[] takeAll() {
            ByteBuf all = Unpooled.wrappedBuffer(buffers.toArray(ByteBuf[]::new));
            byte[] copy = new byte[all.readableBytes()];
            all.readBytes(copy);
            all.release();
            buffers.clear();
            return copy;
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @Test
    @Tag("iwarp")
    void allBuffersHeldMakesTheRestCopies() {
        // Far more than there are receive buffers: a handler that waits for the whole, as HTTP's aggregator does.
        byte[] data = random(3_000_000);
        Keeper keeper = new Keeper();
        Channel server =
                server().childHandler(keeper).bind().syncUninterruptibly().channel();
        Channel client =
                client().connect(server.localAddress()).syncUninterruptibly().channel();
        ChannelFuture written = client.writeAndFlush(Unpooled.wrappedBuffer(data));
        await(() -> keeper.bytes.get() == data.length);
        assertThat(written.awaitUninterruptibly().isSuccess()).isTrue();
        synchronized (keeper) {
            assertThat(keeper.buffers).hasAtLeastOneElementOfType(LentBuffer.class);
            assertThat(keeper.buffers.stream().filter(LentBuffer.class::isInstance))
                    .hasSizeLessThanOrEqualTo(16);
        }
        assertThat(keeper.takeAll()).isEqualTo(data);
    }

    @Test
    void bindingToAPortTakesIpv4AndIpv6() throws Exception {
        Channel server = server().childHandler(new Keeper()).bind(0).sync().channel();
        InetSocketAddress bound = (InetSocketAddress) server.localAddress();
        // Unless the kernel has no IPv6.
        assertThat(bound.getAddress())
                .isEqualTo(InetAddress.ofLiteral(Files.exists(Path.of("/proc/net/if_inet6")) ? "::" : "0.0.0.0"));
        for (InetAddress address : NetworkInterface.getByInetAddress(
                        RdmaTestNet.address().getAddress())
                .inetAddresses()
                .toList()) {
            Channel client = client().connect(address, bound.getPort()).sync().channel();
            assertThat(((InetSocketAddress) client.remoteAddress()).getAddress())
                    .isEqualTo(address);
            accepted().close().sync();
        }
    }

    @Test
    void buffersStayReadableWhenTheirChannelAndLoopAreGone() throws Exception {
        byte[] data = random(100_000);
        Keeper keeper = new Keeper();
        EventLoopGroup other = group(1);
        Channel server =
                server(other).childHandler(keeper).bind().syncUninterruptibly().channel();
        Channel client =
                client().connect(server.localAddress()).syncUninterruptibly().channel();
        client.writeAndFlush(Unpooled.wrappedBuffer(data)).syncUninterruptibly();
        await(() -> keeper.bytes.get() == data.length);
        accepted().close().syncUninterruptibly();
        assertThat(other.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly(PATIENCE.toMillis()))
                .isTrue();
        assertThat(keeper.takeAll()).isEqualTo(data);
    }

    @Test
    @Tag("iwarp")
    void slowReaderSlowsTheWriterDown() throws Exception {
        byte[] part = random(64 * 1024);
        Keeper keeper = new Keeper();
        Channel server = server().childOption(ChannelOption.AUTO_READ, false)
                .childHandler(keeper)
                .bind()
                .syncUninterruptibly()
                .channel();
        Channel client =
                client().connect(server.localAddress()).syncUninterruptibly().channel();
        Channel slow = accepted();
        int parts = 1;
        // Half a second is far more than it takes to leave, and whoever takes longer has less to do below.
        while (client.writeAndFlush(Unpooled.wrappedBuffer(part)).await(500)) {
            parts++;
            assertThat(parts).as("parts of 64 KiB that nobody reads").isLessThan(100);
        }
        assertThat(client.isWritable()).isFalse();
        assertThat(keeper.bytes.get()).isZero();
        slow.config().setAutoRead(true);
        int all = parts * part.length;
        await(() -> keeper.bytes.get() == all);
        await(client::isWritable);
        byte[] received = keeper.takeAll();
        for (int i = 0; i < received.length; i++) {
            if (received[i] != part[i % part.length]) {
                assertThat(received[i]).as("byte %d", i).isEqualTo(part[i % part.length]);
            }
        }
    }

    @Test
    @Tag("iwarp")
    void bothDirectionsFullAtOnceDoNotBlockEachOther() throws Exception {
        byte[] data = random(2_000_000);
        Keeper left = new Keeper();
        Keeper right = new Keeper();
        Channel server =
                server().childHandler(right).bind().syncUninterruptibly().channel();
        Channel client = client().handler(left)
                .connect(server.localAddress())
                .syncUninterruptibly()
                .channel();
        Channel peer = accepted();
        Channel other = accepted();
        assertThat(List.of(peer, other)).contains(client);
        peer.writeAndFlush(Unpooled.wrappedBuffer(data));
        other.writeAndFlush(Unpooled.wrappedBuffer(data));
        await(() -> left.bytes.get() == data.length && right.bytes.get() == data.length);
        assertThat(left.takeAll()).isEqualTo(data);
        assertThat(right.takeAll()).isEqualTo(data);
    }

    @Test
    @Tag("iwarp")
    void endComesBehindTheLastByteAndTheOtherDirectionGoesOn() throws Exception {
        byte[] data = random(500_000);
        try (EndpointServer server = EndpointServer.bind(RdmaTestNet.address())) {
            Keeper keeper = new Keeper();
            ChannelFuture connecting = client().handler(keeper).connect(server.address());
            try (Endpoint peer = server.accept(PATIENCE).orElseThrow()) {
                DuplexChannel client =
                        (DuplexChannel) connecting.syncUninterruptibly().channel();
                client.writeAndFlush(Unpooled.wrappedBuffer(data)).addListener(done -> client.shutdownOutput());
                List<byte[]> messages = new ArrayList<>();
                byte[] message = peer.receive(PATIENCE).orElseThrow();
                while (message.length > 0) {
                    messages.add(message);
                    message = peer.receive(PATIENCE).orElseThrow();
                }
                assertThat(Unpooled.wrappedBuffer(messages.toArray(byte[][]::new)))
                        .isEqualTo(Unpooled.wrappedBuffer(data));
                assertThat(client.isOutputShutdown()).isTrue();
                assertThat(client.isActive()).isTrue();
                assertThatThrownBy(
                                () -> client.writeAndFlush(Unpooled.copyInt(1)).sync())
                        .isInstanceOfAny(ChannelOutputShutdownException.class, ClosedChannelException.class);
                assertThat(peer.send(new byte[] {1, 2, 3}, PATIENCE)).isTrue();
                await(() -> keeper.bytes.get() == 3);
                keeper.takeAll();
            }
            await(() -> keeper.inactive);
        }
    }

    @Test
    void everythingIsReadBeforeTheChannelBecomesInactive() throws Exception {
        byte[] data = random(20_000);
        try (EndpointServer server = EndpointServer.bind(RdmaTestNet.address())) {
            Keeper keeper = new Keeper();
            ChannelFuture connecting = client().handler(keeper).connect(server.address());
            try (Endpoint peer = server.accept(PATIENCE).orElseThrow()) {
                connecting.syncUninterruptibly();
                for (int i = 0; i < data.length; i += 1000) {
                    assertThat(peer.send(Arrays.copyOfRange(data, i, i + 1000), PATIENCE))
                            .isTrue();
                }
            }
            await(() -> keeper.inactive);
            assertThat(keeper.takeAll()).isEqualTo(data);
            assertThat(keeper.failures).isEmpty();
        }
    }

    @Test
    @Tag("iwarp")
    void lostPeerThrowsWithTheReason() throws Exception {
        try (EndpointServer server = EndpointServer.bind(RdmaTestNet.address())) {
            Keeper keeper = new Keeper();
            ChannelFuture connecting = client().handler(keeper).connect(server.address());
            Endpoint peer = server.accept(PATIENCE).orElseThrow();
            connecting.syncUninterruptibly();
            peer.abort();
            await(() -> keeper.inactive);
            assertThat(keeper.failures)
                    .singleElement()
                    .satisfies(failure -> assertThat(failure)
                            .isInstanceOf(SocketException.class)
                            .hasMessageContaining("Connection reset")
                            .hasMessageContaining("disconnected")
                            .hasCauseInstanceOf(ConnectionLostException.class));
        }
    }

    @Test
    void readIsPendingUntilTheChannelIsConnected() throws Exception {
        try (EndpointServer server = EndpointServer.bind(RdmaTestNet.address())) {
            Keeper keeper = new Keeper();
            ChannelFuture connecting = client().option(ChannelOption.AUTO_READ, false)
                    .handler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(keeper);
                            channel.read();
                        }
                    })
                    .connect(server.address());
            try (Endpoint peer = server.accept(PATIENCE).orElseThrow()) {
                connecting.syncUninterruptibly();
                assertThat(peer.send(new byte[42], PATIENCE)).isTrue();
                await(() -> keeper.bytes.get() == 42);
                keeper.takeAll();
            }
        }
    }

    @Test
    void connectingTwiceIsRefused() throws Exception {
        try (EndpointServer server = EndpointServer.bind(RdmaTestNet.address())) {
            Channel client = client().register().syncUninterruptibly().channel();
            ChannelFuture first = client.connect(server.address());
            assertThatThrownBy(() -> client.connect(server.address()).sync())
                    .isInstanceOf(ConnectionPendingException.class);
            try (Endpoint peer = server.accept(PATIENCE).orElseThrow()) {
                first.syncUninterruptibly();
                assertThatThrownBy(() -> client.connect(server.address()).sync())
                        .isInstanceOf(AlreadyConnectedException.class);
                assertThat(client.isActive()).isTrue();
            }
        }
    }

    @Test
    void connectionThatNobodyAcceptsEndsInTime() {
        // It listens, and nobody ever accepts.
        try (EndpointServer server = EndpointServer.bind(RdmaTestNet.address())) {
            ChannelFuture connecting =
                    client().option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 500).connect(server.address());
            assertThat(connecting.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
            assertThat(connecting.cause())
                    .isInstanceOf(ConnectTimeoutException.class)
                    .hasMessageMatching("(?s).*\\. \\p{Lu}.*");
            connecting.channel().closeFuture().awaitUninterruptibly(PATIENCE.toMillis());
            assertThat(connecting.channel().isOpen()).isFalse();
        }
    }

    @Test
    void closingGivesUpConnecting() {
        try (EndpointServer server = EndpointServer.bind(RdmaTestNet.address())) {
            ChannelFuture connecting = client().connect(server.address());
            ChannelFuture closed = connecting.channel().close();
            assertThat(closed.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
            assertThat(closed.cause()).isNull();
            assertThat(connecting.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
            assertThat(connecting.cause()).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    @Tag("iwarp")
    void addressesThatCannotBe() {
        assertThatThrownBy(() ->
                        client().connect(new InetSocketAddress("127.0.0.1", 1)).sync())
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("network interface that has an RDMA device");
        assertThatThrownBy(() -> server().childHandler(new Keeper())
                        .bind(new InetSocketAddress("127.0.0.1", 0))
                        .sync())
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("loopback");
        Channel taken =
                server().childHandler(new Keeper()).bind().syncUninterruptibly().channel();
        assertThatThrownBy(() -> server().childHandler(new Keeper())
                        .bind(taken.localAddress())
                        .sync())
                .isInstanceOf(BindException.class);
    }

    /** As sockets do: a server there is at each address, and a client there means this machine. */
    @Test
    void wildcardAddressIsThisMachine() throws Exception {
        Keeper keeper = new Keeper();
        InetSocketAddress bound = (InetSocketAddress) server().childHandler(keeper)
                .bind(new InetSocketAddress("0.0.0.0", 0))
                .sync()
                .channel()
                .localAddress();
        assertThat(bound.getAddress().isAnyLocalAddress()).isTrue();
        InetSocketAddress anywhere = new InetSocketAddress("0.0.0.0", 0);
        for (InetSocketAddress from : new InetSocketAddress[] {null, anywhere, RdmaTestNet.address()}) {
            Channel client = client().connect(new InetSocketAddress("0.0.0.0", bound.getPort()), from)
                    .sync()
                    .channel();
            InetSocketAddress reached = (InetSocketAddress) client.remoteAddress();
            assertThat(reached.getPort()).isEqualTo(bound.getPort());
            assertThat(reached.getAddress().isAnyLocalAddress()).isFalse();
            assertThat(accepted().localAddress()).isEqualTo(reached);
            client.close().sync();
        }
    }

    @Test
    void connectFailsWithoutAListenerAtTheWildcardAddress() {
        InetSocketAddress closed;
        try (EndpointServer server = EndpointServer.bind(RdmaTestNet.address())) {
            closed = new InetSocketAddress("0.0.0.0", server.address().getPort());
        }
        assertThatThrownBy(() -> client().connect(closed).sync()).isInstanceOf(ConnectException.class);
    }

    @Test
    @Tag("iwarp")
    void connectFailsWithoutAListener() {
        InetSocketAddress closed;
        try (EndpointServer server = EndpointServer.bind(RdmaTestNet.address())) {
            closed = server.address();
        }
        assertThatThrownBy(() -> client().connect(closed).sync())
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("Connection refused");
    }

    @Test
    @Tag("iwarp")
    void writeToAClosedPeerFails() {
        try (EndpointServer server = EndpointServer.bind(RdmaTestNet.address())) {
            Keeper keeper = new Keeper();
            ChannelFuture connecting = client().option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .handler(keeper)
                    .connect(server.address());
            server.accept(PATIENCE).orElseThrow().close();
            DuplexChannel client =
                    (DuplexChannel) connecting.syncUninterruptibly().channel();
            await(client::isInputShutdown);
            ChannelFuture written = client.writeAndFlush(Unpooled.copyInt(1)).awaitUninterruptibly();
            assertThat(written.cause()).isInstanceOf(SocketException.class).hasMessageContaining("Broken pipe");
            await(() -> keeper.inactive);
        }
    }

    @Test
    void channelChangesItsEventLoop() throws Exception {
        byte[] data = random(300_000);
        Keeper keeper = new Keeper();
        Channel server =
                server().childHandler(keeper).bind().syncUninterruptibly().channel();
        Channel client =
                client().connect(server.localAddress()).syncUninterruptibly().channel();
        Channel moved = accepted();
        client.writeAndFlush(Unpooled.wrappedBuffer(data, 0, 100_000)).syncUninterruptibly();
        await(() -> keeper.bytes.get() == 100_000);
        moved.deregister().syncUninterruptibly();
        client.writeAndFlush(Unpooled.wrappedBuffer(data, 100_000, 200_000));
        sleep(50);
        assertThat(keeper.bytes.get()).isEqualTo(100_000);
        EventLoopGroup other = group(1);
        try {
            other.register(moved).syncUninterruptibly();
            await(() -> keeper.bytes.get() == data.length);
            assertThat(keeper.takeAll()).isEqualTo(data);
        } finally {
            moved.close().syncUninterruptibly();
            other.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly(PATIENCE.toMillis());
        }
    }

    @Test
    void eventLoopThatEndsClosesItsChannelsInGoodOrder() throws Exception {
        Keeper keeper = new Keeper();
        Channel server =
                server().childHandler(keeper).bind().syncUninterruptibly().channel();
        EventLoopGroup clients = group(1);
        for (int i = 0; i < 5; i++) {
            Channel client = client(clients)
                    .connect(server.localAddress())
                    .syncUninterruptibly()
                    .channel();
            client.writeAndFlush(Unpooled.wrappedBuffer(random(1000))).syncUninterruptibly();
            accepted();
        }
        assertThat(clients.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly(PATIENCE.toMillis()))
                .isTrue();
        await(() -> keeper.bytes.get() == 5000);
        await(() -> keeper.inactive);
        assertThat(keeper.failures).isEmpty();
        keeper.takeAll();
    }

    @Test
    @Tag("iwarp")
    void nothingIsLeftInTheProcess() throws Exception {
        // The first connection creates some objects that stay.
        connectAndClose(2);
        long before = descriptors();
        connectAndClose(20);
        await(() -> descriptors() <= before);
    }

    private void connectAndClose(int connections) throws InterruptedException {
        EventLoopGroup own = group(2);
        Keeper keeper = new Keeper();
        Channel server =
                server(own).childHandler(keeper).bind().syncUninterruptibly().channel();
        for (int i = 0; i < connections; i++) {
            Channel client = client(own)
                    .connect(server.localAddress())
                    .syncUninterruptibly()
                    .channel();
            Channel peer = accepted();
            client.writeAndFlush(Unpooled.wrappedBuffer(random(2000)));
            if (i % 2 == 0) {
                client.close().syncUninterruptibly();
            } else {
                client.config().setOption(ChannelOption.SO_LINGER, 0);
                client.close();
                peer.close().syncUninterruptibly();
            }
        }
        assertThat(own.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly(PATIENCE.toMillis()))
                .isTrue();
        keeper.takeAll();
    }

    private static long descriptors() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
