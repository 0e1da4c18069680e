// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.TestLink;
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
import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Channels move to TCP when the port goes down under them. A host reaches its own address without the interface, so
 * that TCP does not notice.
 */
@Tag("device")
@Tag("changes-machine")
class FailoverChannelDeviceTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("rdma-failover", true), RdmaIoHandler.newFactory());
    /** The data that the client has received, in order, or an exception. */
    private final BlockingQueue<Object> came = new LinkedBlockingQueue<>();

    private final RdmaByteBufAllocator allocator = new RdmaByteBufAllocator(1 << 20);

    @AfterEach
    void close() {
        assertThat(group.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly(PATIENCE.toMillis()))
                .isTrue();
        assertThat(allocator.usedBytes()).isZero();
    }

    @Test
    void noByteIsLostWhenThePortGoesDown() throws Exception {
        var link = new TestLink(device());
        Channel server = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, Transport.RDMA_WITH_FAILOVER)
                .childOption(ChannelOption.ALLOCATOR, allocator)
                .childHandler(new Echo())
                .bind(RdmaTestNet.address())
                .sync()
                .channel();
        RdmaSocketChannel client = (RdmaSocketChannel) new Bootstrap()
                .group(group)
                .channel(RdmaSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, Transport.RDMA_WITH_FAILOVER)
                .option(ChannelOption.ALLOCATOR, allocator)
                .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                        byte[] copy = new byte[bytes.readableBytes()];
                        bytes.readBytes(copy);
                        came.add(copy);
                    }

                    @Override
                    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                        came.add(cause);
                    }
                })
                .connect(server.localAddress())
                .sync()
                .channel();
        echoUntil(client, Transport.RDMA);
        link.down();
        try {
            echoUntil(client, Transport.TCP);
            assertThat(client.rdmaFailure()).isPresent();
        } finally {
            link.up();
        }
        client.close().sync();
        assertThat(came).isEmpty();
    }

    private void echoUntil(RdmaSocketChannel client, Transport transport) throws Exception {
        Random random = new Random(transport.ordinal());
        long end = System.nanoTime() + PATIENCE.toNanos();
        do {
            assertThat(System.nanoTime())
                    .as("%s, %s", client, client.rdmaFailure())
                    .isLessThan(end);
            byte[] data = new byte[1 + random.nextInt(20_000)];
            random.nextBytes(data);
            client.writeAndFlush(client.alloc().directBuffer(data.length).writeBytes(data));
            ByteBuf answer = Unpooled.buffer(data.length);
            while (answer.readableBytes() < data.length) {
                Object next = came.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(next).isInstanceOf(byte[].class);
                answer.writeBytes((byte[]) next);
            }
            assertThat(answer).isEqualTo(Unpooled.wrappedBuffer(data));
        } while (!client.transport().orElseThrow().equals(transport));
    }

    /** The device of the interface that has the address of the tests. */
    private static Device device() throws IOException {
        String networkInterface = NetworkInterface.getByInetAddress(
                        RdmaTestNet.address().getAddress())
                .getName();
        for (Device device : Device.list()) {
            if (Files.readString(device.sysfsPath().resolve("parent")).strip().equals(networkInterface)) {
                return device;
            }
        }
        throw new AssertionError(networkInterface + " has no device");
    }

    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }
}
