// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Buffers that the adapter reads where they lie. */
@Tag("device")
@Timeout(600)
class RdmaByteBufAllocatorDeviceTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, new DefaultThreadFactory("loops", true), RdmaIoHandler.newFactory());
    private final RdmaByteBufAllocator allocator = new RdmaByteBufAllocator(16 << 20);

    @AfterEach
    void end() {
        loops.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    @Tag("iwarp")
    void writeIsNotCopied() throws Exception {
        long lent = AllocatedEcho.run(loops, RdmaTestNet.address(), Transport.RDMA, allocator);
        // Pieces of 8192 bytes, except at the ends. Short buffers are copied, and so is the data that fills up a
        // message that began with one.
        assertThat(lent).isEqualTo(1 + 1 + 1 + 7 + 12 + 37);
        assertThat(allocator.usedBytes()).isZero();
        assertThat(allocator.fallbacks()).isZero();
    }

    /** Releasing another buffer than the written one would leave its leak record open. */
    @Test
    void leakDetectorFindsNothing() throws Exception {
        ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
        List<String> leaks = Collections.synchronizedList(new ArrayList<>());
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        // Of other tests there may be some; a record of this one names where the buffer was allocated.
        ByteBufUtil.setLeakListener((type, record) -> {
            if (record.contains("AllocatedEcho")) {
                leaks.add(record);
            }
        });
        try {
            assertThat(AllocatedEcho.run(loops, RdmaTestNet.address(), Transport.RDMA, allocator))
                    .isPositive();
            for (int i = 0; i < 3; i++) {
                System.gc();
                Thread.sleep(50);
                // Each allocation reports the leaks that were found.
                allocator.directBuffer(4096).release();
            }
            assertThat(leaks).isEmpty();
            AllocatedEcho.leak(allocator);
            long start = System.nanoTime();
            while (leaks.isEmpty() && System.nanoTime() - start < TIMEOUT.toNanos()) {
                System.gc();
                Thread.sleep(50);
                allocator.directBuffer(4096).release();
            }
            assertThat(leaks).as("it would have found something").hasSize(1);
        } finally {
            ResourceLeakDetector.setLevel(before);
            ByteBufUtil.setLeakListener(null);
        }
    }

    @Test
    void bufferThatSomebodyKeepsMayChangeSoItIsCopied() throws Exception {
        try (EndpointServer server = EndpointServer.bind(RdmaTestNet.address())) {
            ChannelFuture connecting = connect(server);
            try (Endpoint peer = server.accept(TIMEOUT).orElseThrow()) {
                RdmaSocketChannel client = (RdmaSocketChannel) connecting.sync().channel();
                ByteBuf kept = client.alloc().directBuffer(4096).writeZero(4096);
                client.writeAndFlush(kept.retain()).sync();
                kept.setByte(0, 1);
                client.writeAndFlush(kept).sync();
                assertThat(peer.receive(TIMEOUT).orElseThrow()).hasSize(4096).startsWith((byte) 0);
                assertThat(peer.receive(TIMEOUT).orElseThrow()).hasSize(4096).startsWith((byte) 1);
                assertThat(lentMessages(client)).isOne();
            }
            connecting.channel().closeFuture().sync();
        }
        assertThat(allocator.usedBytes()).isZero();
    }

    /** A peer that takes nothing in: some messages are under way, others wait, and none can be finished. */
    @Test
    void resetGivesEverythingBack() throws Exception {
        try (EndpointServer server = EndpointServer.bind(RdmaTestNet.address(), config -> config.receiveBuffers(4))) {
            ChannelFuture connecting = connect(server);
            try (Endpoint peer = server.accept(TIMEOUT).orElseThrow()) {
                RdmaSocketChannel client = (RdmaSocketChannel) connecting.sync().channel();
                for (int i = 0; i < 16; i++) {
                    client.write(client.alloc().directBuffer(8192).writeZero(8192));
                }
                client.flush();
                assertThat(lentMessages(client)).isEqualTo(4);
                assertThat(allocator.usedBytes()).isPositive();
                client.config().setOption(ChannelOption.SO_LINGER, 0);
                client.close().sync();
                // Netty reports the close first and then releases unsent buffers, in the same task of the loop.
                client.eventLoop().submit(() -> {}).get(60, TimeUnit.SECONDS);
                assertThat(allocator.usedBytes()).isZero();
                assertThat(peer.isOpen()).isTrue();
            }
        }
    }

    /** An error between the post and the bookkeeping must not release a buffer that the adapter reads. */
    @Test
    void bufferIsRetainedBeforeItsMessageIsPosted() throws Exception {
        try (EndpointServer server = EndpointServer.bind(RdmaTestNet.address())) {
            ChannelFuture connecting = connect(server);
            Endpoint endpoint = server.accept(TIMEOUT).orElseThrow();
            ByteBuf buffer = allocator.directBuffer(8192).writeZero(8192);
            Lending.Sender[] sender = new Lending.Sender[1];
            Lending lending =
                    new Lending(endpoint, (id, slice) -> sender[0].trySend(id, slice), endpoint.protectionDomain());
            sender[0] = (id, slice) -> {
                assertThat(buffer.refCnt()).isEqualTo(2);
                return Endpoint.QUEUE_FULL;
            };
            assertThat(lending.trySend(buffer, 4096)).isEqualTo(Endpoint.QUEUE_FULL);
            assertThat(buffer.refCnt()).as("after a full queue").isOne();
            sender[0] = (id, slice) -> {
                throw new IllegalStateException("closed");
            };
            assertThatIllegalStateException().isThrownBy(() -> lending.trySend(buffer, 4096));
            assertThat(buffer.refCnt()).as("after an exception").isOne();
            sender[0] = (id, slice) -> {
                throw new OutOfMemoryError("injected");
            };
            assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> lending.trySend(buffer, 4096));
            assertThat(buffer.refCnt()).as("after an error").isEqualTo(2);
            sender[0] = (id, slice) -> Endpoint.OK;
            // More than the ring has at first.
            for (int i = 0; i < 40; i++) {
                assertThat(lending.trySend(buffer, 4096)).isEqualTo(Endpoint.OK);
            }
            assertThat(lending.messages()).isEqualTo(40);
            assertThat(buffer.refCnt()).isEqualTo(42);
            lending.takeAllBack();
            assertThat(buffer.release()).isTrue();
            endpoint.close();
            connecting.channel().closeFuture().sync();
        }
        assertThat(allocator.usedBytes()).isZero();
    }

    /** A refused chunk is copied, and the reason is in the log once, however many channels and chunks there are. */
    @Test
    void refusedRegistrationIsLoggedOnce() {
        Logger logger = (Logger) LoggerFactory.getLogger(RegisteredPool.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        RegisteredPool pool = new RegisteredPool(2 * RdmaByteBufAllocator.LARGEST);
        List<RegisteredPool.Block> chunks =
                List.of(pool.take(RdmaByteBufAllocator.LARGEST), pool.take(RdmaByteBufAllocator.LARGEST));
        try (DeviceContext device = CmTestNet.device()) {
            for (int i = 0; i < 2; i++) {
                ProtectionDomain closed = device.allocateProtectionDomain();
                closed.close();
                assertThat(chunks).allMatch(chunk -> chunk.slice(closed, chunk.first(1), 1) == null);
            }
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list).hasSize(1);
    }

    private ChannelFuture connect(EndpointServer server) {
        return new Bootstrap()
                .group(loops)
                .channel(RdmaSocketChannel.class)
                .option(ChannelOption.ALLOCATOR, allocator)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(server.address());
    }

    private static long lentMessages(RdmaSocketChannel channel) throws Exception {
        return channel.eventLoop().submit(channel::lentMessages).get(60, TimeUnit.SECONDS);
    }
}
