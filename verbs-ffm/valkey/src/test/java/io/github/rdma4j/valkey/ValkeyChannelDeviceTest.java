// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The channel and a peer that does what a server must, or what it must not. */
@Tag("device")
class ValkeyChannelDeviceTest {
    private static final long SECONDS = RawPeer.PATIENCE.toSeconds();
    private static final String INACTIVE = "inactive";

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, ValkeyIoHandler.newFactory());
    private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
    private final SynchronousId listener = SynchronousId.create(PortSpace.TCP);
    private RawPeer peer;
    private Channel channel;

    @AfterEach
    void close() throws InterruptedException {
        loops.shutdownGracefully(0, SECONDS, TimeUnit.SECONDS).await();
        if (peer != null) {
            peer.close();
        }
        listener.close();
    }

    private Bootstrap client() {
        return new Bootstrap()
                .group(loops)
                .channel(ValkeyChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) RawPeer.PATIENCE.toMillis())
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        events.add(message);
                    }

                    @Override
                    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                        events.add(cause);
                    }

                    @Override
                    public void channelInactive(ChannelHandlerContext context) {
                        events.add(INACTIVE);
                    }
                });
    }

    private InetSocketAddress listen() {
        listener.listen(CmTestNet.ipv4(), 1);
        return listener.id().localAddress().orElseThrow();
    }

    private void accept() {
        SynchronousId id = listener.getRequest(RawPeer.PATIENCE).orElseThrow();
        peer = new RawPeer(id);
        id.accept(config -> {}, RawPeer.PATIENCE);
    }

    private void connect(Bootstrap client) throws Exception {
        ChannelFuture connected = client.connect(listen());
        accept();
        peer.register();
        assertThat(connected.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        connected.get();
        channel = connected.channel();
        peer.awaitControl(3);
    }

    private Object event() throws InterruptedException {
        Object event = events.poll(SECONDS, TimeUnit.SECONDS);
        assertThat(event).as("an event").isNotNull();
        return event;
    }

    private byte[] arrived(int length) throws InterruptedException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (all.size() < length) {
            ByteBuf bytes = (ByteBuf) event();
            byte[] some = new byte[bytes.readableBytes()];
            bytes.readBytes(some);
            bytes.release();
            all.writeBytes(some);
        }
        return all.toByteArray();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private byte[] readByPeer(int length) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (all.size() < length) {
            all.writeBytes(peer.read());
        }
        return all.toByteArray();
    }

    @Test
    void handshakeIsTheDocumentedOne() throws Exception {
        ChannelFuture connected = client().connect(listen());
        accept();
        assertThat(peer.control().array()).isEqualTo(RawPeer.message(0).array());
        assertThat(peer.control().array()).isEqualTo(RawPeer.message(1).array());
        ByteBuffer ring = peer.control();
        assertThat(ring.getShort(0)).isEqualTo((short) 3);
        assertThat(ring.getInt(24)).isEqualTo(1024 * 1024);
        // Features of a later version, of which this client uses none.
        peer.send(RawPeer.message(0).putLong(24, -1).array());
        peer.send(RawPeer.message(2).array());
        assertThat(connected.isDone()).isFalse();
        peer.register();
        connected.get(SECONDS, TimeUnit.SECONDS);
        assertThat(connected.channel().remoteAddress())
                .isEqualTo(listener.id().localAddress().orElseThrow());
    }

    @Test
    void loopThatEndsByItsOwnTaskReportsTheClose() throws Exception {
        connect(client());
        loops.execute(() -> loops.shutdownGracefully(0, SECONDS, TimeUnit.SECONDS));
        assertThat(event()).isEqualTo(INACTIVE);
        assertThat(loops.awaitTermination(SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void bytesThatAreLongerThanTheRingsArriveInOrder() throws Exception {
        connect(client());
        byte[] request = random(3 * RawPeer.RING + 1);
        ChannelFuture written = channel.writeAndFlush(Unpooled.wrappedBuffer(request));
        assertThat(readByPeer(request.length)).isEqualTo(request);
        assertThat(written.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        byte[] reply = random(2 * 1024 * 1024 + RawPeer.RING + 5);
        for (int from = 0; from < reply.length; ) {
            int length = Math.min(RawPeer.RING, reply.length - from);
            if (peer.space() > 0) {
                length = (int) Math.min(length, peer.space());
            }
            peer.write(Arrays.copyOfRange(reply, from, from + length), length);
            from += length;
        }
        assertThat(arrived(reply.length)).isEqualTo(reply);
    }

    @Test
    void unknownControlMessageClosesTheChannel() throws Exception {
        connect(client());
        peer.send(RawPeer.message(4).array());
        assertThat(event()).isInstanceOf(ProtocolException.class);
        assertThat(event()).isEqualTo(INACTIVE);
        peer.awaitDisconnect();
    }

    @Test
    void shortControlMessageClosesTheChannel() throws Exception {
        connect(client());
        peer.send(new byte[31]);
        assertThat(event()).isInstanceOf(ProtocolException.class);
        assertThat(event()).isEqualTo(INACTIVE);
    }

    @Test
    void controlMessageThatFitsIntoNoReceiveClosesTheChannel() throws Exception {
        connect(client());
        assertThatThrownBy(() -> peer.send(new byte[33])).isInstanceOf(AssertionError.class);
        assertThat(event()).isInstanceOf(SocketException.class);
        assertThat(event()).isEqualTo(INACTIVE);
    }

    @Test
    void writeThatClaimsMoreThanTheRingClosesTheChannel() throws Exception {
        connect(client());
        peer.write(new byte[8], 1024 * 1024 + 1);
        assertThat(event()).isInstanceOf(ProtocolException.class);
        assertThat(event()).isEqualTo(INACTIVE);
    }

    @Test
    void ringThatTheServerDoesNotHaveIsAnError() throws Exception {
        ChannelFuture connected = client().connect(listen());
        accept();
        peer.send(RawPeer.message(3)
                .putLong(16, 4096)
                .putInt(24, 4096)
                .putInt(28, 1)
                .array());
        connected.get(SECONDS, TimeUnit.SECONDS);
        ChannelFuture written = connected.channel().writeAndFlush(Unpooled.wrappedBuffer(random(100)));
        assertThat(event()).isInstanceOf(SocketException.class);
        assertThat(event()).isEqualTo(INACTIVE);
        assertThat(written.isDone()).isTrue();
    }

    @Test
    void ringOfNoBytesIsAnError() throws Exception {
        ChannelFuture connected = client().connect(listen());
        accept();
        peer.send(RawPeer.message(3).array());
        assertThat(connected.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(connected.cause()).isInstanceOf(ProtocolException.class);
    }

    @Test
    void silentServerIsTimeout() throws Exception {
        ChannelFuture connected =
                client().option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 1000).connect(listen());
        try {
            accept();
        } catch (RuntimeException e) {
            // The client may be earlier, on a busy machine.
        }
        assertThat(connected.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(connected.cause()).isInstanceOf(ConnectTimeoutException.class);
    }

    @Test
    void portWithoutServerIsRefused() throws Exception {
        InetSocketAddress address = listen();
        listener.close();
        ChannelFuture connected = client().connect(address);
        assertThat(connected.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(connected.cause()).isInstanceOf(ConnectException.class).hasMessageContaining("refused");
    }

    @Test
    void lastBytesOfServerThatLeavesAreRead() throws Exception {
        connect(client());
        byte[] last = random(1000);
        peer.write(last, last.length);
        peer.close();
        peer = null;
        assertThat(arrived(last.length)).isEqualTo(last);
        assertThat(event()).isEqualTo(INACTIVE);
    }

    @Test
    void closeSendsWhatWasFlushed() throws Exception {
        connect(client());
        byte[] request = random(1000);
        channel.writeAndFlush(Unpooled.wrappedBuffer(request));
        channel.close();
        assertThat(readByPeer(request.length)).isEqualTo(request);
        peer.awaitDisconnect();
        assertThat(event()).isEqualTo(INACTIVE);
    }

    /** More than a turn of the event loop polls. */
    @Test
    void manyLastWritesOfServerThatLeavesAreRead() throws Exception {
        connect(client());
        CountDownLatch gone = new CountDownLatch(1);
        channel.eventLoop().submit(() -> gone.await(SECONDS, TimeUnit.SECONDS));
        byte[] last = random(600);
        for (byte one : last) {
            peer.write(new byte[] {one}, 1);
        }
        peer.close();
        peer = null;
        gone.countDown();
        assertThat(arrived(last.length)).isEqualTo(last);
        assertThat(event()).isEqualTo(INACTIVE);
    }

    @Test
    void releasedBufferClosesTheChannel() throws Exception {
        connect(client());
        ByteBuf released = Unpooled.buffer(8).writeLong(1);
        channel.eventLoop().execute(() -> {
            channel.write(released);
            released.release();
            channel.flush();
        });
        assertThat(event()).isEqualTo(INACTIVE);
        peer.awaitDisconnect();
    }

    @Test
    void failedWriteClosesTheChannelAlsoWithoutAutoClose() throws Exception {
        connect(client().option(ChannelOption.AUTO_READ, false).option(ChannelOption.AUTO_CLOSE, false));
        // Bytes that nobody reads keep the channel open.
        peer.write(random(10), 10);
        peer.close();
        peer = null;
        ChannelFuture written;
        do {
            written = channel.writeAndFlush(Unpooled.EMPTY_BUFFER).await();
        } while (written.isSuccess());
        assertThat(written.cause()).hasCauseInstanceOf(SocketException.class);
        assertThat(event()).isEqualTo(INACTIVE);
    }

    @Test
    void readerThatSwitchesAutoReadOffGetsNoMore() throws Exception {
        connect(client());
        EventLoop loop = channel.eventLoop();
        loop.submit(() -> channel.config().setAutoRead(false)).sync();
        byte[] bytes = random(10);
        peer.write(bytes, bytes.length);
        // The loop polls in between.
        loop.schedule(() -> {}, 10, TimeUnit.MILLISECONDS).sync();
        assertThat(events).isEmpty();
        channel.read();
        assertThat(arrived(bytes.length)).isEqualTo(bytes);
    }

    /** A channel may leave its event loop while it connects, and have another one sooner or later than a connection. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void channelThatConnectsChangesItsEventLoop(boolean soon) throws Exception {
        EventLoopGroup others = new MultiThreadIoEventLoopGroup(1, ValkeyIoHandler.newFactory());
        EventLoop other = others.next();
        BlockingQueue<Boolean> readThere = new LinkedBlockingQueue<>();
        RecvByteBufAllocator sizes = new FixedRecvByteBufAllocator(100);
        RecvByteBufAllocator recording = () -> new RecvByteBufAllocator.DelegatingHandle(sizes.newHandle()) {
            @Override
            public ByteBuf allocate(ByteBufAllocator allocator) {
                readThere.add(other.inEventLoop());
                return super.allocate(allocator);
            }
        };
        ChannelFuture connected =
                client().option(ChannelOption.RECVBUF_ALLOCATOR, recording).connect(listen());
        channel = connected.channel();
        channel.deregister().sync();
        if (soon) {
            other.register(channel).sync();
        }
        accept();
        byte[] bytes = random(10);
        if (soon) {
            // They can be read as soon as the channel is connected.
            peer.write(bytes, bytes.length);
        }
        peer.register();
        connected.get(SECONDS, TimeUnit.SECONDS);
        if (!soon) {
            other.register(channel).sync();
            peer.write(bytes, bytes.length);
        }
        assertThat(arrived(bytes.length)).isEqualTo(bytes);
        assertThat(readThere).containsOnly(true);
        channel.close().sync();
        others.shutdownGracefully(0, SECONDS, TimeUnit.SECONDS).sync();
    }

    @Test
    void readerThatPausesStopsTheServer() throws Exception {
        connect(client().option(ChannelOption.AUTO_READ, false));
        byte[] ring = random(1024 * 1024);
        for (int from = 0; from < ring.length; from += RawPeer.RING) {
            peer.write(Arrays.copyOfRange(ring, from, from + RawPeer.RING), RawPeer.RING);
        }
        assertThat(events).isEmpty();
        assertThat(peer.space()).isZero();
        channel.config().setAutoRead(true);
        assertThat(arrived(ring.length)).isEqualTo(ring);
        // The ring is announced again.
        byte[] more = random(10);
        peer.write(more, more.length);
        assertThat(arrived(more.length)).isEqualTo(more);
    }

    @Test
    void serverThatDoesNotReadStopsTheWriter() throws Exception {
        connect(client());
        byte[] much = random(2 * RawPeer.RING);
        ChannelFuture written = channel.writeAndFlush(Unpooled.wrappedBuffer(much));
        // The first ring's bytes are there, and the rest waits.
        peer.awaitWrites(RawPeer.RING);
        assertThat(channel.isWritable()).isFalse();
        assertThat(written.isDone()).isFalse();
        assertThat(readByPeer(much.length)).isEqualTo(much);
        assertThat(written.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(written.isSuccess()).isTrue();
    }

    private ValkeyConnection connection() throws Exception {
        InetSocketAddress server = listen();
        CompletableFuture<ValkeyConnection> connecting = CompletableFuture.supplyAsync(() -> {
            try {
                return ValkeyConnection.connect(server, null, 4096, RawPeer.PATIENCE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        accept();
        peer.register();
        return connecting.get();
    }

    /** A server that hangs takes no writes any more; if its machine then dies, only a keepalive finds out. */
    @Test
    void keepaliveNeedsNoReceiveOfTheServer() throws Exception {
        ValkeyConnection connection = connection();
        while (connection.sendSpace().hasRemaining()) {
            connection.sendSpace().put((byte) 1);
            connection.send(1);
            // The memory is used from its start again when the adapter has sent all.
            while (connection.sendSpace().position() != 0) {
                connection.poll();
            }
        }
        long end = System.nanoTime() + RawPeer.PATIENCE.toNanos();
        int completed;
        do {
            connection.keepAlive();
            completed = connection.poll();
        } while (completed == 0 && System.nanoTime() - end < 0);
        assertThat(completed).isOne();
        assertThat(connection.failure()).isNull();
        connection.close(Duration.ZERO);
    }

    /** The event loop allocates a little when it sleeps, and Netty for each write. */
    @Test
    void requestAndReplyAllocateNothing() throws Exception {
        ValkeyConnection connection = connection();
        int rounds = 300;
        // So that the small ring is full at the end of a message.
        byte[] bytes = random(64);
        Thread echo = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < rounds; i++) {
                peer.write(peer.read(), bytes.length);
            }
        });
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ByteBuf reply = Unpooled.directBuffer(bytes.length);
        int without = 0;
        long end = System.nanoTime() + RawPeer.PATIENCE.toNanos();
        for (int i = 0; i < rounds; i++) {
            reply.clear();
            long before = threads.getCurrentThreadAllocatedBytes();
            connection.sendSpace().put(bytes);
            connection.send(bytes.length);
            while (connection.readable() < bytes.length && System.nanoTime() - end < 0) {
                connection.poll();
                Thread.onSpinWait();
            }
            connection.read(reply);
            without += threads.getCurrentThreadAllocatedBytes() == before ? 1 : 0;
        }
        echo.join();
        connection.close(Duration.ZERO);
        // The first ones load classes.
        assertThat(without).isGreaterThan(rounds / 2);
    }

    /** LostPathRun cuts the path between two machines. */
    @Test
    @Tag("full")
    void idleChannelReportsDeadPath() throws Exception {
        connect(client());
        peer.fallSilent();
        assertThat((Throwable) event())
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("Connection reset: ")
                .hasMessageContaining("RETRY_EXC_ERR");
        assertThat(event()).isEqualTo(INACTIVE);
    }

    @Test
    @Tag("full")
    void idleChannelDetectsALostConnection() throws Exception {
        connect(client());
        peer.refuseWrites();
        assertThat((Throwable) event()).isInstanceOf(SocketException.class).hasMessageStartingWith("Connection reset");
        assertThat(event()).isEqualTo(INACTIVE);
    }

    @Test
    void connectionThatCannotBeMadeClosesItsId() {
        SynchronousId id = SynchronousId.create(PortSpace.TCP);
        // Without an address it has no device.
        assertThatThrownBy(() -> new ValkeyConnection(id, 4096)).isInstanceOf(NoSuchElementException.class);
        assertThat(id.id().isOpen()).isFalse();
    }
}
