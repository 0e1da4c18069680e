// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the buffers that a handler gets, one for each message, over TCP. */
class LentBufferTest {
    private static final InetSocketAddress HERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int RECEIVE_BUFFERS = 4;
    /** With those for updates and the close. */
    private static final int ALL_BUFFERS = RECEIVE_BUFFERS + 3;

    private final EventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("loop", true), RdmaIoHandler.newFactory());

    private EndpointServer server;
    private Endpoint peer;
    private RdmaSocketChannel channel;

    @AfterEach
    void end() {
        peer.abort();
        server.close();
        loop.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Its handler gets what the peer sends. */
    private void connect(Consumer<ByteBuf> handler) throws Exception {
        server = EndpointServer.bind(HERE, config -> config.transport(Transport.TCP));
        var connecting = new Bootstrap()
                .group(loop)
                .channel(RdmaSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, Transport.TCP)
                .option(RdmaChannelOption.RECEIVE_BUFFERS, RECEIVE_BUFFERS)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        handler.accept((ByteBuf) message);
                    }
                })
                .connect(server.address());
        peer = server.accept(PATIENCE).orElseThrow();
        channel = (RdmaSocketChannel) connecting.sync().channel();
    }

    private void send(int length, int number) {
        byte[] message = new byte[length];
        for (int i = 0; i < length; i++) {
            message[i] = (byte) (number + i);
        }
        assertThat(peer.send(message, PATIENCE)).isTrue();
    }

    private static void check(ByteBuf bytes, int length, int number) {
        assertThat(bytes.readerIndex()).isZero();
        assertThat(bytes.readableBytes()).isEqualTo(length);
        for (int i = 0; i < length; i++) {
            assertThat(bytes.getByte(i)).isEqualTo((byte) (number + i));
        }
        assertThat(bytes.refCnt()).isOne();
        // Marks of the last message would show themselves.
        bytes.skipBytes(length).resetReaderIndex();
        bytes.resetWriterIndex();
        assertThat(bytes.readerIndex()).isZero();
        assertThat(bytes.writerIndex()).isZero();
        bytes.writerIndex(length);
    }

    private static ByteBuf next(BlockingQueue<ByteBuf> got) throws InterruptedException {
        ByteBuf bytes = got.poll(60, TimeUnit.SECONDS);
        assertThat(bytes).isNotNull();
        return bytes;
    }

    @Test
    void oneForEachReceiveBufferServesAllMessages() throws Exception {
        BlockingQueue<ByteBuf> got = new LinkedBlockingQueue<>();
        Map<ByteBuf, Boolean> all = new IdentityHashMap<>();
        connect(got::add);
        for (int i = 0; i < 20 * ALL_BUFFERS; i++) {
            int length = 1 + i % 100;
            send(length, i);
            ByteBuf bytes = next(got);
            assertThat(bytes).isInstanceOf(LentBuffer.class);
            assertThat(bytes.alloc()).isSameAs(channel.alloc());
            check(bytes, length, i);
            bytes.markReaderIndex();
            bytes.skipBytes(length).markReaderIndex().markWriterIndex();
            all.put(bytes, true);
            assertThat(bytes.release()).isTrue();
            assertThatThrownBy(bytes::readByte).isInstanceOf(IllegalReferenceCountException.class);
        }
        // A longer message than before takes a new one.
        assertThat(all.size()).isLessThanOrEqualTo(100);
        int before = all.size();
        for (int i = 0; i < 5 * ALL_BUFFERS; i++) {
            send(1, i);
            ByteBuf bytes = next(got);
            check(bytes, 1, i);
            all.put(bytes, true);
            bytes.release();
        }
        assertThat(all).hasSize(before);
    }

    @Test
    void handlerMayChangeItsCapacity() throws Exception {
        BlockingQueue<ByteBuf> got = new LinkedBlockingQueue<>();
        connect(got::add);
        for (int i = 0; i < 5 * ALL_BUFFERS; i++) {
            send(50, i);
            ByteBuf bytes = next(got);
            int length = 50 - i % 3;
            bytes.capacity(length);
            check(bytes, length, i);
            assertThat(bytes.release()).isTrue();
            assertThat(bytes.refCnt()).isZero();
        }
    }

    @Test
    void manyHeldBuffersMakeTheOthersCopiesAndAllStayReadable() throws Exception {
        BlockingQueue<ByteBuf> got = new LinkedBlockingQueue<>();
        connect(got::add);
        List<ByteBuf> kept = new ArrayList<>();
        for (int i = 0; i < 5 * ALL_BUFFERS; i++) {
            send(10, i);
            kept.add(next(got));
        }
        assertThat(kept).filteredOn(bytes -> bytes instanceof LentBuffer).hasSize(RECEIVE_BUFFERS / 2);
        channel.close().sync();
        for (int i = 0; i < kept.size(); i++) {
            check(kept.get(i), 10, i);
            kept.get(i).release();
        }
    }

    @Test
    void anyThreadMayRelease() throws Exception {
        int messages = 3000;
        // No longer than the least that Netty asks for at once: else one may be cut, by how many came together before.
        int longest = 64;
        BlockingQueue<ByteBuf> got = new LinkedBlockingQueue<>();
        ExecutorService others = Executors.newFixedThreadPool(2);
        connect(bytes -> {
            got.add(bytes.copy());
            others.execute(bytes::release);
        });
        for (int i = 0; i < messages; i++) {
            send(1 + i % longest, i);
        }
        for (int i = 0; i < messages; i++) {
            ByteBuf copy = next(got);
            check(copy, 1 + i % longest, i);
            copy.release();
        }
        others.shutdown();
        assertThat(others.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void leakDetectorNamesWhoForgetsOne() throws Exception {
        ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
        List<String> leaks = Collections.synchronizedList(new ArrayList<>());
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        LentBuffer.LEAKS.setLeakListener((type, record) -> leaks.add(record));
        try {
            BlockingQueue<Boolean> got = new LinkedBlockingQueue<>();
            boolean[] forget = new boolean[1];
            connect(bytes -> {
                if (!forget[0]) {
                    bytes.release();
                }
                got.add(forget[0]);
            });
            for (int i = 0; i < 3 * ALL_BUFFERS; i++) {
                send(10, i);
                assertThat(got.poll(60, TimeUnit.SECONDS)).isFalse();
                System.gc();
            }
            assertThat(leaks).isEmpty();
            forget[0] = true;
            send(10, 0);
            assertThat(got.poll(60, TimeUnit.SECONDS)).isTrue();
            forget[0] = false;
            for (int i = 0; i < 200 && leaks.isEmpty(); i++) {
                System.gc();
                // Each message reports the leaks that were found.
                send(10, i);
                assertThat(got.poll(60, TimeUnit.SECONDS)).isFalse();
            }
            assertThat(leaks).hasSize(1);
        } finally {
            ResourceLeakDetector.setLevel(before);
            LentBuffer.LEAKS.setLeakListener(null);
        }
    }
}
